/**
 * Merging a child back: proposed, validated, applied. [TP4]
 *
 * Each proposal is a fact of the parent's log and says how far it has come. What is merged are the child's own nodes up to
 * what it was when it was proposed, as their authors have signed them; the parent's policy judges them like any others. With
 * them comes a record of who promoted what. System keys among them count for nothing in the parent.
 */
import { z } from 'zod';
import { Globs } from '../access/glob.js';
import { type BlobHash, parseBlobHash } from '../codec/bytes/blob-hash.js';
import { concatBytes, equalBytes, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { isWellFormed } from '../codec/bytes/well-formed.js';
import { sha256 } from '../codec/bytes/hash.js';
import type { OpenPack } from '../codec/packs/pack.js';
import { BlobRef } from '../crdt/registers.js';
import type { WinningWrite } from '../crdt/winners.js';
import type { NodeId } from '../graph/node.js';
import { type RoomId, isRoomName } from '../codec/bytes/room-id.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { NodeLog } from '../ports/store.js';
import { type Telemetry, observed, stopwatch } from '../ports/telemetry.js';
import { Rejection, whereDeleted } from '../rejection.js';
import type { RefusedNode } from '../room/admission/judgement.js';
import { genesisIn, readConstitution } from '../room/keeping/opening.js';
import type { DocumentView } from '../room/reading/document-view.js';
import type { Room } from '../room/room.js';
import { ADOPTED } from '../room/state/genesis.js';
import type { HeldWrite, Write } from '../room/state/write.js';
import type { RoomView } from '../room/writing/decision.js';
import { beginsWith, sharedBeginning } from './cuts.js';
import { type Base, type Exchange, changedSince } from './merge-base.js';
import { newestSeals } from './newest-seals.js';

const PROPOSALS = '\0promotion/';
const AUDIT = '_topology/promotion/';
const GLOB = 'glob:';
/** Most seals that are kept with a proposal: those of older chains are in segments that end before it does. */
const MOST_SEALS = 8192;
/** Most heads that are kept with a proposal: of more, its hash says what the child was. */
const MOST_HEADS = 256;
/** Bytes of a node of registers that are written anew. */
const PIECE_BYTES = 256 * 1024;
const HASH_BYTES = 32;
/** How many keys an error names. */
const NAMED = 5;

const Proposal = z.object({
  proposal_id: z.string(),
  child_room_id: z.string(),
  /** Id of the child's genesis: another room may be called like it one day. Absent in proposals of before. */
  child_genesis: z.string().optional(),
  child_checkpoint_hash: z.string(),
  /** The child's log at that checkpoint, and where it began. */
  child_seq: z.number(),
  child_from: z.number(),
  /** The child's heads there. Absent where they are too many, and in proposals of before. */
  child_heads: z.array(z.string()).optional(),
  /** What closes its nodes there, by position: the child may merge it away while it goes on. Until it is applied. */
  child_seals: z.array(z.tuple([z.number(), z.custom<Uint8Array>((value) => value instanceof Uint8Array)])).optional(),
  payload_ref: z.string(),
  on_conflict: z.enum(['reject', 'merge']),
  proposal_digest: z.string(),
  by: z.string(),
  state: z.enum(['proposed', 'validated', 'applied']),
  validation_digest: z.string().optional(),
  /** The parent's log when it was validated. */
  parent_seq: z.number().optional(),
});
export type Proposal = z.output<typeof Proposal>;

const Text = z.string().min(1).refine(isWellFormed);

const Wanted = z.object({
  child_room_id: z.string().refine(isRoomName),
  child_checkpoint_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .toLowerCase(),
  payload_ref: Text.max(4096),
  idempotency_key: Text.max(256).optional(),
  on_conflict: z.enum(['reject', 'merge']).default('reject'),
});

export interface PromotionsParts {
  readonly room: Room;
  readonly log: NodeLog;
  readonly blobs: BlobStore;
  readonly telemetry: Telemetry;
  /** Runs something with another room open. */
  readonly withRoom: <T>(id: RoomId, act: (room: Room) => Promise<T>) => Promise<T>;
}

/** Proposer, and the rooms that are open to it: `mayVisit` rejects for any other. */
export interface Proposer {
  readonly name: string;
  readonly mayVisit: (id: RoomId) => Promise<void>;
}

export interface Applied {
  readonly proposal: Proposal;
  readonly canonicalHash: string;
  readonly auditKey: string;
}

type Payload = {
  /** Keys that the child has changed since they were exchanged, each with where that was. */
  readonly keys: ReadonlyMap<string, Base>;
  /** Those that it names. */
  readonly blobs: ReadonlySet<BlobHash>;
  /** Rooms whose nodes the child has had of its own. */
  readonly geneses: ReadonlySet<NodeId>;
  /** The child's registers as they were. */
  readonly registers: Pick<DocumentView, 'winningWrite'>;
} & ({ readonly nodes: OpenPack } | { readonly writes: readonly HeldWrite[] });

/** What becomes of a key when a promotion is applied. */
export interface Outcome {
  readonly key: string;
  /** Both have changed it since it was exchanged last. */
  readonly isConflict: boolean;
  /** Whose value stands; texts and lists of which both have changed something are merged. */
  readonly stands: 'child' | 'parent' | 'merged';
}

/** Into one room. */
export class Promotions {
  readonly #parts: PromotionsParts;

  constructor(parts: PromotionsParts) {
    this.#parts = parts;
  }

  has(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  /** What is merged can be read in the parent: so it is proposed by whoever may be in the child too. */
  propose(request: unknown, proposer: Proposer): Promise<Proposal> {
    return this.#step('propose', () => this.#propose(request, proposer));
  }

  async #propose(request: unknown, { name: by, mayVisit }: Proposer): Promise<Proposal> {
    const { room, log } = this.#parts;
    const parsed = Wanted.safeParse(request);
    if (!parsed.success)
      throw rejected('invalid_lineage', `${parsed.error.issues[0]?.path.join('.') ?? ''} is missing or malformed`);
    const { idempotency_key: key, ...wanted } = parsed.data;
    const digest = digestOf(room.id, wanted.child_room_id, wanted.child_checkpoint_hash, wanted.payload_ref, key ?? '');
    const id = key ?? digest;
    const known = this.#find(id);
    const child = wanted.child_room_id as RoomId;
    const genesis = await genesisIn(log, child);
    if (known) return sameAs(known, { ...wanted, child_genesis: genesis }, key !== undefined);
    const lineage = (await readConstitution(log, child))?.lineage;
    if (lineage?.parent_genesis !== room.genesis.id)
      throw rejected('invalid_lineage', `${child} is no child of ${room.id}`);
    if (lineage.promotion_policy_id !== 'promotion-based')
      throw rejected('policy_denied', `the promotion policy of ${child} is ${lineage.promotion_policy_id}`);
    await mayVisit(child);
    const from = lineage.parent_checkpoint.canonical_seq;
    const cut = await this.#inChild(child, (opened) =>
      Promise.resolve({
        seq: opened.seq,
        hash: opened.stateHash,
        heads: opened.heads.frontier,
        seals: newestSeals(opened.packed.closing(from), MOST_SEALS),
      }),
    );
    if (cut.hash !== wanted.child_checkpoint_hash)
      throw rejected('child_checkpoint_mismatch', `the canonical hash of ${child} is ${cut.hash}`);
    const proposal: Proposal = {
      ...wanted,
      ...(genesis === undefined ? {} : { child_genesis: genesis }),
      proposal_id: id,
      proposal_digest: digest,
      by,
      state: 'proposed',
      child_seq: cut.seq,
      child_from: from,
      ...(cut.heads.length > MOST_HEADS ? {} : { child_heads: [...cut.heads] }),
      child_seals: cut.seals,
    };
    const { result } = await room.transact((view) => {
      const stored = Proposal.safeParse(view.get(PROPOSALS + id)).data;
      return stored ? { writes: [], result: stored } : { writes: [factOf(proposal)], result: undefined };
    });
    return result ? sameAs(result, proposal, key !== undefined) : proposal;
  }

  /** Tries the merge: keys changed on both sides, and what the parent's policy says. */
  validate(id: string): Promise<Proposal> {
    return this.#step('validate', () => this.#validate(id));
  }

  async #validate(id: string): Promise<Proposal> {
    const { room } = this.#parts;
    const proposal = this.#get(id);
    if (proposal.state === 'applied') return proposal;
    const payload = await this.#payload(proposal);
    const seq = room.seq;
    if (proposal.on_conflict === 'reject') expectNone(this.#changedToo(payload), 'apply_conflict');
    const [refused] = 'nodes' in payload ? await room.adopt(payload.nodes, payload.geneses) : [];
    if (refused) throw denied(refused);
    const validated: Proposal = {
      ...proposal,
      state: 'validated',
      parent_seq: seq,
      validation_digest: digestOf('validate', id, proposal.proposal_digest, room.stateHash),
    };
    await room.transact((view) => {
      const { data } = Proposal.safeParse(view.get(PROPOSALS + id));
      return { writes: data?.state === 'applied' ? [] : [factOf(validated)], result: undefined };
    });
    return this.#get(id);
  }

  /** What applying a proposal would do now, key by key, in key order. Changes nothing. */
  async preview(id: string): Promise<readonly Outcome[]> {
    const proposal = this.#get(id);
    if (proposal.state === 'applied') return [];
    const payload = await this.#payload(proposal);
    const both = new Set(this.#changedToo(payload));
    return [...payload.keys]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, base]) => ({
        key,
        isConflict: both.has(key),
        stands: !both.has(key) || 'writes' in payload ? 'child' : this.#standing(key, base, payload),
      }));
  }

  /** Whose write of a key stands that both have changed, when both are merged. */
  #standing(key: string, base: Base, { registers }: Payload): Outcome['stands'] {
    const [theirs, ours] = [registers.winningWrite(key), this.#parts.room.past.present.winningWrite(key)];
    const child = theirs && theirs.node >= base.child ? theirs : undefined;
    const parent = ours && ours.node >= base.parent ? ours : undefined;
    if (child && parent) return isGreater(child, parent) ? 'child' : 'parent';
    if (child) return 'child';
    return parent ? 'parent' : 'merged';
  }

  /** Applies a proposal in one commit, or not at all; asked again, it answers the same. */
  apply(id: string): Promise<Applied> {
    return this.#step('apply', () => this.#apply(id));
  }

  async #apply(id: string): Promise<Applied> {
    const { room } = this.#parts;
    const proposal = this.#get(id);
    if (proposal.state === 'proposed') throw rejected('not_validated', `proposal ${id} was not validated`);
    if (proposal.state === 'validated') await this.#merge(proposal);
    return { proposal: this.#get(id), canonicalHash: room.stateHash, auditKey: AUDIT + id };
  }

  #step<T>(stage: string, task: () => Promise<T>): Promise<T> {
    const { telemetry } = this.#parts;
    const stop = stopwatch(telemetry, 'topology_promotion_seconds', stage);
    telemetry.record('topology_promotion_inflight', 1);
    return observed(task, (outcome) => {
      stop();
      telemetry.record('topology_promotion_inflight', -1);
      telemetry.record('topology_promotion_total', 1, stage, outcome);
    });
  }

  async #merge(proposal: Proposal): Promise<void> {
    const { room } = this.#parts;
    const { proposal_id: id, parent_seq: validated = 0 } = proposal;
    const payload = await this.#payload(proposal);
    await this.#takeBlobs(proposal, payload);
    const { state: _, child_seals: __, ...kept } = proposal;
    const { child_heads: ___, ...audit } = kept;
    const last = (view: RoomView): Write[] => {
      if (Proposal.parse(view.get(PROPOSALS + id)).state === 'applied') throw new AlreadyApplied();
      const { keys, geneses } = payload;
      const touched = room.written.lastTouches(keys, [validated, view.seq], geneses);
      expectNone([...touched.keys()], 'stale_parent');
      return [factOf({ ...kept, state: 'applied' }), { key: AUDIT + id, value: audit }];
    };
    try {
      if ('writes' in payload) {
        await room.transact((view) => ({ writes: [...payload.writes, ...last(view)], result: undefined }));
        return;
      }
      const { nodes, geneses } = payload;
      const [refused] = await room.adopt(nodes, geneses, (view) => ({
        before: wordFor(geneses, view, id),
        behind: [...this.#restated(payload), last(view)],
      }));
      if (refused) throw denied(refused);
    } catch (error) {
      if (!(error instanceof AlreadyApplied)) throw error;
    }
  }

  /** Links blobs before the nodes that name them come: were the process to end in between, the parent would have some that nothing names. */
  async #takeBlobs({ child_room_id: child }: Proposal, { blobs: named }: Payload): Promise<void> {
    const { room, blobs } = this.#parts;
    for (const hash of named) if (await blobs.isLinked(child as RoomId, hash)) await blobs.link(room.id, hash);
  }

  /**
   * Keys of a payload that the parent has changed too since they were exchanged, to something else. What was merged of the child is no change
   * of its own.
   */
  #changedToo({ keys, geneses, registers }: Payload): string[] {
    const { room } = this.#parts;
    const from = Math.min(room.seq, ...[...new Set(keys.values())].map(({ parent }) => parent));
    const touched = room.written.lastTouches(keys, [from, room.seq], geneses);
    return [...keys].flatMap(([key, base]) => {
      const at = touched.get(key) ?? -1;
      return at >= base.parent && !this.#isAlike(key, base, registers, at) ? key : [];
    });
  }

  /** Whether both have written a register, the parent as the last thing that it did to the key, and say the same: one was erased in both. */
  #isAlike(key: string, { child }: Base, registers: Payload['registers'], at: number): boolean {
    const [theirs, ours] = [registers.winningWrite(key), this.#parts.room.past.present.winningWrite(key)];
    if (!theirs || theirs.node < child || ours?.node !== at) return false;
    return isSame(theirs.held, ours.held);
  }

  /**
   * Registers that the child alone has changed since they were exchanged, though an older write of the parent's is the greater
   * one, of which the child never heard: the authority writes them anew behind the child's nodes, or their change would be lost.
   */
  #restated(payload: Payload): HeldWrite[][] {
    const { room } = this.#parts;
    const both = new Set(this.#changedToo(payload));
    const pieces: HeldWrite[][] = [];
    let bytes = PIECE_BYTES;
    for (const [key, base] of payload.keys) {
      const theirs = payload.registers.winningWrite(key);
      const ours = room.past.present.winningWrite(key);
      if (both.has(key) || !theirs || theirs.node < base.child || !ours || isGreater(theirs, ours)) continue;
      if (theirs.name === ours.name || isSame(theirs.held, ours.held)) continue;
      const size = key.length + (theirs.held instanceof Uint8Array ? theirs.held.length : HASH_BYTES);
      if (bytes + size > PIECE_BYTES) {
        pieces.push([]);
        bytes = 0;
      }
      bytes += size;
      pieces.at(-1)!.push({ key, held: theirs.held });
    }
    return pieces;
  }

  /**
   * The promotions of a child that were applied, in the order of the log, as far as it still is what was promoted: one that came back from
   * an archive of before has changed anew what it says now. Of another room that was called like it before, all were applied before this
   * child began.
   */
  #exchanges(child: Room, from: number): Exchange[] {
    const { room } = this.#parts;
    const applied = [...room.entries(PROPOSALS)].flatMap(([key, value]) => {
      const { data } = Proposal.safeParse(value);
      if (data?.state !== 'applied' || data.child_room_id !== child.id) return [];
      const parentSeq = room.past.present.winningWrite(key)!.node + 1;
      const { child_genesis: genesis } = data;
      if (genesis === undefined ? parentSeq <= from : genesis !== child.genesis.id) return [];
      if (!isStill(child, data)) return [];
      const glob = globOf(data.payload_ref);
      return { childSeq: data.child_seq, parentSeq, isOf: (name: string) => glob?.matches(name) ?? true };
    });
    return applied.sort((a, b) => a.parentSeq - b.parentSeq);
  }

  /** What the child has had of its own when it was proposed: its nodes, or registers that stand for some of them. */
  #payload({
    child_room_id: child,
    child_from: from,
    child_seq: to,
    payload_ref: ref,
    ...rest
  }: Proposal): Promise<Payload> {
    const seals = new Map(rest.child_seals);
    return this.#inChild(child as RoomId, async (opened) => {
      if ((rest.child_genesis ?? opened.genesis.id) !== opened.genesis.id || from !== startOf(opened))
        throw rejected('child_checkpoint_mismatch', `${child} is another room by now`);
      await expectStill(opened, { child_seq: to, ...rest });
      if (opened.hasHeadersIn(from, to))
        throw rejected('policy_denied', `${child} has given up nodes of its own, which cannot be promoted any more`);
      const fork = { child: from, parent: this.#shared(opened, from) };
      const keys = changedSince(opened.written, fork, to, this.#exchanges(opened, fork.parent));
      const adopted = [...opened.entries(ADOPTED)].map(([key]) => key.slice(ADOPTED.length) as NodeId);
      const geneses = new Set([opened.genesis.id, ...adopted]);
      const glob = globOf(ref);
      const named = glob && [...keys].filter(([key]) => glob.matches(key));
      if (named && named.length < keys.size) return squash(opened, from, to, new Map(named), geneses);
      const registers = await viewOf(opened, to);
      const blobs = opened.written.blobsNamed(from, to);
      return { keys, blobs, nodes: await opened.packed.copyOf(from, to, seals), geneses, registers };
    });
  }

  #inChild<T>(id: RoomId, act: (opened: Room) => Promise<T>): Promise<T> {
    return whereDeleted(this.#parts.withRoom(id, act), (why) => rejected('child_checkpoint_mismatch', why));
  }

  /** How far the parent is what the child began with: in all of it, but where it came back from an archive of before. */
  #shared(child: Room, from: number): number {
    const { room } = this.#parts;
    const { frontier = [] } = child.constitution.lineage?.parent_checkpoint ?? {};
    return beginsWith(room, from, frontier) ? from : sharedBeginning(room, child, from);
  }

  #find(id: string): Proposal | undefined {
    return Proposal.safeParse(this.#parts.room.get(PROPOSALS + id)).data;
  }

  #get(id: string): Proposal {
    const found = this.#find(id);
    if (found) return found;
    throw rejected('not_found', `no proposal is called ${id}`);
  }
}

