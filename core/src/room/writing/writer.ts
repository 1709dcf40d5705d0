/**
 * Writer of a room: the one owner of all that is written to it. Pushes of peers and decisions of this host wait in one
 * lane, are judged or made there against what the room will be, and are durable when they are answered. [ST3]
 */
import type { Globs } from '../../access/glob.js';
import { fromHex } from '../../codec/bytes/bytes.js';
import { Identity } from '../../codec/nodes/identity.js';
import { type NodeId, weightOf } from '../../graph/node.js';
import { RUN_NODES } from '../../graph/seal.js';
import type { Clock } from '../../ports/clock.js';
import type { ReadAhead } from '../../ports/store.js';
import { stopwatch } from '../../ports/telemetry.js';
import { type SpanAttributes, Spans, failureOf } from '../../ports/tracing.js';
import type { CheckedPack } from '../admission/checked-pack.js';
import { Judgement, type RoomRules, type Verdict } from '../admission/judgement.js';
import { permittingBy } from '../admission/permissions.js';
import { keyRulesOf } from '../admission/known-keys.js';
import { PRUNED_KEY } from '../state/given-up.js';
import { administers } from '../state/room-state.js';
import { type PolicyFact, policiesOf } from '../state/laws.js';
import type { Write } from '../state/write.js';
import type { Batch } from './batch.js';
import type { Commit, CommitOrigin } from './commit.js';
import type { Framing, Decision, RoomView, Transacted } from './decision.js';
import { Edits } from './edits.js';
import type { Rejection } from '../../rejection.js';
import { Lane } from './lane.js';
import { LogTail, type LogTailParts } from './log-tail.js';

export interface WriterParts extends LogTailParts {
  readonly clock: Clock;
  /** How much the room's values may take, all that ever were. [LM8] */
  readonly mostBytes?: number;
  /** Throws while nothing may be written but what administers the room. [LM12] */
  readonly mayGrow?: (() => void) | undefined;
}

/** Whose nodes are pushed, and where they may write, if not everywhere. */
export interface Pusher {
  readonly origin: CommitOrigin;
  readonly mayWrite: Globs | undefined;
}

/** What is said so that some of the history can be given up: it has the space that is kept for that. [LM9] */
export interface ToGiveUp {
  /** Bytes of values that will be said in all. */
  readonly bytes: number;
}

const GIVING_UP = [PRUNED_KEY];

/** Says what this host writes around nodes that it takes, against what the room is by then. */
export type Framer = (view: RoomView & { readonly policies: readonly PolicyFact[] }) => Framing;

export class Writer {
  readonly #parts: WriterParts;
  readonly #rules: RoomRules;
  readonly #tail: LogTail;
  readonly #lane: Lane;

