/**
 * Child rooms: each begins with all that its parent held at one moment, and goes its own way from there. [TP1]
 *
 * What they share is stored once. A child's genesis says where it comes from and is the parent authority's word for the
 * nodes that came along; the parent's own facts, who may enter and write, are written anew, because system keys count only
 * in the room that they were written for.
 */
import { compareIds } from '../codec/nodes/compared-ids.js';
import { type Authority, soleAuthority } from '../access/authority.js';
import { ALL_ROOMS, MANDATE_BYTES, readMandate } from '../access/mandate.js';
import { z } from 'zod';
import { fromHex } from '../codec/bytes/bytes.js';
import { isWellFormed } from '../codec/bytes/well-formed.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { NODE_BOUNDS } from '../codec/nodes/canonical-node.js';
import { Identity } from '../codec/nodes/identity.js';
import { identify } from '../codec/nodes/node-id.js';
import { NONE, type NodeTable, outside } from '../codec/nodes/node-table.js';
import { OP_SET, OP_SET_BLOB } from '../codec/nodes/op-kinds.js';
import { rangeOf } from '../codec/nodes/places.js';
import { writePack } from '../codec/packs/pack.js';
import { BlobRef } from '../crdt/registers.js';
import { type NodeId, wordsOf } from '../graph/node.js';
import { type RoomId, isReserved, parseRoomId } from '../codec/bytes/room-id.js';
import { sealMessage } from '../graph/seal.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { Clock } from '../ports/clock.js';
import type { Signer } from '../ports/crypto.js';
import type { NodeLog, Segment } from '../ports/store.js';
import { Rejection } from '../rejection.js';
import { genesisIn, lastDeletion, readConstitution } from '../room/keeping/opening.js';
import type { Room } from '../room/room.js';
import { DECIDED_KEY } from '../room/state/decided.js';
import { ADOPTED, type Lineage, type Origins, QUERY_KEYS, genesisId, makeGenesis } from '../room/state/genesis.js';
import { PRUNED_KEY } from '../room/state/given-up.js';
import { DELEGATE_REVOKED, SIGNER_REVOKED, SUBJECT_REVOKED } from '../room/state/key-facts.js';
import { firstReign } from '../access/reign.js';
import { NO_RECOVERY } from '../access/succession.js';
import { expectSpeaker, introducing } from '../room/state/speaker-of.js';
import type { Write } from '../room/state/write.js';
import { INHERITED_BLOBS, listBlobs } from './inherited-blobs.js';

const POLICIES = ['reference-only', 'promotion-based'];
/** What a child takes over of what its parent's authority has written about it. */
const INHERITED = [
  '\0lock',
  '\0policy',
  '\0revoked/',
  '\0tick/mark',
  DECIDED_KEY,
  PRUNED_KEY,
  SIGNER_REVOKED,
  DELEGATE_REVOKED,
  SUBJECT_REVOKED,
];

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/i)
  .toLowerCase();
const Text = z.string().min(1).max(1024).refine(isWellFormed);
/** All nodes before a log position. */
const SEQ = /^seq:(0|[1-9]\d{0,15})$/;
const Checkpoint = z.object({ canonical_hash: Hash, frontier: z.array(Hash.or(z.string().regex(SEQ))).min(1) });

/** Request for a child room, unread: each fault has its own class. */
export interface ChildRequest {
  readonly id: unknown;
  readonly purpose: unknown;
  readonly promotionPolicy: unknown;
  readonly createdBy: string;
  /** What the parent must be. */
  readonly checkpoint: unknown;
  /** What the child says in place of what its parent does: a value that is undefined is said to be none. */
  readonly facts?: readonly Write[];
}

export interface ChildrenParts {
  readonly room: Room;
  readonly log: NodeLog;
  readonly blobs: BlobStore;
  readonly signer: Signer;
  readonly authority?: Authority | undefined;
  readonly clock: Clock;
  /** Log position at which a checkpoint was told; undefined for one that never was. */
  readonly told: (hash: string) => Promise<number | undefined>;
  /** Runs something while nobody is in a room of that name here; rejects where somebody has to stay. */
  readonly vacate: (id: RoomId, refuse: (why: string) => Rejection, act: () => Promise<boolean>) => Promise<boolean>;
}

export interface Child {
  readonly id: RoomId;
  readonly lineage: Lineage;
}

type Fact = readonly [key: string, value: unknown];

