/**
 * Dropping of history: the ops of some nodes are given up, and attested headers stand in their place. [PN1] [VE1]
 *
 * Nodes are given up only where they say nothing to what the room is: registers that lost, for good, since what beat them stays. So
 * values, their hash and what becomes of nodes that come later are what they were, and a replica that has those nodes whole agrees
 * with one that has not. What has won is written over before it is erased.
 *
 * A fact of the authority says first what is to go, so that it is finished if the process ends. Then the image is removed, and the log's segments are
 * written anew. The room is one that nobody is in, and is put away afterwards: memory still has what the log has not.
 */
import type { HostSpeaker } from '../state/speaker-of.js';
import { saysAnything } from '../../codec/nodes/blank.js';
import { isRegisterOp } from '../../crdt/registers.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import type { NodeId } from '../../graph/node.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Images, NodeLog } from '../../ports/store.js';
import { Rejection } from '../../rejection.js';
import type { DormantValues } from '../reading/dormant-values.js';
import type { Past } from '../reading/past.js';
import { blankedName, toBlank } from '../state/blanked.js';
import {
  type Blanked,
  ERASED,
  type Erased,
  PRUNED_KEY,
  type Pruned,
  blankedIn,
  erasedIn,
  prunedIn,
} from '../state/given-up.js';
import { QUERY_KEYS } from '../state/genesis.js';
import { type GivenUp, packWithout } from '../state/partial-pack.js';
import type { RoomState } from '../state/room-state.js';
import type { HeldWrite, Write } from '../state/write.js';
import type { ToGiveUp, Writer } from '../writing/writer.js';
import { lostBefore } from './lost-nodes.js';
import type { Upkeep } from './upkeep.js';

/** What a replay can start from holds copies of values. */
const ORIGINS = `${QUERY_KEYS}origin`;
/** Values that are restated in one node. */
const PIECE_BYTES = 256 * 1024;
/** Nodes that one fact names. */
const NAMED = 1000;
const HASH_BYTES = 32;
const MOST_TRIES = 16;
/** What is said of it takes next to nothing. */
const NOTHING: ToGiveUp = { bytes: 0 };

export interface DroppingParts {
  readonly id: RoomId;
  readonly log: Pick<NodeLog, 'read' | 'size' | 'reclaim'>;
  readonly images: Images;
  readonly state: RoomState;
  readonly past: Past;
  readonly speaker: HostSpeaker;
  readonly writer: Writer;
  readonly upkeep: Upkeep;
  readonly dormant: DormantValues;
}

export interface Dropped {
  /** Nodes of which only headers are left now. */
  readonly nodes: number;
  /** Size of the room's log. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** What is erased with a key. */
interface Erasure {
  readonly nodes: ReadonlySet<number>;
  /** Nodes that others stand on, or that say what has to stay: they lose what they say under the key. */
  readonly blanked: ReadonlySet<number>;
  /** Values of other keys that stand in those nodes. */
  readonly restated: readonly HeldWrite[];
  readonly removed: readonly string[];
}

export class Dropping {
  readonly #parts: DroppingParts;

  constructor(parts: DroppingParts) {
    this.#parts = parts;
  }

  /** Whether a process before this one has not finished. */
  get isDue(): boolean {
    return this.#begun.length + this.#blanking.length > 0 || this.#pruned?.state === 'begun';
  }

  get #pruned(): Pruned | undefined {
    return prunedIn(this.#parts.state.values.registers);
  }

  get #begun(): (readonly [key: string, fact: Erased])[] {
    return erasedIn(this.#parts.state.values.registers).filter(([, { state }]) => state === 'begun');
  }

  get #blanking(): (readonly [key: string, fact: Blanked])[] {
    return blankedIn(this.#parts.state.values.registers).filter(([, { state }]) => state === 'begun');
  }

  /** Gives up what was overwritten before a log position. */
  prune(before: number, by: string, now: number): Promise<Dropped & { readonly hash: string }> {
    const { state, writer, upkeep, past } = this.#parts;
    return upkeep.alone(async () => {
      const known = this.#pruned?.seq ?? 0;
      if (before < known || before > state.seq)
        throw new Rejection('invalid-payload', `history.prune: before is a log position from ${known} to ${state.seq}`);
      const view = before === state.seq ? past.present : await past.at(before);
      await view.prepareHash();
      const hash = view.stateHash;
      const nodes = lostBefore(state.graph, before, view);
      const fact: Pruned = { seq: before, hash, nodes: nodes.size, by, at: now, state: 'begun' };
      await writer.transact(() => ({ writes: [{ key: PRUNED_KEY, value: fact }], result: undefined }));
      const dropped = await this.#carryOut(nodes, [{ key: PRUNED_KEY, value: { ...fact, state: 'done' } }]);
      return { ...dropped, hash };
    });
  }

