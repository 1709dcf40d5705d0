/**
 * Watermark of the disk: below it a host is read-only, so that its store never meets a disk that is full. [LM12]
 *
 * It is looked at again and again, not at each write. What administers rooms, and what frees space, goes on: the mark is set so that
 * there is room for that.
 */
import type { Clock } from '../ports/clock.js';
import type { Store } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import { ComeBack } from '../rejection.js';

const LOOK_MS = 2000;
/** Share of the mark by which there must be more again, so that the host does not go back and forth. */
const AGAIN = 1.1;
const COME_BACK_MS = 60_000;

export interface DiskSpaceParts {
  readonly store: Pick<Store, 'free'>;
  /** Bytes that must be free. */
  readonly leastBytes: number;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly onFault: (error: unknown) => void;
}

export class DiskSpace {
  readonly #parts: DiskSpaceParts;
  #free = Number.POSITIVE_INFINITY;
  #isLow = false;
  #isOver = false;
  #cancel: () => void = () => undefined;

  constructor(parts: DiskSpaceParts) {
    this.#parts = parts;
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  /** Looks now, and from now on; a store that cannot say how much is free is taken to have enough. */
  async begin(): Promise<void> {
    const { store, telemetry } = this.#parts;
    if (!store.free) return;
    telemetry.watch?.('disk_free', () => (Number.isFinite(this.#free) ? this.#free : 0));
    telemetry.watch?.('read_only', () => (this.#isLow ? 1 : 0));
    await this.#look();
  }

  end(): void {
    this.#isOver = true;
    this.#cancel();
  }

  /** Refuses what would make the store larger while the disk has little left. */
  expectSpace(): void {
    if (!this.#isLow) return;
    const wait = Math.ceil(COME_BACK_MS * (0.2 + 0.8 * Math.random()));
    throw new ComeBack(
      'read-only',
      'the disk of the server is nearly full: nothing is taken until there is space',
      wait,
    );
  }

  async #look(): Promise<void> {
    const { store, leastBytes, clock, telemetry, onFault } = this.#parts;
    try {
      this.#free = (await store.free?.()) ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      onFault(error); // and what was known holds
    }
    const isLow = this.#free < (this.#isLow ? leastBytes * AGAIN : leastBytes);
    if (isLow !== this.#isLow) {
      const about = { free: this.#free, least: leastBytes };
      const [level, message] = isLow
        ? (['error', 'the disk is nearly full: the server is read-only'] as const)
        : (['info', 'the disk has space again: the server takes writes'] as const);
      telemetry.tell?.({ level, message, about });
    }
    this.#isLow = isLow;
    if (this.#isOver) return;
    this.#cancel = clock.after(LOOK_MS, () => void this.#look());
  }
}