  constructor(parts: WriterParts) {
    const { state } = parts;
    this.#parts = parts;
    this.#rules = {
      genesis: state.room,
      speakers: state.speakers,
      keys: keyRulesOf(state.speakers),
      permitting: permittingBy(state.laws),
      runNodes: RUN_NODES,
      takesHeaders: false,
      isServer: true,
    };
    this.#tail = new LogTail(parts);
    this.#lane = new Lane(this.#tail, parts.telemetry.tracing);
  }

  /** Takes what can be taken of a peer's nodes, unless some seals are doubted. `bytes` hold the pack and nothing else; `asked` are spans of its senders. */
  admit(pack: CheckedPack, pusher: Pusher, bytes?: Uint8Array, asked?: Spans): Promise<Judgement> {
    return this.#traced(asked, { 'weft.nodes': pack.size }, (spans) => this.#admit(pack, pusher, bytes, spans));
  }

  async #admit(
    pack: CheckedPack,
    { origin, mayWrite }: Pusher,
    bytes: Uint8Array | undefined,
    spans: Spans | undefined,
  ): Promise<Judgement> {
    const { telemetry, mayGrow } = this.#parts;
    mayGrow?.();
    this.#parts.speaker.expectHome();
    const rules = { ...this.#rules, mayWrite };
    const { state, mostBytes } = this.#parts;
    let weight = 0;
    for (let place = 0; place < pack.size; place++) weight += weightOf(pack.table, place);
    const judge = (batch: Batch): Judgement => {
      const stop = stopwatch(telemetry, 'merge_batch_seconds');
      const judged = new Judgement(pack, batch.graph, { ...rules, isFull: !state.hasSpace(mostBytes, weight) });
      stop();
      if (judged.doubted.length === 0) batch.take(judged, origin, bytes);
      return judged;
    };
    const judgement = await this.#lane.run(weight, judge, false, spans);
    if (judgement.doubted.length > 0) return judgement;
    const { accepted, refused } = judgement.verdict;
    telemetry.record('nodes_accepted_total', accepted);
    for (const { reason } of refused) telemetry.record('nodes_rejected_total', 1, reason);
    return judgement;
  }

  /**
   * Takes all nodes of a pack or none, in one commit with what `decide` says is to be written around them; see
   * `Room.restore`.
   */
  restore(
    pack: CheckedPack,
    { geneses, isOwn }: { readonly geneses: ReadonlySet<NodeId>; readonly isOwn: boolean },
    decide?: Framer,
  ): Promise<Verdict> {
    const { state, clock } = this.#parts;
    // Their runs were judged where they were pushed.
    const rules = {
      ...this.#rules,
      adopted: geneses,
      runNodes: Number.POSITIVE_INFINITY,
      isServer: !isOwn,
      isVouched: true,
    };
    // Alone at the beginning of a batch: what it is relayed with must stand on what peers have.
    return this.#lane.run(Number.POSITIVE_INFINITY, (batch) => {
      this.#expectSpace(pack.table.content.length);
      // Nodes of the room itself say who they are of: this host adds nothing, and may have no say before they are there.
      if (decide && !isOwn) this.#expectVoice();
      const get = (key: string): unknown => batch.values.get(key);
      const framing = decide?.({ seq: state.seq, get, policies: policiesOf(state.laws) });
      const judged = new Judgement(pack, batch.graph, rules);
      const { verdict } = judged;
      if (framing && verdict.refused.length === 0) batch.frame(judged, this.#author, framing, clock.now());
      return verdict;
    });
  }

  /** Stores what a decision writes, as one node of this host. */
  transact<T>(decide: (view: RoomView) => Decision<T>, toGiveUp?: ToGiveUp): Promise<Transacted<T>> {
    return this.#write((batch) => {
      const { writes, result } = decide({ seq: this.#seqIn(batch), get: (key) => batch.values.get(key) });
      if (writes.length > 0) {
        this.#expectVoice();
        this.#expectSpace(toGiveUp?.bytes, toGiveUp ? GIVING_UP : writes.map(({ key }) => key));
      }
      const node = batch.write(this.#author, writes, this.#parts.clock.now());
      return this.#transacted(batch, node, result);
    });
  }

  /** Stores any number of nodes of this host, which are durable together. `write` answers whether there is room for more. */
  transactMany<T>(work: (write: (writes: readonly Write[]) => boolean) => T): Promise<T> {
    const job = (batch: Batch): T => {
      this.#expectVoice();
      this.#expectSpace();
      return work((writes) => {
        batch.write(this.#author, writes, this.#parts.clock.now());
        return batch.hasRoomFor(0);
      });
    };
    return this.#write(job, true);
  }

  /** Stores edits of texts and lists as one node of this host. */
  edit<T>(edit: (edits: Edits) => T, toGiveUp?: ToGiveUp): Promise<Transacted<T>> {
    const { graph, values } = this.#parts.state;
    const job = (batch: Batch): Transacted<T> => {
      this.#expectVoice();
      this.#expectSpace(toGiveUp?.bytes, toGiveUp ? GIVING_UP : []);
      const edits = new Edits(graph, values, this.#author);
      const { node, result } = batch.edit(this.#author, () => edit(edits), this.#parts.clock.now());
      return this.#transacted(batch, node, result);
    };
    return this.#write(job, true);
  }

  /** Stores what is to be said for the roots of this host, and who it is where it speaks by a change of them: each for itself. */
  async heed(): Promise<void> {
    const { speaker, clock } = this.#parts;
    // What is said next depends on what was said before: other roots, which others follow.
    for (let { most } = speaker; speaker.hasToSay && most > 0; most--)
      await this.#write((batch) => {
        const [first] = speaker.due;
        if (!first && !speaker.now.succession) return;
        speaker.expectBelief();
        batch.introduce(this.#author, clock.now());
        if (first) batch.write(this.#author, [first], clock.now());
      }, true);
  }

  /** Stores the genesis, if nothing is stored yet. */
  establish(): Promise<void> {
    return this.#lane.run(0, (batch) => batch.establish());
  }

  /** Called once per batch that is durable and applied, in log order; answers what ends it. */
  onCommit(follower: (commit: Commit) => void): () => void {
    return this.#tail.commits.follow(follower);
  }

  /** Reads what the log has beyond memory, up to `head` at least; from what was read of it ahead where that is given. */
  follow(head: number, log?: ReadAhead['log']): Promise<void> {
    return this.#tail.follow(head, { log });
  }

  /** Reads what another host has written behind memory, and tells it. */
  look(): Promise<void> {
    return this.#lane.look();
  }

  /** Pushes and writes that have no answer yet. */
  get waiting(): number {
    return this.#lane.waiting;
  }

  get isIdle(): boolean {
    return this.#lane.isIdle;
  }

  /** Resolves when everything that waits has been answered. */
  idle(): Promise<void> {
    return this.#lane.idle();
  }

  /** Resolves when everything that waits has been answered; nothing is written from now on. */
  end(): Promise<void> {
    return this.#lane.end();
  }

  /** Refusal to whoever asks for something after that. */
  refusal(): Promise<Rejection> {
    return this.#tail.refusal();
  }

  /** Runs a task at once, or as soon as nothing is being made durable: at the end of a batch, or of all of them. */
  whenSettled<T>(task: () => T): Promise<T> {
    const { quiescence } = this.#tail;
    const done = quiescence.next(task);
    if (this.#lane.isIdle) quiescence.look();
    else void this.#lane.idle().then(() => quiescence.look());
    return done;
  }

  /** Runs what this host writes, in a span under the one of whoever asks. */
  #write<T>(job: (batch: Batch) => T, first = false): Promise<T> {
    const asked = Spans.here(this.#parts.telemetry.tracing);
    return this.#traced(asked, {}, (spans) => this.#lane.run(0, job, first, spans));
  }

  #traced<T>(
    asked: Spans | undefined,
    attributes: SpanAttributes,
    task: (spans: Spans | undefined) => Promise<T>,
  ): Promise<T> {
    return asked ? this.#under(asked, attributes, task) : task(undefined);
  }

  async #under<T>(asked: Spans, attributes: SpanAttributes, task: (spans: Spans) => Promise<T>): Promise<T> {
    const spans = asked.begin('weft.commit', { 'weft.room': this.#parts.id, ...attributes });
    try {
      const result = await task(spans);
      spans.end();
      return result;
    } catch (error) {
      spans.end({}, failureOf(error));
      throw error;
    }
  }

  /** Throws where this host has no say in the room, or none any more: what it wrote would count for nothing. [MA4] */
  #expectVoice(): void {
    this.#parts.speaker.expectVoice();
  }

  /** This host, as an author of this room. */
  get #author(): number {
    const { state, speaker } = this.#parts;
    const host = new Identity(fromHex(state.room), fromHex(speaker.now.publicKey));
    return state.graph.table.identities.number(host);
  }

  #expectSpace(bytes?: number, keys: readonly string[] = []): void {
    if (!administers(keys)) this.#parts.mayGrow?.();
    this.#parts.state.expectSpace(this.#parts.mostBytes, bytes, keys);
  }

  #seqIn(batch: Batch): number {
    const { graph } = this.#parts.state;
    return batch.isEmpty ? graph.settled : graph.size;
  }

  #transacted<T>(batch: Batch, node: number | undefined, result: T): Transacted<T> {
    const seq = this.#seqIn(batch);
    return node === undefined ? { seq, result } : { seq, result, nodeId: this.#parts.state.graph.idOf(node) };
  }
}
