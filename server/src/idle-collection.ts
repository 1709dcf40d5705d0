/**
 * Collection of garbage in a process that has fallen idle: the engine of JavaScript collects when something is allocated, so
 * what a burst of work has left would stay for as long as nothing happens.
 *
 * For programs that are a server and nothing else. Each thread has garbage of its own.
 */
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Telemetry } from '@weft/core';

/** Share of the time since the last look for which a thread that is idle may have worked. */
const IDLE_SHARE = 0.05;
/** Looks in a row at which it was idle: a short pause of a load is no idleness. */
const IDLE_LOOKS = 2;
const LOOK_MS = 5000;
/** Growth beyond what is in use that is worth a pause: a share of it, so that a large heap is seldom gone through, and bytes. */
const SLACK_SHARE = 0.25;
const SLACK_BYTES = 16e6;

/** The thread, as it is seen from here. */
export interface Thread {
  /** Share of the time since the last call for which it worked. */
  worked(): number;
  /** Bytes that its heap and its buffers take, garbage too. */
  taken(): number;
  collect(): void;
}

export class IdleCollection {
  readonly #thread: Thread;
  /** What rooms in memory take, about. */
  #roomsBytes = (): number => 0;
  #idleLooks = 0;
  /** What was taken after the last collection by other things than rooms; at first all is taken for garbage. */
  #besideRooms = 0;

  constructor(thread: Thread = thisThread()) {
    this.#thread = thread;
  }

  /** Telemetry for the host whose rooms come and go here. */
  hearing(telemetry: Telemetry): Telemetry {
    const watch: Telemetry['watch'] = (metric, read) => {
      if (metric === 'rooms_bytes') this.#roomsBytes = read;
      telemetry.watch?.(metric, read);
    };
    return { ...telemetry, watch };
  }

  /** Looks from time to time; the result ends that. It keeps no process alive. */
  start(): () => void {
    const timer = setInterval(() => this.look(), LOOK_MS).unref();
    return () => clearInterval(timer);
  }

  /** Collects if the thread is idle and takes far more than is in use. */
  look(): void {
    this.#idleLooks = this.#thread.worked() < IDLE_SHARE ? this.#idleLooks + 1 : 0;
    if (this.#idleLooks < IDLE_LOOKS) return;
    const used = this.#besideRooms + this.#roomsBytes();
    if (this.#thread.taken() <= used + Math.max(used * SLACK_SHARE, SLACK_BYTES)) return;
    this.#thread.collect();
    this.#besideRooms = Math.max(0, this.#thread.taken() - this.#roomsBytes());
    this.#thread.worked(); // the collection itself is no work
  }
}

function thisThread(): Thread {
  let collect: (() => void) | undefined;
  let before = performance.eventLoopUtilization();
  return {
    worked() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    taken() {
      const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics();
      return heap + buffers;
    },
    collect() {
      collect ??= collector();
      collect();
    },
  };
}

/** The engine's own collector, which has no other name in a process that was started without `--expose-gc`. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
