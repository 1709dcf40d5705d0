/**
 * Import of an archive: all of it is verified, then its blobs are stored, then all nodes come in one commit. [AR6]
 *
 * Nodes keep their ids and signatures. Those of another room, by its genesis, come under a node of this room's authority that
 * names it; system keys among them count for nothing here. A room that holds nothing yet takes over who may write, as it
 * was; nothing else about who may do what ever comes from an archive.
 */
import type { Authority } from '../access/authority.js';
import { speakerOf } from '../room/state/speaker-of.js';
import { z } from 'zod';
import type { RoomId } from '../codec/bytes/room-id.js';
import { BlobError, type BlobStore } from '../ports/blob-store.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { NodeLog } from '../ports/store.js';
import type { Rejection } from '../rejection.js';
import type { Verdict } from '../room/admission/judgement.js';
import type { Room } from '../room/room.js';
import { decidedFact, decidedIn, movedTo } from '../room/state/decided.js';
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
  readonly log: Pick<NodeLog, 'begin'>;
  /** Has begun the rooms of this server. */
  readonly signer: Signer;
  readonly authority?: Authority | undefined;
  /** Who asks. */
  readonly by: string;
  /** Runs something while nobody is in the room. */
  readonly vacate: <T>(
    id: RoomId,
    refuse: (why: string) => Rejection,
    act: (open: () => Promise<Room>) => Promise<T>,
  ) => Promise<T>;
}

export interface Imported {
  readonly about: About;
  /** What the room resolves to now. */
  readonly canonicalHash: string;
  readonly nodes: number;
  readonly blobs: number;
}

/** Facts that say who may enter. */
const ENTRY = ['\0lock', '\0revoked/'];

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
  if (rebuilt.state.room !== room.genesis.id && isNamesake(target, rebuilt)) return beginWith(target, source, rebuilt);
  const isOwn = rebuilt.state.room === room.genesis.id;
  // What is relayed to members is whole.
  if (!rebuilt.hasHeaders && (!isOwn || mayEnterAlike(room, rebuilt))) return restoreInto(target, source, rebuilt);
  return target.vacate(room.id, untaken, async (open) => {
    const alone = await open();
    return restoreInto({ ...target, room: alone }, source, rebuilt).finally(() => alone.rest());
  });
}

async function restoreInto(target: Target, source: ArchiveSource, rebuilt: Rebuilt): Promise<Imported> {
  const { room } = target;
  const { about } = source;
  const { pack, geneses, state } = rebuilt;
  const how = { geneses, isOwn: state.room === room.genesis.id };
  expectTaken(room, await room.restore(pack, how));
  const blobs = await storeBlobs(target, source);
  const verdict = await room.restore(pack, how, (view) => {
    checkTimeline(view.policies, about);
    if (how.isOwn) return { before: [], behind: [] };
    const { graph, values } = state;
    const decided = decidedIn(values.registers);
    const last: Framing['last'] = (placeOf) =>
      decidedFact(
        view,
        movedTo(view.seq, decided, (position) => placeOf(graph.idOf(position))),
      );
    return { ...framingOf(target, about, rebuilt, view.seq <= 1), last };
  });
  expectTaken(room, verdict);
  return { about, canonicalHash: room.stateHash, nodes: verdict.accepted, blobs };
}

/** Whether this server began the archive's room under this name, or its roots have since let this server speak for it. */
function isNamesake({ room, signer, authority }: Target, { constitution, founder, state }: Rebuilt): boolean {
  if (constitution.roomId !== room.id) return false;
  return founder === signer.publicKey || authority?.speakerIn(state.room, state.speakers.reign) !== undefined;
}

/** Who may be in a room, by its facts: when that changes, whoever is there has to come again before he hears more. */
function mayEnterAlike(room: Room, { state }: Rebuilt): boolean {
  const { registers } = state.values;
  return ENTRY.every((prefix) => {
    const theirs = [...registers.live(prefix)].map(([key]) => [key, registers.get(key)]);
    return JSON.stringify(theirs.sort()) === JSON.stringify([...room.entries(prefix)].sort());
  });
}

/** Brings a child room back: its genesis stands behind what it has of its parent, so the log begins with all of it. [AR9] */
async function beginWith(target: Target, source: ArchiveSource, rebuilt: Rebuilt): Promise<Imported> {
  const { room, log, vacate } = target;
  const { constitution, state, survey } = rebuilt;
  const { parent_room_id, parent_checkpoint } = constitution.lineage ?? {};
  if (room.seq > 0) throw untaken(`another room is called ${room.id} by now: import it under another name`);
  const at = state.graph.find(state.room);
  if (at !== (parent_checkpoint?.canonical_seq ?? 0))
    throw refused('manifest_invalid', 'the genesis does not stand where its lineage says');
  const blobs = await storeBlobs(target, source);
  const isRevoked = (key: string): boolean => state.speakers.isRevokedSigner(key);
  const records = await rebuilt.records(speakerOf(target, state.room, state.speakers.reign, isRevoked));
  const origin = parent_room_id === undefined ? undefined : { room: parent_room_id as RoomId, at };
  if (!(await vacate(room.id, untaken, () => log.begin(room.id, records, origin))))
    throw untaken(`room ${room.id} has come into being meanwhile, or is in use on another host`);
  return { about: source.about, canonicalHash: survey.stateHash, nodes: survey.seq, blobs };
}

function untaken(why: string): Rejection {
  return refused('policy_timeline_mismatch', why);
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