/** Children of one room. */
export class Children {
  readonly #parts: ChildrenParts;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
  }

  /** Begins a child of the room as it is now. */
  async create(request: ChildRequest): Promise<Child> {
    const { room, log, blobs, clock, vacate } = this.#parts;
    const authority = this.#parts.authority ?? soleAuthority(this.#parts.signer);
    const { id, checkpoint, ...about } = readRequest(request);
    const told = await this.#parts.told(checkpoint.canonical_hash);
    const { constitution } = room;
    if (room.seq === 0) throw rejected('lineage_parent_not_found', `room ${room.id} does not exist`);
    if ((await log.head(id)) > 0) throw exists(`room ${id} exists already`);
    return room.fork(async ({ seq, stateHash, frontier }, put) => {
      this.#check(stateHash, checkpoint, told);
      const lineage: Lineage = {
        parent_room_id: room.id,
        parent_genesis: room.genesis.id,
        parent_checkpoint: { selector: 'seq', canonical_seq: seq, canonical_hash: stateHash, frontier: [...frontier] },
        ...about,
        created_at_hlc: clock.now(),
        adopted: [room.genesis.id, ...(constitution.lineage?.adopted ?? []), ...takenIn(room)],
      };
      const authorities = new Set([...room.reign.roots, ...authority.roots]);
      const own = new Map(request.facts?.map(({ key, value }) => [key, value]));
      const inherited = INHERITED.flatMap((prefix) => [...room.entries(prefix)]).filter(
        ([key, value]) => !own.has(key) && !isOfOneRoom(value) && isSaidThere(key, value, authorities),
      );
      const facts: Fact[] = [...inherited, ...[...own].filter(([, value]) => value !== undefined)];
      const list = await listBlobs(room.id, blobs);
      if (list) facts.push([INHERITED_BLOBS, list]);
      const { founding } = authority;
      const { recovery } = room.reign;
      const heir = recovery === NO_RECOVERY ? authority.recovery : recovery;
      const origins = { authorities, founding, lineage, recovery: heir, after: await lastDeletion(log, id) };
      const record = await firstRecord(id, origins, facts, authority);
      const isNew = await vacate(id, exists, () => put(id, record));
      if (isNew) return { id, lineage };
      throw exists(`room ${id} ${(await log.head(id)) > 0 ? 'exists already' : 'is in use on another host'}`);
    });
  }

  /** A checkpoint that a build has told is still one: what was written since is about queries. */
  #check(stateHash: string, { canonical_hash: wanted, frontier }: z.output<typeof Checkpoint>, told?: number): void {
    const { room } = this.#parts;
    const unknown = frontier.find((head) => {
      const position = SEQ.exec(head)?.[1];
      return position === undefined ? room.nodes.lacks([head as NodeId]).length > 0 : Number(position) > room.seq;
    });
    const isSame =
      stateHash === wanted ||
      (told !== undefined && !room.written.hasWritten(told, (key) => !key.startsWith(QUERY_KEYS)));
    if (isSame && unknown === undefined) return;
    const why = isSame ? `it does not hold ${unknown}` : `its canonical hash is ${stateHash}`;
    throw rejected('lineage_parent_checkpoint_mismatch', `room ${room.id} is not at that checkpoint: ${why}`);
  }

  /** Oldest first. */
  async list(): Promise<Child[]> {
    const { room, log } = this.#parts;
    this.#expectRoom();
    const children: Child[] = [];
    for await (const id of log.forks(room.id)) {
      const lineage = (await readConstitution(log, id))?.lineage;
      // Those of a room that was deleted, and had the same name, are not its own.
      if (lineage?.parent_genesis === room.genesis.id) children.push({ id, lineage });
    }
    return children.sort((a, b) => a.lineage.created_at_hlc - b.lineage.created_at_hlc);
  }

  /** Ancestors of the room: its own lineage, its parent's, and so on. None for nobody's child. */
  async ancestors(): Promise<Lineage[]> {
    const ancestors: Lineage[] = [];
    this.#expectRoom();
    for (let { lineage } = this.#parts.room.constitution; lineage;) {
      ancestors.push(lineage);
      const { log } = this.#parts;
      const parent = lineage.parent_room_id as RoomId;
      const isThere = (await genesisIn(log, parent)) === lineage.parent_genesis;
      lineage = isThere ? (await readConstitution(log, parent))?.lineage : undefined;
    }
    return ancestors;
  }

  #expectRoom(): void {
    const { room } = this.#parts;
    if (room.seq === 0) throw rejected('room_not_found', `room ${room.id} does not exist`);
  }
}

/** Whether a value is a mandate for the parent alone. */
function isOfOneRoom(value: unknown): boolean {
  return value instanceof Uint8Array && value.length === MANDATE_BYTES && readMandate(value).scope !== ALL_ROOMS;
}

