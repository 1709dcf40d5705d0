/**
 * Manifest: what an archive says of itself, which room it is of and when, what it holds, how that is to be checked, who
 * made it. [AR3]
 *
 * It is one canonical text, and its signature covers all of it; whatever else is in an archive is named there with its hash.
 */
import { readMandate } from '../access/mandate.js';
import { type Speaker, checkWord, giveWord, readCertificate } from '../access/word.js';
import { z } from 'zod';
import {
  DecodeError,
  concatBytes,
  equalBytes,
  fromBase64,
  fromHex,
  fromUtf8,
  toHex,
  toUtf8,
} from '../codec/bytes/bytes.js';
import { type Json, canonicalJson } from '../codec/bytes/canonical-json.js';
import { openPack } from '../codec/packs/pack.js';
import { isReserved, parseRoomId } from '../codec/bytes/room-id.js';
import type { Crypto } from '../ports/crypto.js';
import { type Lineage, readGenesis } from '../room/state/genesis.js';
import { LineageShape } from '../room/state/lineage-shape.js';
import { faultIn } from './entries.js';
import { refused } from './refusal.js';
import { timelineOf } from './timeline.js';

export const FORMAT = '1';
export const DIGEST_POLICY = 'strict-sha256-v1';
export const WINDOW = { min_supported: FORMAT, max_supported: FORMAT };
const TAG = toUtf8('weft-archive-v1\0');

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().nonnegative();

const Checkpoint = z.strictObject({
  selector: z.literal('seq'),
  /** Nodes of the log. */
  canonical_seq: z.number().int().positive(),
  canonical_hash: Hash,
  frontier: z.array(Hash).min(1),
});
const Window = z.strictObject({ min_supported: z.string(), max_supported: z.string() });
const Amounts = z.strictObject({ nodes: Count, blobs: Count });

const Provenance = z.strictObject({
  source_room: z.string(),
  tool: z.string(),
  /** Who asked for it. */
  created_by: z.string(),
  /** Unix milliseconds. */
  created_at: Count,
  lineage: LineageShape.optional(),
});

/** All but what is only known when the archive is written. */
const About = z.strictObject({
  format_version: z.literal(FORMAT),
  manifest_id: z.string(),
  source_room: z.string(),
  archive_kind: z.enum(['full_clone', 'checkpoint_fork']),
  checkpoint: Checkpoint,
  payload_digest_set: z.strictObject({ nodes: Hash, blobs: Hash }),
  payload_digest_policy: z.literal(DIGEST_POLICY),
  compatibility_window: Window,
  policy_timeline: z.array(z.strictObject({ lamport: Count, policy: Hash })),
  policy_timeline_hash: Hash,
  policy_timeline_cutover_lamport: Count,
  policy_timeline_transition_cutovers: z.array(Count).min(1),
  provenance: Provenance,
  counts: Amounts,
  /** The room's genesis as a pack of one, in base64. */
  genesis: z.string(),
});
export type About = z.output<typeof About>;

const Unsigned = About.extend({
  sizes: Amounts,
  entries: z.array(
    z.strictObject({ name: z.string(), size: Count, crc32: z.number().int().nonnegative(), sha256: Hash }),
  ),
});
export type Unsigned = z.output<typeof Unsigned>;

const Signature = z.strictObject({
  public_key: Hash,
  signature: z.string().regex(/^[0-9a-f]{128}$/),
  /** What a root says of that key, where it is none. */
  certificate: z
    .string()
    .regex(/^([0-9a-f]{2}){176,24000}$/)
    .optional(),
});

/** Whose archives are taken. */
export interface Trust {
  readonly crypto: Crypto;
  /** Public keys. */
  readonly signers: ReadonlySet<string>;
  /** Those among them that an operator has named. */
  readonly named?: ReadonlySet<string>;
  /** Keys of processes that a root has taken back, and whose archives are taken only where they are named. */
  readonly revoked?: ReadonlySet<string>;
}

export async function signManifest(manifest: Unsigned, speaker: Speaker): Promise<Uint8Array> {
  const { authority, signature, certificate } = await giveWord(messageOf(manifest), speaker);
  const signed = { public_key: toHex(authority), signature: toHex(signature) };
  const shown = certificate ? { ...signed, certificate: toHex(certificate) } : signed;
  return toUtf8(textOf({ ...manifest, signature: shown }));
}

/** Throws a `Rejection` for anything but what somebody who is trusted has signed, and what agrees with itself. */
export async function readManifest(bytes: Uint8Array, trust: Trust): Promise<Unsigned> {
  const given = parseJson(bytes);
  checkFormat(given);
  const parsed = Unsigned.extend({ signature: z.unknown() }).safeParse(given);
  if (!parsed.success)
    throw refused(
      'manifest_invalid',
      `the manifest's ${parsed.error.issues[0]!.path.join('.')} is missing or malformed`,
    );
  const { signature: signed, ...manifest } = parsed.data;
  const { data: signature } = Signature.safeParse(signed);
  if (!signature) throw refused('signature_invalid', 'the manifest is not signed');
  await checkSignature(signature, manifest, trust);
  if (!equalBytes(bytes, toUtf8(textOf({ ...manifest, signature }))))
    throw refused('manifest_invalid', 'the manifest is not written in its one form');
  const fault = faultOf(manifest);
  if (fault !== undefined) throw refused('manifest_invalid', `the manifest does not agree with itself: ${fault}`);
  return manifest;
}