/** The authority's word for other rooms. It stands before the nodes, because it is why a replica takes them. */
function wordFor(geneses: ReadonlySet<NodeId>, view: RoomView, id: string): Write[] {
  const unknown = [...geneses].filter((genesis) => view.get(ADOPTED + genesis) === undefined);
  return unknown.map((genesis) => ({ key: ADOPTED + genesis, value: id }));
}

class AlreadyApplied extends Error {}

function factOf(proposal: Proposal) {
  return { key: PROPOSALS + proposal.proposal_id, value: proposal };
}

type Identified = Pick<Proposal, 'child_room_id' | 'child_genesis' | 'payload_ref'>;

/** Where a child went its own way. */
function startOf({ constitution }: Room): number | undefined {
  return constitution.lineage?.parent_checkpoint.canonical_seq;
}

type Frozen = Pick<Proposal, 'child_seq' | 'child_heads' | 'child_checkpoint_hash'>;

/** Whether a child began as it was when it was proposed, as far as its heads tell. */
function isStill(child: Room, { child_seq: seq, child_heads: heads }: Omit<Frozen, 'child_checkpoint_hash'>): boolean {
  return heads === undefined ? seq <= child.seq : beginsWith(child, seq, heads);
}

/** A child that came back from an archive may be at the same position with something else, which nobody has looked at. */
async function expectStill(child: Room, frozen: Frozen): Promise<void> {
  const fail = (): never => {
    const why = `${child.id} is not what was proposed any more: propose it anew, with another idempotency_key`;
    throw rejected('child_checkpoint_mismatch', why);
  };
  if (!isStill(child, frozen)) return fail();
  if (frozen.child_heads !== undefined) return;
  const view = await viewOf(child, frozen.child_seq);
  await view.prepareHash();
  if (view.stateHash !== frozen.child_checkpoint_hash) fail();
}