  /** How many nodes would be erased with a key; throws where that cannot be. */
  look(key: string, only?: ReadonlySet<string>): number {
    const { nodes, blanked } = this.#erasureOf(key, only);
    return nodes.size + blanked.size;
  }

  /** Takes every value that a key has had out of the room's history, or those of some nodes. */
  erase(key: string, by: string, now: number, only?: ReadonlySet<string>): Promise<Dropped> {
    const { state, writer, upkeep } = this.#parts;
    return upkeep.alone(async () => {
      const { nodes, blanked, restated, removed } = this.#erasureOf(key, only);
      const number = state.graph.table.keys.find(key);
      const held = number === undefined ? -1 : state.values.registers.nodeOf(number);
      const isHeld = only ? nodes.has(held) || blanked.has(held) : held >= 0;
      let bytes = weightOfAll(restated);
      for (const piece of pieces(restated)) {
        await writer.transact(() => ({ writes: piece, result: undefined }), { bytes });
        bytes -= weightOfAll(piece);
      }
      const ids = [...nodes].map((node) => state.graph.idOf(node));
      const facts = named(ids).map((some): readonly [string, Erased] => {
        return [ERASED + some[0]!, { nodes: some, by, at: now, state: 'begun' }];
      });
      const blanks = named([...blanked].map((node) => state.graph.idOf(node))).map(
        (some): readonly [string, Blanked] => {
          return [blankedName(some[0]!, key), { key, nodes: some, by, at: now, state: 'begun' }];
        },
      );
      const gone = [...new Set([...(isHeld ? [key] : []), ...removed])].map((name): Write => ({
        key: name,
        value: undefined,
      }));
      if (number !== undefined) await this.#hide(number, blanked);
      const begun = [...facts, ...blanks].map(([name, value]) => [{ key: name, value }]);
      for (const writes of [gone, ...begun].filter(({ length }) => length > 0))
        await writer.transact(() => ({ writes, result: undefined }), NOTHING);
      return this.#carryOut(nodes, [...facts, ...blanks].map(finished));
    });
  }

  /** Finishes what a process before this one had begun. */
  async finish(): Promise<void> {
    const { state, upkeep, past } = this.#parts;
    await upkeep.alone(async () => {
      const erased = this.#begun;
      const nodes = new Set(erased.flatMap(([, fact]) => fact.nodes.map((id) => state.graph.find(id as NodeId))));
      nodes.delete(-1);
      const done = [...erased, ...this.#blanking].map(finished);
      const pruned = this.#pruned;
      if (pruned?.state === 'begun') {
        const view = await past.folded(pruned.seq);
        for (const node of lostBefore(state.graph, pruned.seq, view)) nodes.add(node);
        done.push({ key: PRUNED_KEY, value: { ...pruned, state: 'done' } });
      }
      await this.#carryOut(nodes, done);
    });
  }

  #erasureOf(name: string, only?: ReadonlySet<string>): Erasure {
    const { graph, values } = this.#parts.state;
    const { table } = graph;
    if (isSystemKey(name)) throw new Rejection('invalid-payload', 'value.erase: keys of the system are not erased');
    const wanted = table.keys.find(name);
    const nodes = new Set<number>();
    const blanked = new Set<number>();
    const removed = new Set<string>();
    for (let node = 0; wanted !== undefined && node < graph.settled; node++) {
      if (!saysAnything(table, node, wanted) || (only && !only.has(graph.idOf(node)))) continue;
      if (this.#standsAlone(node)) nodes.add(node);
      else blanked.add(node);
    }
    if (nodes.size + blanked.size > 0) for (const node of this.#originNodes(removed)) nodes.add(node);
    const restated: HeldWrite[] = [];
    for (let key = 0; nodes.size > 0 && key < table.keys.names.length; key++) {
      const own = table.keys.names[key]!;
      if (key === wanted || own.startsWith(ORIGINS) || !nodes.has(values.registers.nodeOf(key))) continue;
      const held = values.registers.value(key);
      restated.push({ key: own, held: held instanceof Uint8Array ? held.slice() : held });
    }
    return { nodes, blanked, restated, removed: [...removed] };
  }

  /** Nodes of origins, and the keys that they have written. */
  #originNodes(keys: Set<string>): number[] {
    const { graph } = this.#parts.state;
    const { table } = graph;
    const found: number[] = [];
    for (let node = 0; node < graph.settled; node++) {
      const names: string[] = [];
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++)
        names.push(table.keys.names[table.key(op)]!);
      if (names.length === 0 || !names.every((name) => name.startsWith(ORIGINS))) continue;
      found.push(node);
      for (const name of names) keys.add(name);
    }
    return found;
  }

