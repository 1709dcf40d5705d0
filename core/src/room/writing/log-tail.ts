/**
 * Tail of a room's log: where batches are appended, and what others have appended is read. Nothing else writes. [ST3]
 *
 * The log is the truth. A batch becomes part of the room's state when its append has succeeded; then its commit is told.
 * When an append fails, the state is what it was.
 */
import { rangeOf } from '../../codec/nodes/places.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { sealMessage } from '../../graph/seal.js';
import { type AppendResult, type NodeLog, StoreError } from '../../ports/store.js';
import { type Telemetry, stopwatch } from '../../ports/telemetry.js';
import { type Spans, failureOf } from '../../ports/tracing.js';
import { ComeBack, Rejection } from '../../rejection.js';
import { saysGivenUp } from '../state/says-given-up.js';
import { openGenesis } from '../state/genesis.js';
import type { RoomState } from '../state/room-state.js';
import type { HostSpeaker } from '../state/speaker-of.js';
import { Batch } from './batch.js';
import { Commit, CommitPart, SERVER_ORIGIN } from './commit.js';
import { Commits } from './commits.js';
import { Quiescence } from './quiescence.js';

export interface LogTailParts {
  readonly id: RoomId;
  readonly log: Pick<NodeLog, 'append' | 'appendAll' | 'read' | 'remains'>;
  readonly state: RoomState;
  /** The genesis node as a pack of one. */
  readonly genesis: Uint8Array;
  readonly speaker: HostSpeaker;
  readonly telemetry: Telemetry;
  readonly onFault: (error: unknown) => void;
  /** See `RoomParts`. */
  readonly isElsewhere?: boolean;
  /** Told when the room is found to be deleted. */
  readonly onDeleted?: () => void;
}

interface Following {
  readonly isOwn?: boolean;
  /** Where it is read, if not from the log itself. */
  readonly log?: Pick<NodeLog, 'read'> | undefined;
}

/** When a room that begins anew can be asked again. */
const ANEW_MS = 500;

export class LogTail {
  readonly commits: Commits;
  readonly quiescence: Quiescence;
  readonly #parts: LogTailParts;

  constructor(parts: LogTailParts) {
    this.#parts = parts;
    this.commits = new Commits(parts.onFault);
    this.quiescence = new Quiescence(parts.state.graph);
  }

  /** A batch behind what is durable. The first one of a room carries its genesis. */
  newBatch(): Batch {
    const { state, genesis, speaker } = this.#parts;
    state.rewind();
    // Not kept as a table: most rooms never need it again, and it takes as much as all else of a new one.
    const first = state.seq === 0 ? openGenesis(genesis) : undefined;
    return new Batch(state.graph, state.values.registers, first, speaker);
  }

  /** True when the batch is durable and told; false when the log had moved on, which memory has followed by then. */
  async append(batch: Batch, spans?: Spans): Promise<boolean> {
    const { state, onFault } = this.#parts;
    try {
      state.expectWhole();
      if (batch.isEmpty) return true; // a room's genesis alone, with which its batches begin, is taken back
      const movedTo = await this.#write(batch, spans);
      if (movedTo === undefined) return true;
      state.rewind();
      await this.follow(movedTo, { isOwn: true });
      return false;
    } catch (error) {
      if (state.fault) onFault(state.fault); // nothing more is written by this room
      throw error;
    } finally {
      state.rewind(); // what is durable is settled by now
      this.quiescence.look();
    }
  }

  /** Answers where the log ends if that is not where the batch begins. */
  async #write(batch: Batch, spans?: Spans): Promise<number | undefined> {
    const { state, speaker, telemetry } = this.#parts;
    const { graph } = state;
    for (const tip of batch.unsealedTips) {
      const seal = await speaker.by(graph.authorOf(tip)).sign(sealMessage(graph.table, tip));
      batch.seals.set(tip, seal);
    }
    const result = await this.#store(batch, spans);
    if ('isBarred' in result) {
      this.#parts.onDeleted?.();
      throw await this.refusal();
    }
    if ('movedTo' in result) return result.movedTo;
    telemetry.record('commit_batch_nodes', batch.nodes.length);
    const parts = batch.parts.map((part) => new CommitPart(graph, part, batch.seals));
    const relaying = spans?.begin('weft.relay', { 'weft.nodes': batch.nodes.length });
    this.#settle(batch.seals, parts, batch.ends);
    relaying?.end();
    return undefined;
  }

  async #store(batch: Batch, spans: Spans | undefined): Promise<AppendResult> {
    const { id, log, state, speaker, telemetry } = this.#parts;
    const stop = stopwatch(telemetry, 'persistence_write_seconds');
    const appending = spans?.begin('weft.append', { 'weft.room': id, 'weft.nodes': batch.nodes.length });
    try {
      const head = state.seq;
      const [record, ...more] = await batch.records(speaker.now);
      const result = await (more.length > 0
        ? log.appendAll(id, head, [record!, ...more])
        : log.append(id, head, record!));
      stop();
      appending?.end();
      return result;
    } catch (error) {
      appending?.end({}, failureOf(error));
      throw error;
    }
  }

  /** Refusal of a room that is not this object any more: it was deleted, or somebody else opens it anew. */
  async refusal(): Promise<Rejection> {
    const { id, log } = this.#parts;
    if ((await log.remains(id))?.isBarred) return new Rejection('room-deleted', `room ${id} was deleted`);
    return new ComeBack('room-replaced', `room ${id} begins anew; open it again`, ANEW_MS);
  }

  /**
   * Follows the log from where memory stands to `head` at least. What another process wrote is told like anything else. With
   * `isOwn`, a log that began in the place of this room's is none that it follows: nobody here has joined that room. [TP7] Nor does a
   * copy follow one whose host has given up some of its history meanwhile: what the copy holds of that is nobody's any more. [VE1]
   */
  async follow(head: number, { isOwn = false, log = this.#parts.log }: Following = {}): Promise<void> {
    const { id, state, isElsewhere } = this.#parts;
    for await (const record of log.read(id, state.seq)) {
      const from = state.seq;
      if (record.seq > from) throw new Error(`the log of room ${id} skips from ${from}`);
      const seals = state.follow(record);
      if (isOwn && from === 0 && state.graph.idOf(0) !== state.room)
        throw new Rejection('room-replaced', `room ${id} is another one by now; open it again`);
      if (isOwn && isElsewhere && saysGivenUp(state.graph.table, from)) {
        state.rewind();
        throw await this.refusal();
      }
      const part = { origin: SERVER_ORIGIN, nodes: rangeOf(from, state.graph.size) };
      this.#settle(seals, [new CommitPart(state.graph, part, seals)]);
    }
    if (state.seq >= head) return;
    const lost = `the log of room ${id} has ${head} nodes, and can be read up to ${state.seq}`;
    throw new StoreError('damaged', `${lost}: part of it is lost; restore a backup`);
  }

  /** What stands at the end of the graph is durable: it becomes part of the state, and is told. */
  #settle(seals: ReadonlyMap<number, Uint8Array>, parts: readonly CommitPart[], ends: readonly number[] = []): void {
    const { state } = this.#parts;
    const from = state.settle(seals, ends);
    this.commits.tell(new Commit(state.graph, from, state.seq, parts, ends.length > 0));
  }
}
