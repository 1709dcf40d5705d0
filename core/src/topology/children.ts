/**
 * Child rooms: each begins with all that its parent held at one moment, and goes its own way from there. [TP1]
 *
 * What they share is stored once. A child's genesis says where it comes from and is the parent authority's word for the
 * nodes that came along; the parent's own facts, who may enter and write, are written anew, because system keys count only
 * in the room that they were written for.
 */
import { fromHex } from '../codec/bytes.js';
import { Identity } from '../codec/identity.js';
import { compareIdWords } from '../codec/id-index.js';
import { NODE_BOUNDS } from '../codec/canonical-node.js';
import { identify } from '../codec/node-id.js';
import { NONE, outside } from '../codec/node-table.js';
import { KINDS } from '../codec/op-kinds.js';
import { writePack } from '../codec/pack.js';
import { rangeOf } from '../codec/places.js';
import { DIGEST_WORDS } from '../codec/sha256/words.js';
import { encodeValue } from '../codec/msgpack.js';
import { type NodeId, wordsOf } from '../graph/node.js';
import type { RoomId } from '../graph/room-id.js';
import { sealMessage } from '../graph/seal.js';
import type { Signer } from '../ports/crypto.js';
import type { NodeLog, Segment } from '../ports/store.js';
import { Rejection } from '../rejection.js';
import { type Lineage, genesisId, makeGenesis } from '../room/genesis.js';
import { readConstitution } from '../room/opening.js';
import type { Room } from '../room/room.js';

export const PROMOTION_POLICIES = ['reference-only', 'promotion-based'];

/** What a child takes over of what its parent's authority has written about it. */
const INHERITED = ['\0lock', '\0policy', '\0revoked/'];

export interface ChildParts {
  readonly log: NodeLog;
  readonly signer: Signer;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface ChildRequest {
  readonly id: RoomId;
  readonly purpose: string;
  readonly promotionPolicy: string;
  readonly createdBy: string;
  /** What the parent must be. */
  readonly checkpoint: { readonly canonicalHash: string; readonly frontier: readonly string[] };
}

/** Begins a child of the room as it is now; answers its lineage. */
export async function createChild(parent: Room, request: ChildRequest, parts: ChildParts): Promise<Lineage> {
  const { log, signer, now } = parts;
  const constitution = await readConstitution(log, parent.id);
  if (!constitution) throw rejected('lineage_parent_not_found', `room ${parent.id} does not exist`);
  if ((await log.head(request.id)) > 0) throw exists(request.id);
  let lineage: Lineage | undefined;
  const isNew = await parent.fork(request.id, async ({ seq, stateHash, frontier }) => {
    checkCheckpoint(parent, stateHash, request.checkpoint);
    lineage = {
      parent_room_id: parent.id,
      parent_genesis: parent.genesis.id,
      parent_checkpoint: { seq, canonical_hash: stateHash, frontier: [...frontier] },
      child_purpose: request.purpose,
      promotion_policy_id: request.promotionPolicy,
      created_by: request.createdBy,
      created_at: now,
      adopted: [parent.genesis.id, ...(constitution.lineage?.adopted ?? [])],
    };
    const facts = INHERITED.flatMap((prefix) => [...parent.entries(prefix)]);
    return firstRecord(request.id, constitution.authorities, lineage, facts, signer);
  });
  if (!isNew || !lineage) throw exists(request.id);
  return lineage;
}

function checkCheckpoint(
  parent: Room,
  stateHash: string,
  { canonicalHash, frontier }: ChildRequest['checkpoint'],
): void {
  const unknown = parent.nodes.lacks(frontier as readonly NodeId[]);
  if (stateHash === canonicalHash && unknown.length === 0) return;
  const why = stateHash === canonicalHash ? `it has no node ${unknown[0]}` : `its canonical hash is ${stateHash}`;
  throw rejected('lineage_parent_checkpoint_mismatch', `room ${parent.id} is not at that checkpoint: ${why}`);
}

/** The genesis, and a node with what is taken over of the parent's facts, if there is anything. */
async function firstRecord(
  id: RoomId,
  authorities: readonly string[],
  lineage: Lineage,
  facts: readonly (readonly [key: string, value: unknown])[],
  signer: Signer,
): Promise<Segment> {
  const genesis = await makeGenesis(id, signer, new Set([...authorities, signer.publicKey]), lineage);
  const { table, signature } = genesis;
  const seals = [{ index: 0, signature }];
  if (facts.length > 0) {
    for (const [key, value] of facts) {
      table.content.bytes(encodeValue(value));
      table.addOp(KINDS.set, table.keys.number(key), NONE, 0, 0);
    }
    // On the genesis and the parent's heads, as far as a node takes them.
    const heads = lineage.parent_checkpoint.frontier.slice(0, NODE_BOUNDS.parents - 1);
    const refs = heads.map((head) => outside(table.outsideNumber(wordsOf(head as NodeId), 0)));
    const idOf = (ref: number) => [table.idColumn(ref).values, table.idAt(ref)] as const;
    for (const ref of [0, ...refs].sort((a, b) => compareIdWords(...idOf(a), ...idOf(b)))) table.parents.push(ref);
    const identity = new Identity(fromHex(genesisId(genesis)), fromHex(signer.publicKey));
    table.close(table.identities.number(identity), NONE, 0);
    identify(table);
    seals.push({ index: 1, signature: await signer.sign(sealMessage(table, 1)) });
  }
  return { count: table.size, pack: writePack(table, rangeOf(0, table.size), seals) };
}

/** Of a room that need not be open; undefined for one that is nobody's child. */
export async function lineageOf(log: NodeLog, id: RoomId): Promise<Lineage | undefined> {
  const constitution = await readConstitution(log, id);
  if (!constitution) throw rejected('room_not_found', `room ${id} does not exist`);
  return constitution.lineage;
}

/** The room's own lineage, its parent's, and so on. */
export async function ancestorsOf(log: NodeLog, id: RoomId): Promise<Lineage[]> {
  const ancestors: Lineage[] = [];
  for (let next: RoomId | undefined = id; next !== undefined;) {
    const lineage: Lineage | undefined = (await readConstitution(log, next))?.lineage;
    if (lineage) ancestors.push(lineage);
    next = lineage?.parent_room_id as RoomId | undefined;
  }
  return ancestors;
}

/** Oldest first. */
export async function childrenOf(
  log: NodeLog,
  id: RoomId,
): Promise<{ readonly id: RoomId; readonly lineage: Lineage }[]> {
  if ((await log.head(id)) === 0) throw rejected('room_not_found', `room ${id} does not exist`);
  const children: { id: RoomId; lineage: Lineage }[] = [];
  for await (const child of log.forks(id)) {
    const lineage = await lineageOf(log, child);
    if (lineage) children.push({ id: child, lineage });
  }
  return children.sort((a, b) => a.lineage.created_at - b.lineage.created_at);
}

function exists(id: RoomId): Rejection {
  return rejected('lineage_child_already_exists', `room ${id} exists already`);
}

export function rejected(name: string, message: string): Rejection {
  const reason = `reject.${name}`;
  return new Rejection(reason, `${reason}: ${message}`);
}