/** Whoever is trusted, or has a certificate of somebody who is. */
async function checkSignature(
  { public_key: key, signature, certificate }: z.output<typeof Signature>,
  manifest: Unsigned,
  { crypto, signers, named, revoked }: Trust,
): Promise<void> {
  const word = { authority: fromHex(key), signature: fromHex(signature) };
  const shown = certificate === undefined ? word : { ...word, certificate: fromHex(certificate) };
  const giver = certificate === undefined ? key : giverIn(fromHex(certificate), key);
  if (revoked?.has(key) && !named?.has(key))
    throw refused('signature_invalid', `the manifest is signed by ${key}, whose key is revoked`);
  if (!signers.has(giver) && !named?.has(key))
    throw refused('signature_invalid', `the manifest is signed by ${giver}, who is not trusted here`);
  const vouched = await checkWord(shown, messageOf(manifest), crypto);
  if (!vouched) throw refused('signature_invalid', 'the signature of the manifest is wrong');
}

/** Who is to be trusted for a key that shows a certificate; the key itself where it is a root by now, or shows none that can be read. */
function giverIn(certificate: Uint8Array, key: string): string {
  try {
    const { mandate } = readCertificate(certificate);
    return mandate ? readMandate(mandate).giver : key;
  } catch (error) {
    if (error instanceof DecodeError) return key;
    throw error;
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(fromUtf8(bytes));
  } catch (error) {
    throw refused('manifest_invalid', 'the manifest is no JSON', error);
  }
}

/** What may stand in archives of another version is not known: this comes first. */
function checkFormat(given: unknown): void {
  const { data } = z
    .object({ format_version: z.string(), compatibility_window: Window, payload_digest_policy: z.string() })
    .safeParse(given);
  if (!data) throw refused('manifest_invalid', 'the manifest does not say its format');
  const { format_version, compatibility_window: window, payload_digest_policy } = data;
  if (format_version !== FORMAT)
    throw refused('unsupported_format', `the archive has format ${shown(format_version)}, not ${FORMAT}`);
  const [least, most] = [numberOf(window.min_supported), numberOf(window.max_supported)];
  if (least === undefined || most === undefined || least > most)
    throw refused('manifest_invalid', 'the compatibility window is no range');
  if (least > Number(FORMAT) || most < Number(FORMAT))
    throw refused('unsupported_format', `the archive is for formats ${least} to ${most}, not ${FORMAT}`);
  if (payload_digest_policy !== DIGEST_POLICY)
    throw refused('unsupported_format', `no digests are known by the name ${shown(payload_digest_policy)}`);
}

function faultOf(manifest: Unsigned): string | undefined {
  const { source_room: room, checkpoint, provenance, counts, sizes } = manifest;
  if (manifest.manifest_id !== manifestId(room, checkpoint.canonical_hash)) return 'manifest_id';
  if (counts.nodes !== checkpoint.canonical_seq) return 'counts.nodes';
  const timeline = timelineOf(manifest.policy_timeline);
  if (manifest.policy_timeline_hash !== timeline.policy_timeline_hash) return 'policy_timeline_hash';
  if (manifest.policy_timeline_cutover_lamport !== timeline.policy_timeline_cutover_lamport)
    return 'policy_timeline_cutover_lamport';
  if (manifest.policy_timeline_transition_cutovers.join() !== timeline.policy_timeline_transition_cutovers.join())
    return 'policy_timeline_transition_cutovers';
  if (provenance.source_room !== room || manifest.archive_kind !== kindOf(provenance.lineage)) return 'provenance';
  const id = parseRoomId(room);
  if (!id || isReserved(id)) return 'source_room';
  const genesis = genesisIn(manifest);
  if (genesis?.roomId !== room || !isSame(genesis.lineage, provenance.lineage)) return 'genesis';
  return faultIn(manifest.entries, counts, sizes);
}

function isSame(a: Lineage | undefined, b: Lineage | undefined): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

/** What the room says of itself. */
function genesisIn({ genesis }: About) {
  try {
    return readGenesis(openPack(fromBase64(genesis)).table);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

export function manifestId(room: string, canonicalHash: string): string {
  return `m.${room}.${canonicalHash.slice(0, 12)}`;
}

/** A child's archive holds all that came along from its parent, and tells where that was. */
export function kindOf(lineage: Lineage | undefined): About['archive_kind'] {
  return lineage ? 'checkpoint_fork' : 'full_clone';
}

function messageOf(manifest: Unsigned): Uint8Array {
  return concatBytes([TAG, toUtf8(textOf(manifest))]);
}

/** Members that are absent have no place in it. */
function textOf(manifest: object): string {
  const plain: Json = JSON.parse(JSON.stringify(manifest));
  return canonicalJson(plain);
}

function numberOf(text: string): number | undefined {
  return /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : undefined;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
