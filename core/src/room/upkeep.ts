/**
 * What a room does so that it can be read and opened fast: records of its log become segments, and from time to time it
 * is written down as an image. [ST10] [ST11]
 *
 * Nothing here changes what the room is. It is done in the background, one thing at a time; when it fails, or the process
 * dies, the log is as true as before, and it is tried again with the next commit.
 */
import type { RoomId } from '../graph/room-id.js';
import type { Images, NodeLog } from '../ports/store.js';
import type { RoomState } from './state.js';

/** An image is written when so many nodes have come since, and a part of all there are: writing one costs them all. */
const LEAST_NODES = 8192;
const PART_OF_ALL = 1 / 4;
/** When a room is put away, a shorter way to catch up is worth an image. */
const REST_NODES = 512;

export interface UpkeepParts {
  readonly id: RoomId;
  readonly log: NodeLog;
  readonly images: Images;
  readonly state: RoomState;
  /** As a pack of one. */
  readonly genesis: Uint8Array;
  /** Runs something at a moment when all of the graph's nodes are settled. */
  readonly whenSettled: (task: () => void) => void;
  readonly onFault: (error: unknown) => void;
}

export class Upkeep {
  readonly #parts: UpkeepParts;
  /** The log's length when the last image was written. */
  #imaged: number;
  #working: Promise<void> | undefined;
  /** After a failure: the log's length from which on it is tried again. */
  #notBefore = 0;

  constructor(parts: UpkeepParts, imaged: number) {
    this.#parts = parts;
    this.#imaged = imaged;
  }

  /** Something was committed. */
  look(): void {
    if (this.#working || this.#parts.state.seq < this.#notBefore || !this.#isDue(LEAST_NODES)) return;
    this.#work(LEAST_NODES).catch(this.#parts.onFault);
  }

  /** The room is put away: resolves when it opens fast. */
  async rest(): Promise<void> {
    await this.#working;
    if (this.#isDue(REST_NODES)) await this.#work(REST_NODES);
  }

  #isDue(least: number): boolean {
    const { history } = this.#parts.state;
    return history.fullPart !== undefined || this.#isImageDue(least);
  }

  #isImageDue(least: number): boolean {
    const { seq } = this.#parts.state;
    const part = least < LEAST_NODES ? 0 : seq * PART_OF_ALL;
    return seq - this.#imaged >= Math.max(least, part);
  }

  #work(least: number): Promise<void> {
    const working = (async () => {
      await this.#merge();
      if (this.#isImageDue(least)) await this.#writeImage();
    })();
    this.#working = working
      .catch(() => {
        this.#notBefore = this.#parts.state.seq + LEAST_NODES;
      })
      .then(() => {
        this.#working = undefined;
      });
    return working;
  }

  async #merge(): Promise<void> {
    const { id, log, state } = this.#parts;
    const { history } = state;
    for (let part = history.fullPart; part; part = history.fullPart) {
      const [from, to] = part;
      const pack = history.pack(from, to);
      if (!pack) return;
      const isMerged = await log.merge(id, from, { count: to - from, pack });
      if (!isMerged) throw new Error(`the log of room ${id} has no records from ${from} to ${to}`);
      history.merged(to);
    }
  }

  async #writeImage(): Promise<void> {
    const { id, images } = this.#parts;
    const { image, seq } = await this.image();
    await images.put(id, [image]);
    this.#imaged = seq;
  }

  /** The room as it is at some moment soon. */
  image(): Promise<{ readonly image: Uint8Array; readonly seq: number }> {
    const { state, genesis, whenSettled } = this.#parts;
    return new Promise((resolve, reject) => {
      whenSettled(() => {
        try {
          resolve({ image: state.image(genesis), seq: state.seq });
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }
}
