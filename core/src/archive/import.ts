/**
 * Import of an archive: all of it is verified, then its blobs are stored, then all nodes come in one commit. [AR6]
 *
 * Nodes keep their ids and signatures. Those of another room, by its genesis, come under a node of this room's authority that
 * names it; system keys among them count for nothing here. A room that holds nothing yet takes over who may write, as it
 * was; nothing else about who may do what ever comes from an archive.
 */
import { z } from 'zod';
import { BlobError, type BlobStore } from '../ports/blob-store.js';
import type { Crypto } from '../ports/crypto.js';
import type { Verdict } from '../room/admission/judgement.js';
import type { Room } from '../room/room.js';
import { policyFact } from '../room/state/facts.js';
import { ADOPTED } from '../room/state/genesis.js';
import type { PolicyFact } from '../room/state/laws.js';
import type { Framing } from '../room/writing/decision.js';
import type { About } from './manifest.js';
import type { Rebuilt } from './rebuild.js';
import { refused } from './refusal.js';
import type { ArchiveSource } from './source.js';
import { changesOf, isPrefix } from './timeline.js';
import { verify } from './validate.js';

export interface Target {
  readonly room: Room;
  readonly blobs: BlobStore;
  readonly crypto: Crypto;
  /** Who asks. */
  readonly by: string;
}

export interface Imported {
  readonly about: About;
  /** What the room resolves to now. */
  readonly canonicalHash: string;
  readonly nodes: number;
  readonly blobs: number;
}

const Expected = z.object({
  canonical_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .toLowerCase()
    .optional(),
  frontier: z.array(z.string()).optional(),
  canonical_seq: z.number().optional(),
});

/** Against what the archive says of itself, before anything else is looked at. Heads are ids, or `seq:<nodes>`. */
export function checkExpected(expected: unknown, { checkpoint }: About): void {
  if (expected === undefined || expected === null) return;
  const { data } = Expected.safeParse(expected);
  if (!data) throw refused('manifest_invalid', 'expected_checkpoint is {canonical_hash, frontier}');
  const { canonical_hash: hash = checkpoint.canonical_hash, canonical_seq: seq = checkpoint.canonical_seq } = data;
  const heads = (data.frontier ?? checkpoint.frontier).map((head) => head.toLowerCase()).sort();
  const isSame = heads.join() === checkpoint.frontier.join() || heads.join() === `seq:${checkpoint.canonical_seq}`;
  if (hash === checkpoint.canonical_hash && seq === checkpoint.canonical_seq && isSame) return;
  throw refused(
    'digest_mismatch',
    `the archive is of checkpoint ${checkpoint.canonical_hash}, not of the expected one`,
  );
}

/** What can be said without reading what the archive holds. Changes nothing. */
export function tryImport({ room }: Target, source: ArchiveSource): Imported {
  checkTimeline(room.surveys.policies, source.about);
  return { about: source.about, canonicalHash: room.stateHash, nodes: 0, blobs: 0 };
}

export async function importInto(target: Target, source: ArchiveSource): Promise<Imported> {
  const { room, crypto } = target;
  const { about } = source;
  checkTimeline(room.surveys.policies, about);
  const rebuilt = await verify(source, crypto);
  const { pack, geneses, state } = rebuilt;
  const how = { geneses, isOwn: state.room === room.genesis.id };
  expectTaken(room, await room.restore(pack, how));
  const blobs = await storeBlobs(target, source);
  const verdict = await room.restore(pack, how, ({ seq, policies }) => {
    checkTimeline(policies, about);
    return how.isOwn ? { before: [], behind: [] } : framingOf(target, about, rebuilt, seq <= 1);
  });
  expectTaken(room, verdict);
  return { about, canonicalHash: room.stateHash, nodes: verdict.accepted, blobs };
}

function expectTaken({ id }: Room, { refused: [first] }: Verdict): void {
  if (!first) return;
  throw refused('policy_timeline_mismatch', `the policy of ${id} does not take node ${first.id}: ${first.reason}`);
}

function checkTimeline(policies: readonly PolicyFact[], about: About): void {
  if (isPrefix(changesOf(policies), about.policy_timeline)) return;
  throw refused('policy_timeline_mismatch', 'the room has policies that the archive does not begin with');
}

/** Written in the same commit: the word for the rooms that the nodes are of, and to an empty room its policies. */
function framingOf({ room, by }: Target, about: About, { geneses, survey }: Rebuilt, isEmpty: boolean): Framing {
  const record = { manifest_id: about.manifest_id, by };
  const unknown = [...geneses].filter((id) => id !== room.genesis.id && room.get(ADOPTED + id) === undefined);
  return {
    before: unknown.map((id) => ({ key: ADOPTED + id, value: record })),
    behind: isEmpty ? survey.policies.map(({ policy }) => [policyFact(policy, by)]) : [],
  };
}

/**
 * Stores blobs, before the nodes that name them come. Were the process to end in between, a blob would be in the room that
 * nothing names.
 */
async function storeBlobs({ room, blobs }: Target, source: ArchiveSource): Promise<number> {
  let stored = 0;
  for await (const { hash, size, bytes } of source.blobs()) {
    if (await blobs.isLinked(room.id, hash)) continue;
    if (!(await blobs.link(room.id, hash))) {
      await blobs.put(hash, bytes, size).catch(blobFault);
      await blobs.link(room.id, hash);
    }
    stored++;
  }
  return stored;
}

/** Fault of a blob that was what its name says a moment ago. */
function blobFault(error: unknown): never {
  if (error instanceof BlobError) throw refused('digest_mismatch', `the archive has changed: ${error.message}`, error);
  throw error;
}
