/**
 * What is kept of a replica from one opening to the next: all of it at once, rows with what has come since, and the way back, on
 * which the values are there first and the graph is brought back when something needs it.
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { rangeOf } from '../../codec/nodes/places.js';
import type { PackBounds } from '../../codec/packs/pack-reader.js';
import { PACK_BOUNDS, openPack } from '../../codec/packs/pack.js';
import type { Document } from '../../crdt/document.js';
import { frontierOf } from '../../graph/frontier.js';
import type { Graph } from '../../graph/graph.js';
import { Incoming } from '../../graph/incoming.js';
import type { NodeId } from '../../graph/node.js';
import { packNodes } from '../../graph/seals.js';
import { readState, writeState } from '../../room/keeping/saved-state.js';
import { foldEnd } from './merging.js';
import { type SavedReplica, writeSaved, writeSqueezed } from './saved-replica.js';
import type { Unconfirmed } from './unconfirmed.js';

/** Bounds of history that is read from what this replica itself has saved. */
const SAVED_BOUNDS: PackBounds = {
  nodes: PACK_BOUNDS.nodes,
  ops: Number.MAX_SAFE_INTEGER,
  inflatedBytes: 1024 * 1024 * 1024,
  canonicalBytes: Number.MAX_SAFE_INTEGER,
};
const NOBODY = { authority: new Uint8Array(32), signature: new Uint8Array(64) };
/** Nodes of each pack of a history that a page saves: as many as it reads between two breaths. */
const BLOCK_NODES = 1024;
/** Nodes of each where nothing waits for a breath: every pack names its keys and authors anew. */
const LARGE_BLOCK_NODES = 64 * BLOCK_NODES;
/** Nodes that a row has at most: more are saved as a history. */
const MOST_ROW_NODES = 2 * BLOCK_NODES;

interface Asleep {
  readonly saved: Uint8Array;
  readonly history: readonly Uint8Array[];
  readonly frontier: readonly NodeId[];
}

/** What is kept of a replica. Its owner flushes what is being written first. */
export class Keeping {
  readonly #graph: Graph;
  readonly #values: Document;
  readonly #unconfirmed: Unconfirmed;
  readonly #genesis: Uint8Array;
  /** The replica's own identity in the graph. */
  readonly #identity: number;
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #blockNodes: number;
  /** How many nodes are in what was saved and in the rows that were taken since; -1 when only `save` can tell. */
  #taken = -1;
  /** How many nodes no server had confirmed then. */
  #takenUnconfirmed = 0;
  /** Packs of the first nodes, `#blockNodes` each, as they were saved last: what was written does not change. */
  #blocks: Uint8Array[] = [];
  /** What the values were saved with, until the graph is needed. */
  #asleep: Asleep | undefined;
  /** How many packs of its history were read. */
  #read = 0;
  #waking: Promise<void> | undefined;

  constructor(
    graph: Graph,
    values: Document,
    unconfirmed: Unconfirmed,
    genesis: Uint8Array,
    identity: number,
    pause: (() => Promise<void>) | undefined,
  ) {
    this.#graph = graph;
    this.#values = values;
    this.#unconfirmed = unconfirmed;
    this.#genesis = genesis;
    this.#identity = identity;
    this.#pause = pause;
    this.#blockNodes = pause ? BLOCK_NODES : LARGE_BLOCK_NODES;
  }

  /** Everything, as bytes. */
  save(): Uint8Array {
    return this.#asleep?.saved ?? writeSaved(this.#whole(), this.#graph.table);
  }

