/**
 * Upkeep of a room, so that it can be read and opened fast: records of its log become segments, and from time to time it
 * is written down as an image. [ST10] [ST11]
 *
 * Nothing here changes what the room is. It is done in the background, one thing at a time; when it fails, or the process
 * dies, the log is as true as before, and it is tried again with the next commit.
 */
import { type HostSpeaker, isWithoutVoice } from '../state/speaker-of.js';
import type { FiledIds } from '../../codec/nodes/filed-ids.js';
import { fileIds, idsBefore } from '../../codec/nodes/filed-table.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import { rangeOf } from '../../codec/nodes/places.js';
import { frontierOf } from '../../graph/frontier.js';
import type { NodeId } from '../../graph/node.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Images, NodeLog, Segment } from '../../ports/store.js';
import type { Telemetry } from '../../ports/telemetry.js';
import type { DormantValues } from '../reading/dormant-values.js';
import { type GivenUp, packWithout, partialPack } from '../state/partial-pack.js';
import type { RoomState } from '../state/room-state.js';
import type { Writer } from '../writing/writer.js';
import type { LettingGo } from './letting-go.js';

/**
 * An image is written when the log has grown by so much since, and by a part of all there is: writing one costs it all. It is written
 * sooner where processes share a store: when one dies, others open all of its rooms at once, and peers wait for what they read.
 */
const LEAST_GROWTH = 8192;
const LEAST_SHARED_GROWTH = 256;
const PART_OF_ALL = 1 / 4;
/** When a room is put away, a shorter way to catch up is worth an image, however large the room is. */
const REST_GROWTH = 512;

/** Packed nodes that are worth files of their ids, which most rooms never have: of all at first, of those since then. */
const LEAST_FILED = 2 ** 20;
const MORE_FILED = 65_536;

/** Another host may merge, or write, in between again and again. */
const MOST_LOOKS = 16;

const NONE_GONE: GivenUp = { nodes: new Set(), blanked: new Map() };

export interface UpkeepParts {
  readonly id: RoomId;
  /** Nothing is appended here. */
  readonly log: Pick<NodeLog, 'merge' | 'fork' | 'size' | 'remains'>;
  readonly images: Images;
  readonly state: RoomState;
  /** The genesis node as a pack of one. */
  readonly genesis: Uint8Array;
  readonly writer: Writer;
  /** Vouches for headers, where nodes were given up. */
  readonly speaker: HostSpeaker;
  readonly dormant: DormantValues;
  readonly lettingGo: LettingGo;
  /** Whether other processes open it when this one dies. */
  readonly isShared?: boolean;
  /** Nodes that are worth filing their ids, in place of the usual ones. */
  readonly leastFiled?: number | undefined;
  /** See `RoomParts`: such a one keeps nothing, and merges only what it must, where nobody has written since. */
  readonly isElsewhere?: boolean;
  readonly telemetry: Telemetry;
  readonly onFault: (error: unknown) => void;
}

/** Upkeep is done beside the work of a room that is open, and once more when that is put away. */
type When = 'open' | 'put away';

/** What a room is at one moment. */
export interface Cut {
  readonly seq: number;
  readonly stateHash: string;
  readonly frontier: readonly NodeId[];
}

