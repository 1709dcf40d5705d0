/**
 * Dormant values of a room: those that were overwritten and lie in its log alone, read from there for whoever asks. [DV1]
 *
 * A room whose log was given up in part, or is another one by now, is one that nobody is in: what is still read there is refused. They are lent for one call, in the turn in which all are there: more may become dormant while some are read. A few records
 * of the log stay open, so that who reads on in order opens each once.
 */
import { isSameId } from '../../codec/nodes/compared-ids.js';
import { lending, takeBack } from '../../codec/nodes/dormant.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import { rangeOf } from '../../codec/nodes/places.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import { openPack } from '../../codec/packs/pack.js';
import { Mutex } from '../../concurrency/mutex.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Images, NodeLog } from '../../ports/store.js';
import type { Telemetry } from '../../ports/telemetry.js';
import { ComeBack } from '../../rejection.js';
import { RECORD_BOUNDS, type RoomState } from '../state/room-state.js';

/** Record of the log with its values. */
interface OpenRecord {
  readonly seq: number;
  readonly table: NodeTable;
}

/** Records that stay open in one room: one that is read, and the one before it. */
const OPEN = 2;

/** Who reads a room that is another one by now comes again after so long. */
const ANEW_MS = 500;

const NO_VALUES: ReadonlyMap<number, Uint8Array> = new Map();

export interface DormantValuesParts {
  readonly id: RoomId;
  readonly state: RoomState;
  readonly log: Pick<NodeLog, 'read'>;
  readonly images: Pick<Images, 'remove'>;
  readonly telemetry: Telemetry;
}

export class DormantValues {
  readonly #parts: DormantValuesParts;
  /** One is opened at a time. */
  readonly #mutex = new Mutex();
  /** For as long as the memory is not needed; the one that was opened last stands last. */
  #open: readonly WeakRef<OpenRecord>[] = [];

  constructor(parts: DormantValuesParts) {
    this.#parts = parts;
  }

  /** Whether a node has one. */
  isIn(node: number): boolean {
    const { table } = this.#parts.state.graph;
    if (table.dormantBytes === 0) return false;
    for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) if (table.isDormant(op)) return true;
    return false;
  }

  /** Runs `make` with the values of these nodes at hand, but for those that are `left` out. */
  lend<T>(nodes: Places, make: () => T, left?: { has(node: number): boolean }): Promise<T> {
    return this.lendOps(() => this.#among(nodes, left), make);
  }

  /** Runs `make` with the values of these ops at hand. Which they are is asked until all are there. */
  async lendOps<T>(wanted: () => readonly number[], make: () => T): Promise<T> {
    const { table } = this.#parts.state.graph;
    if (table.dormantBytes === 0) return make();
    let values: Map<number, Uint8Array> | undefined;
    for (;;) {
      const missing = wanted().filter((op) => values?.has(op) !== true);
      if (missing.length === 0) return lending(table, values ?? NO_VALUES, make);
      values ??= new Map();
      await this.#read(
        missing.sort((a, b) => a - b),
        values,
      );
    }
  }

  /** Has all of them in memory again. */
  takeBack(): Promise<void> {
    const { graph, seq } = this.#parts.state;
    return this.lend(rangeOf(0, seq), () => takeBack(graph.table));
  }

  #among(nodes: Places, left: { has(node: number): boolean } | undefined): number[] {
    const { table } = this.#parts.state.graph;
    const ops: number[] = [];
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes.at(i);
      if (left?.has(node)) continue;
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) if (table.isDormant(op)) ops.push(op);
    }
    return ops;
  }

  async #read(ops: readonly number[], into: Map<number, Uint8Array>): Promise<void> {
    const { table } = this.#parts.state.graph;
    let record: OpenRecord | undefined;
    for (const op of ops) {
      const node = table.nodeOf(op);
      if (!record || !covers(record, node)) record = await this.#recordOf(node);
      const place = node - record.seq;
      const there = record.table.firstOp(place) + op - table.firstOp(node);
      // The id commits to the value.
      const isSame = isSameId(record.table, place, table, node);
      if (!isSame || there >= record.table.opsEnd.get(place)) throw await this.#anew();
      into.set(op, record.table.contentOf(there).slice());
    }
  }

  #held(node: number): OpenRecord | undefined {
    for (const open of this.#open) {
      const record = open.deref();
      if (record && covers(record, node)) return record;
    }
    return undefined;
  }

  async #recordOf(node: number): Promise<OpenRecord> {
    return this.#held(node) ?? this.#mutex.run(async () => this.#held(node) ?? this.#openAt(node));
  }

  async #openAt(node: number): Promise<OpenRecord> {
    const { id, log, telemetry } = this.#parts;
    telemetry.record('dormant_reads_total', 1);
    for await (const { seq, pack } of log.read(id, node)) {
      const record = { seq, table: openPack(pack, RECORD_BOUNDS).table };
      this.#open = [...this.#open.slice(1 - OPEN), new WeakRef(record)];
      return record;
    }
    throw await this.#anew();
  }

  /**
   * Refusal where the log is not this room's any more: it was deleted or restored, or has given up what was there. Nobody opens the
   * room from an image that says otherwise.
   */
  async #anew(): Promise<ComeBack> {
    const { id, images } = this.#parts;
    await images.remove(id);
    return new ComeBack('room-replaced', `room ${id} begins anew; open it again`, ANEW_MS);
  }
}

function covers({ seq, table }: OpenRecord, node: number): boolean {
  return node >= seq && node < seq + table.size;
}