  /** What `save` answers at this moment, in fewer bytes: in a page deflating is to be waited for. */
  async saveSqueezed(): Promise<Uint8Array> {
    if (this.#asleep) return this.#asleep.saved;
    const whole = this.#whole();
    const blocks = this.#blocks;
    const { length } = blocks;
    const { saved, history } = await writeSqueezed(whole, this.#graph.table);
    blocks.splice(0, length, ...history.slice(0, length));
    return saved;
  }

  /** All of it, of which rows are kept behind from now on. */
  #whole(): SavedReplica {
    const { size } = this.#graph;
    this.#takenAll();
    const out = new ByteWriter(4096);
    out.sized(this.#genesis);
    writeState(out, this.#graph, this.#values, { size, frontier: this.frontier, unconfirmed: this.#unconfirmed.nodes });
    while (this.#packBlock()) continue;
    const blocks = this.#blocks;
    const from = blocks.length * this.#blockNodes;
    return { state: out.view(), history: from < size ? [...blocks, this.#savedPack(from, size)] : [...blocks] };
  }

  /** Packs what no block holds yet, slice by slice: a save that follows finds it. */
  async packAhead(): Promise<void> {
    while (!this.#asleep && this.#packBlock()) await this.#pause?.();
  }

  /** Packs the next full block; false where there is none. */
  #packBlock(): boolean {
    const from = this.#blocks.length * this.#blockNodes;
    const to = from + this.#blockNodes;
    if (to > this.#graph.size) return false;
    this.#blocks.push(this.#savedPack(from, to));
    return true;
  }

  #takenAll(): void {
    this.#taken = this.#graph.size;
    this.#takenUnconfirmed = this.#unconfirmed.nodes.length;
  }

  /** Nodes that were there are others now: what was saved of them tells only what was. */
  forget(): void {
    this.#taken = -1;
    this.#blocks = [];
  }

  /** What has come since the last row or `save`; `whole` when only `save` can tell, undefined when nothing has come. */
  takeRow(): Uint8Array | 'whole' | undefined {
    if (this.#asleep) return undefined;
    if (this.#taken < 0) return 'whole';
    const from = this.#taken;
    const { size } = this.#graph;
    const { length } = this.#unconfirmed.nodes;
    if (from === size && this.#takenUnconfirmed === length) return undefined;
    if (size - from > MOST_ROW_NODES) return 'whole';
    this.#takenAll();
    const row = new ByteWriter(64);
    row.varint(length);
    if (size > from) row.bytes(this.#savedPack(from, size));
    return row.finish();
  }

  /** Rows are this replica's own word, as what it saved is: ids are computed anew, seals were checked before. */
  async addRows(rows: readonly Uint8Array[] = []): Promise<void> {
    if (rows.length === 0) return;
    await this.awake();
    let breathed = this.#graph.size;
    for (const row of rows) {
      if (this.#graph.size - breathed >= BLOCK_NODES) {
        await this.#pause?.();
        breathed = this.#graph.size;
      }
      const input = new ByteReader(row);
      const unconfirmed = input.varint();
      this.#addRow(input.bytes(input.left));
      this.#unconfirmed.settle(Math.max(0, this.#unconfirmed.nodes.length - unconfirmed));
    }
    this.#takenAll();
  }

  #addRow(pack: Uint8Array): void {
    if (pack.length === 0) return;
    const { table } = openPack(pack, SAVED_BOUNDS);
    const incoming = new Incoming(this.#graph, table);
    for (let place = 0; place < table.size; place++) {
      const node = incoming.append(place);
      if (this.#isOwn(node)) this.#unconfirmed.add(node);
    }
    foldEnd(this.#graph, this.#values);
  }

  /** Nodes [from, to) as a pack. Whoever opens it takes its own word for the headers among them. */
  #savedPack(from: number, to: number): Uint8Array {
    const { withheld } = this.#graph.table;
    const hasHeaders = [...withheld.keys()].some((node) => node >= from && node < to);
    const headers = hasHeaders ? { places: withheld, attestation: NOBODY } : undefined;
    return packNodes(this.#graph, rangeOf(from, to), new Map(), headers);
  }

  /** The values, and what else is told without the graph. */
  load(state: ByteReader, saved: Uint8Array, history: readonly Uint8Array[]): void {
    const { frontier, unconfirmed } = readState(state, this.#graph, this.#values);
    for (const node of unconfirmed) this.#unconfirmed.add(node);
    state.end();
    this.#asleep = { saved, history, frontier };
  }

  /** Newest nodes, told without the graph where that is still to be brought back. */
  get frontier(): readonly NodeId[] {
    return this.#asleep?.frontier ?? frontierOf(this.#graph);
  }

  /** Whether the graph is to be brought back slice by slice, with a turn for others between them. */
  get wakesSlowly(): boolean {
    return this.#asleep !== undefined && this.#pause !== undefined;
  }

  /** Brings the graph back, slice by slice. */
  awake(): Promise<void> {
    if (!this.#asleep) return Promise.resolve();
    this.#waking ??= this.#wakeSlowly().finally(() => (this.#waking = undefined));
    return this.#waking;
  }

  async #wakeSlowly(): Promise<void> {
    while (this.#asleep) {
      this.#wakeNext(this.#asleep);
      if (this.#asleep) await this.#pause?.();
    }
  }

  /** Brings the graph back at once. */
  wake(): void {
    while (this.#asleep) this.#wakeNext(this.#asleep);
  }

  /** One pack of the history, or the end; every id is computed anew, so the history must be the one that was saved. */
  #wakeNext({ history, frontier }: Asleep): void {
    const number = this.#read++;
    const pack = history[number];
    if (pack) {
      const { table } = openPack(pack, SAVED_BOUNDS);
      const incoming = new Incoming(this.#graph, table);
      this.#graph.table.reserveFor(table);
      for (let place = 0; place < table.size; place++) incoming.append(place);
      if (table.size === this.#blockNodes && this.#blocks.length === number) this.#blocks.push(pack);
      return;
    }
    this.#graph.settle();
    if (frontierOf(this.#graph).join() !== frontier.join())
      throw new DecodeError('the saved history is not the one of the saved values');
    this.#asleep = undefined;
    this.#values.wake();
    this.#takenAll();
    // What another key has written and not sent is that key's to send.
    this.#unconfirmed.keep((node) => this.#isOwn(node));
  }

  #isOwn(node: number): boolean {
    return this.#graph.table.identity.get(node) === this.#identity;
  }
}