/** Whether a revocation of a signer counts under these roots: what others have certified does not speak there anyway. */
function isSaidThere(key: string, value: unknown, roots: ReadonlySet<string>): boolean {
  if (!key.startsWith(SIGNER_REVOKED)) return true;
  return value instanceof Uint8Array && value.length === MANDATE_BYTES && roots.has(readMandate(value).giver);
}

/** Rooms whose nodes the room has beside its own and those it began with, by their geneses. */
function takenIn(room: Room): string[] {
  return [...room.entries(ADOPTED)].map(([key]) => key.slice(ADOPTED.length));
}

function readRequest({ id, purpose, promotionPolicy, createdBy, checkpoint }: ChildRequest) {
  const invalid = (what: string): Rejection => rejected('lineage_invalid_checkpoint', what);
  const name = Text.safeParse(id);
  if (!name.success) throw invalid('child_room_id is a text of 1 to 1,024 characters');
  const room = parseRoomId(name.data);
  if (!room || isReserved(room)) throw invalid('child_room_id is not the name of a room');
  const why = Text.safeParse(purpose);
  if (!why.success) throw invalid('child_purpose is a text of 1 to 1,024 characters');
  if (typeof promotionPolicy !== 'string' || !POLICIES.includes(promotionPolicy))
    throw rejected('lineage_policy_unknown', `promotion_policy_id is one of ${POLICIES.join(', ')}`);
  const parsed = Checkpoint.safeParse(checkpoint);
  if (!parsed.success) throw invalid('parent_checkpoint is {canonical_hash, frontier}, with at least one head');
  const about = { child_purpose: why.data, promotion_policy_id: promotionPolicy, created_by: createdBy };
  return { id: room, checkpoint: parsed.data, ...about };
}

/** The genesis, and a node with what is taken over of the parent's facts, if there is anything. */
async function firstRecord(
  id: RoomId,
  origins: Origins & { readonly lineage: Lineage },
  facts: readonly Fact[],
  authority: Authority,
): Promise<Segment> {
  const genesis = await makeGenesis(id, authority.founder, origins);
  const { table, signature } = genesis;
  const seals = [{ index: 0, signature }];
  // The genesis is the word of an authority for all that comes along, whoever signs it.
  const reign = firstReign(new Set(origins.authorities), origins.recovery);
  const isRevoked = (key: string): boolean => facts.some(([name]) => name === SIGNER_REVOKED + key);
  const speaker = expectSpeaker({ signer: authority.founder, authority }, genesisId(genesis), reign, isRevoked);
  if (facts.length > 0) {
    const introduction = introducing(speaker).map(({ key, value }): Fact => [key, value]);
    const identity = table.identities.number(new Identity(fromHex(genesisId(genesis)), fromHex(speaker.publicKey)));
    // On the genesis and the parent's heads, as far as a node takes them.
    const heads = origins.lineage.parent_checkpoint.frontier.slice(0, NODE_BOUNDS.parents - 1);
    const refs = heads.map((head) => outside(table.outsideNumber(wordsOf(head as NodeId), 0)));
    const below = [0, ...refs].sort((a, b) => compareIds(table, a, b));
    const nodes: (readonly Fact[])[] = introduction.length > 0 ? [introduction, facts] : [facts];
    let prev = NONE;
    for (const said of nodes) prev = addFacts(table, said, { identity, prev, parents: prev === NONE ? below : [] });
    seals.push({ index: prev, signature: await speaker.sign(sealMessage(table, prev)) });
  }
  return { count: table.size, pack: writePack(table, rangeOf(0, table.size), seals) };
}

/** Adds a node that sets registers; answers its place. */
function addFacts(
  table: NodeTable,
  facts: readonly Fact[],
  {
    identity,
    prev,
    parents,
  }: { readonly identity: number; readonly prev: number; readonly parents: readonly number[] },
): number {
  for (const [key, value] of facts) {
    const isBlob = value instanceof BlobRef;
    table.content.bytes(isBlob ? fromHex(value.hash) : encodeValue(value));
    table.addOp(isBlob ? OP_SET_BLOB : OP_SET, table.keys.number(key), NONE, 0, 0);
  }
  for (const parent of parents) table.parents.push(parent);
  const place = table.close(identity, prev, 0);
  identify(table);
  return place;
}

function exists(why: string): Rejection {
  return rejected('lineage_child_already_exists', why);
}

function rejected(name: string, message: string): Rejection {
  const reason = `reject.${name}`;
  return new Rejection(reason, `${reason}: ${message}`);
}