/** A child as it was at a position of its log. */
async function viewOf(child: Room, seq: number): Promise<DocumentView> {
  if (child.seq === seq) return child.past.present;
  try {
    return await child.asOf(seq);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw rejected('child_checkpoint_mismatch', `${child.id} cannot be told as it was: ${error.message}`);
  }
}

/** A repeated proposal is the known one, if it is named the same, or nothing has become of that one yet. */
function sameAs(known: Proposal, wanted: Identified, isNamed: boolean): Proposal {
  const isOfIt = (known.child_genesis ?? wanted.child_genesis) === wanted.child_genesis;
  const isSame = isOfIt && known.child_room_id === wanted.child_room_id && known.payload_ref === wanted.payload_ref;
  if (isSame && (isNamed || known.state === 'proposed')) return known;
  throw rejected(
    'apply_conflict',
    `proposal ${known.proposal_id} is ${isSame ? known.state : 'another one'}; use another idempotency_key`,
  );
}

/** Some registers of a child, as its parent's authority writes them: nodes that also touch other keys stay behind. */
function squash(
  child: Room,
  from: number,
  to: number,
  keys: ReadonlyMap<string, Base>,
  geneses: ReadonlySet<NodeId>,
): Payload {
  if (child.seq !== to)
    throw rejected(
      'child_checkpoint_mismatch',
      `${child.id} has gone on: parts of what it was cannot be told any more`,
    );
  const writes = child.written.registersChanged(from, to, '').filter(({ key }) => keys.has(key));
  const [other] = [...keys.keys()].filter((key) => !writes.some((write) => write.key === key));
  if (other === undefined) {
    const blobs = writes.flatMap(({ held }) => (held instanceof BlobRef ? (parseBlobHash(held.hash) ?? []) : []));
    const held = writes.map(({ key, held }) => ({ key, held }));
    return { keys, blobs: new Set(blobs), geneses, registers: child.past.present, writes: held };
  }
  throw rejected(
    'apply_conflict',
    `${other} is a text or list, and its nodes touch keys beyond the pattern: promote all`,
  );
}