  /** Whether a node may go as a whole: texts, lists and what is said of the room stand on theirs. */
  #standsAlone(node: number): boolean {
    const { table } = this.#parts.state.graph;
    if (table.withheld.has(node)) return false;
    for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++)
      if (!isRegisterOp(table.kind(op)) || isSystemKey(table.keys.names[table.key(op)]!)) return false;
    return true;
  }

  /** Deletes what some nodes have inserted under a key: who has them whole shows then what who has not shows. */
  async #hide(key: number, nodes: ReadonlySet<number>): Promise<void> {
    const { writer } = this.#parts;
    const all = [...nodes];
    for (let at = 0; at < all.length; at += NAMED)
      await writer.edit((edits) => edits.deleteInserted(key, all.slice(at, at + NAMED)), NOTHING);
  }

  async #carryOut(nodes: ReadonlySet<number>, done: readonly Write[]): Promise<Dropped> {
    const { id, log, images, state, writer, upkeep } = this.#parts;
    const bytesBefore = await log.size(id);
    // An image tells of values that lie in the log alone: it goes before they do, and whoever opens the room reads the log.
    await images.remove(id);
    const blanked = toBlank(state.graph, state.values.registers);
    await upkeep.mergeAll({ nodes, blanked });
    await this.#rewrite({ nodes, blanked });
    await writer.transact(() => ({ writes: [...done], result: undefined }));
    await log.reclaim();
    return { nodes: nodes.size + blanked.size, bytesBefore, bytesAfter: await log.size(id) };
  }

  /** Writes the segments anew that hold any of the nodes; from the beginning where another host has merged or written meanwhile. */
  async #rewrite(gone: GivenUp): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (await this.#rewrites(gone)) return;
      await this.#parts.writer.look(); // a copy merges only while it ends where the log does
    }
    throw new Error(
      `the segments of room ${this.#parts.id} have changed ${MOST_TRIES} times while they were written anew`,
    );
  }

  async #rewrites(gone: GivenUp): Promise<boolean> {
    const { id, log, state, speaker, dormant, upkeep } = this.#parts;
    const { graph, seals } = state;
    const touched: [seq: number, count: number][] = [];
    for await (const { seq, count } of log.read(id, 0))
      for (let node = seq; node < seq + count; node++)
        if (gone.nodes.has(node) || gone.blanked.has(node)) {
          touched.push([seq, count]);
          break;
        }
    for (const [seq, count] of touched) {
      const pack = await packWithout(gone, graph, [seq, seq + count], seals, speaker.word, dormant);
      if (!(await upkeep.replace(seq, { count, pack }))) return false;
    }
    return true;
  }
}

function finished([key, fact]: readonly [string, Erased | Blanked]): Write {
  return { key, value: { ...fact, state: 'done' } };
}

function named(ids: readonly NodeId[]): NodeId[][] {
  const groups: NodeId[][] = [];
  for (let at = 0; at < ids.length; at += NAMED) groups.push(ids.slice(at, at + NAMED));
  return groups;
}

function pieces(writes: readonly HeldWrite[]): HeldWrite[][] {
  const groups: HeldWrite[][] = [];
  let bytes = PIECE_BYTES;
  for (const write of writes) {
    const size = weightOf(write);
    if (bytes + size > PIECE_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    bytes += size;
    groups.at(-1)!.push(write);
  }
  return groups;
}

function weightOf({ key, held }: HeldWrite): number {
  return key.length + (held instanceof Uint8Array ? held.length : HASH_BYTES);
}

function weightOfAll(writes: readonly HeldWrite[]): number {
  return writes.reduce((sum, write) => sum + weightOf(write), 0);
}