export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #leastGrowth: number;
  /** How large the room was when the last image was written. */
  #imaged: number;
  /** Log position up to which what lies behind the full parts is a segment too. */
  #mergedTo = 0;
  #working: Promise<void> | undefined;
  /** Log length from which on it is tried again after a failure. */
  #notBefore = 0;
  #isOver = false;
  #isWaitTold = false;

  /** To be made while the state is what its image has made of it. */
  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#leastGrowth = parts.isShared ? LEAST_SHARED_GROWTH : LEAST_GROWTH;
    this.#imaged = sizeOf(parts.state);
  }

  /** The room is open. What is read before that may be no room to keep: see `Room.open`. */
  begin(): void {
    this.#parts.writer.onCommit(() => this.#look());
    this.#look();
  }

  #look(): void {
    const waits = this.#parts.isElsewhere || this.#working || this.#isOver || this.#parts.state.seq < this.#notBefore;
    if (waits || !this.#isDue('open')) return;
    this.#work('open').catch(this.#parts.onFault);
  }

  /** The room is put away: resolves when it opens fast. */
  async rest(): Promise<void> {
    await this.#working;
    if (!this.#parts.isElsewhere && this.#isDue('put away')) await this.#work('put away');
  }

  /**
   * Ends for good, with what is under way: the log is kept by whoever opens the room next. This one may still be read, but what it would
   * write down of itself is what was there before, values that were erased since among it.
   */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  /**
   * Begins another room with all that this one holds at one moment. `begin` is told what that is, and stores what stands
   * behind it in the other room's log; what it is given to do so answers false where there may be no such room.
   */
  fork<T>(begin: (cut: Cut, put: (child: RoomId, record: Segment) => Promise<boolean>) => Promise<T>): Promise<T> {
    const { id, log, state } = this.#parts;
    return this.alone(() =>
      this.#abreast(() => {
        const at = state.seq;
        const cut = { seq: at, stateHash: state.values.hash.root(), frontier: frontierOf(state.graph) };
        return begin(cut, async (child, record) => {
          await this.#merge(at);
          return log.fork(child, { room: id, at }, record);
        });
      }),
    );
  }

  /** Something else that is done to log and image, while nothing is done here. */
  async alone<T>(task: () => Promise<T>): Promise<T> {
    while (this.#working) await this.#working;
    if (this.#isOver) throw await this.#parts.writer.refusal();
    const working = task();
    this.#working = working.then(
      () => undefined,
      () => {
        this.#notBefore = this.#parts.state.seq + this.#leastGrowth;
      },
    );
    this.#working = this.#working.then(() => {
      this.#working = undefined;
    });
    return working;
  }

  #isDue(when: When): boolean {
    const { cuts } = this.#parts.state;
    return cuts.fullPart !== undefined || this.#isImageDue(when);
  }

  #isImageDue(when: When): boolean {
    const size = sizeOf(this.#parts.state);
    const worth = when === 'open' ? Math.max(this.#leastGrowth, size * PART_OF_ALL) : REST_GROWTH;
    return size - this.#imaged >= worth;
  }

  /**
   * Headers are the word of an authority. A host that has none just now leaves the log as it is, which is as true, until it has, or the
   * room is another one's.
   */
  #mergeLater(error: unknown): void {
    if (!isWithoutVoice(error)) throw error;
    this.#notBefore = this.#parts.state.seq + this.#leastGrowth;
    if (this.#isWaitTold) return;
    this.#isWaitTold = true;
    const { id: room, telemetry } = this.#parts;
    const about = { room, reason: error.reason };
    telemetry.tell?.({ level: 'warn', message: 'the log of a room waits for a key that may sign its headers', about });
  }

  #work(when: When): Promise<void> {
    return this.alone(async () => {
      await undefined; // whoever else follows the room hears of the commit first
      await this.#abreast(() => this.#merge()).catch((error: unknown) => this.#mergeLater(error));
      // A room that is put away has nobody who reads what was written last.
      const { seq, cuts } = this.#parts.state;
      await this.letGo(when === 'open' ? cuts.stored : seq);
      if (this.#isImageDue(when)) await this.writeImage(() => undefined);
    });
  }

  /**
   * The whole log becomes segments, without what is `gone` of its nodes: another one who gives that up too may have written the log
   * without it already.
   */
  async mergeAll(gone = NONE_GONE): Promise<void> {
    await this.#abreast(() => this.#merge(this.#parts.state.seq, gone));
  }

  /** Puts a segment in the place of another one; false where there is none such any more. */
  async replace(from: number, segment: Segment): Promise<boolean> {
    const { id, log, state, isElsewhere } = this.#parts;
    return log.merge(id, from, segment, isElsewhere ? state.seq : undefined);
  }

  /** Runs what needs memory to be where the log is; again where another host has written, or merged, behind that meanwhile. */
  async #abreast<T>(act: () => Promise<T>): Promise<T> {
    for (let looks = 0; ; looks++) {
      const { seq } = this.#parts.state;
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof BehindLog) || looks === MOST_LOOKS) throw error;
        await this.#parts.writer.look();
        if (this.#parts.state.seq === seq) throw error;
      }
    }
  }

  /** Full parts of the log become segments, and the rest too up to a position where a batch has ended. */
  async #merge(upTo = 0, gone = NONE_GONE): Promise<void> {
    const { cuts } = this.#parts.state;
    for (let part = cuts.fullPart; part; part = cuts.fullPart) {
      await this.#mergePart(...part, gone);
      cuts.merged(part[1]);
    }
    if (cuts.stored >= upTo || this.#mergedTo === upTo) return;
    await this.#mergePart(cuts.stored, upTo, gone);
    this.#mergedTo = upTo;
  }

  /** What was overwritten before a log position leaves memory, if that is worth it. */
  async letGo(before: number): Promise<void> {
    const { writer, lettingGo } = this.#parts;
    await writer.whenSettled(() => lettingGo.run(before));
  }

  async #mergePart(from: number, to: number, gone: GivenUp): Promise<void> {
    const { id, log, state, isElsewhere } = this.#parts;
    const pack = await this.#packOf(from, to, gone);
    if (await log.merge(id, from, { count: to - from, pack }, isElsewhere ? state.seq : undefined)) return;
    if ((await log.remains(id))?.isBarred) throw await this.#parts.writer.refusal();
    throw new BehindLog(`the log of room ${id} has no records from ${from} to ${to}`);
  }

  async #packOf(from: number, to: number, gone: GivenUp): Promise<Uint8Array> {
    const { state, speaker, dormant } = this.#parts;
    const { graph, seals } = state;
    for (const node of gone.blanked.keys())
      if (node >= from && node < to) return packWithout(gone, graph, [from, to], seals, speaker.word, dormant);
    const { withheld } = graph.table;
    const headers = { has: (node: number) => gone.nodes.has(node) || withheld.has(node), tells: () => true };
    return partialPack(graph, rangeOf(from, to), seals, headers, speaker.word, dormant);
  }

  /** Writes ids of packed nodes to files, where that is worth it, or where they lie in those of the room that this one was forked of. */
  async #fileIds(): Promise<{ readonly table: NodeTable; readonly ids: FiledIds } | undefined> {
    const { id, images, state, leastFiled } = this.#parts;
    const { table, packed } = state.graph;
    const { filed } = table;
    if (!images.ids) return undefined;
    const worth = Math.max(1, leastFiled ?? (filed ? MORE_FILED : LEAST_FILED));
    const isOwn = !filed || images.ids.isOf(id, filed);
    if (isOwn && packed - table.filedTo < worth) return undefined;
    return { table, ids: await images.ids.add(id, filed, idsBefore(table, packed)) };
  }

  /** Writes the room down as it is at one moment, at which `also` runs too. */
  async writeImage<T>(also: () => T): Promise<T> {
    const { id, images, state, genesis, telemetry, writer } = this.#parts;
    const filed = await this.#fileIds();
    const { image, names, size, result } = await writer.whenSettled(() => {
      state.expectWhole();
      const { table } = state.graph;
      // Another table is there where nodes were erased meanwhile.
      if (filed && filed.table === table) fileIds(table, filed.ids);
      return { image: state.image(genesis), names: table.filed?.names, size: sizeOf(state), result: also() };
    });
    // A room without a durable fact leaves nothing behind.
    if (size > 0) {
      await images.put(id, [image]);
      if (names) await images.ids?.keep(id, names);
      telemetry.record('snapshot_total', 1, 'image');
    }
    this.#imaged = size;
    return result;
  }
}

/** Memory is not where the log is any more. */
class BehindLog extends Error {}

/** What reading its log costs: its nodes, or what they write, where a node writes much. */
function sizeOf({ seq, graph }: RoomState): number {
  return seq === 0 ? 0 : Math.max(seq, graph.table.opsEnd.get(seq - 1));
}