function globOf(ref: string): Globs | undefined {
  return ref.startsWith(GLOB) ? new Globs([ref.slice(GLOB.length)]) : undefined;
}

function isGreater(a: WinningWrite, b: WinningWrite): boolean {
  return a.lamport === b.lamport ? a.name > b.name : a.lamport > b.lamport;
}

function isSame(a: WinningWrite['held'], b: WinningWrite['held']): boolean {
  if (a instanceof BlobRef || b instanceof BlobRef)
    return a instanceof BlobRef && b instanceof BlobRef && a.hash === b.hash;
  return a === b || (a !== undefined && b !== undefined && equalBytes(a, b));
}

function expectNone(both: readonly string[], reason: 'apply_conflict' | 'stale_parent'): void {
  if (both.length === 0) return;
  const more = both.length > NAMED ? `, and ${both.length - NAMED} more` : '';
  throw rejected(reason, `the parent has changed what the child changed: ${both.slice(0, NAMED).join(', ')}${more}`);
}

function denied({ id, reason }: RefusedNode): Rejection {
  const what = `the parent does not take node ${id}: ${reason}`;
  if (reason !== 'missing-parent') return rejected('policy_denied', what);
  const why = 'it came back from an archive of before the child began, and lacks what the node stands on';
  return rejected('policy_denied', `${what}. Where ${why}, propose registers of the child by glob:<pattern>`);
}

/** SHA-256 over texts, each behind its length in bytes (u32, big-endian). */
function digestOf(...texts: readonly string[]): string {
  const parts = texts.flatMap((text) => {
    const bytes = toUtf8(text);
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, bytes.length);
    return [length, bytes];
  });
  return toHex(sha256(concatBytes(parts)));
}

function rejected(name: string, message: string): Rejection {
  const reason = `reject.promotion_${name}`;
  return new Rejection(reason, `${reason}: ${message}`);
}
