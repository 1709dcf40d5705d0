/**
 * A room's tick: at an interval it takes what peers have asked for under one prefix and writes it where it counts, under
 * `world/`. [TI1]
 *
 * Driven by change: no changed intent, no node. Each intent that changed is decided, accepted or rejected, in the very
 * node that says how far the tick has come, so a restart repeats and forgets nothing. Settings are facts of the room.
 */
import { Policy } from '../access/policy.js';
import type { NodeId } from '../graph/node.js';
import type { Clock } from '../ports/clock.js';
import { Rejection } from '../rejection.js';
import type { ChangedRegister } from '../room/reading/written.js';
import type { Room } from '../room/room.js';
import { decidedIn, markedAt } from '../room/state/decided.js';
import { Facts, type TickSettings, tickFact } from '../room/state/facts.js';
import type { HeldWrite, Write } from '../room/state/write.js';
import type { RoomView, Transacted } from '../room/writing/decision.js';

const WORLD = 'world/';
export const TICK_DEFAULTS = { intervalMs: 100, leastIntervalMs: 10, intentPrefix: 'intent/' } as const;

/** Writes of one node. */
const NODE_WRITES = 10_000;

/** What became of one intent. */
export interface IntentResult {
  readonly key: string;
  readonly intentNode: NodeId;
  readonly status: 'accepted' | 'rejected';
  readonly reason?: string;
  /** The node that wrote it. */
  readonly node?: NodeId;
}

export interface TickParts {
  readonly room: Room;
  readonly clock: Clock;
  /** Told of each tick that decided something. */
  readonly decided: (results: readonly IntentResult[]) => void;
  readonly onFault: (error: unknown) => void;
}

export class Tick {
  readonly #parts: TickParts;
  /** Nodes up to here have been looked at. */
  #seen = 0;
  #cancel: (() => void) | undefined;
  #isBusy = false;

  constructor(parts: TickParts) {
    this.#parts = parts;
    const { facts } = parts.room;
    this.#seen = facts.tickMark;
    if (facts.tick) this.#schedule(facts.tick);
  }

  /** What is in force; undefined while the tick does not run. */
  get settings(): TickSettings | undefined {
    return this.#parts.room.facts.tick;
  }

  /** Whether it is deciding. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Answers what is in force then, and whether it was before. */
  async start(wanted: TickSettings, by: string): Promise<{ readonly settings: TickSettings; readonly isNew: boolean }> {
    const { room } = this.#parts;
    const { result } = await room.transact((view) => {
      const running = new Facts(view).tick;
      return running
        ? { writes: [], result: { settings: running, isNew: false } }
        : { writes: [tickFact(wanted, by)], result: { settings: wanted, isNew: true } };
    });
    if (result.isNew) this.#schedule(result.settings);
    return result;
  }

  async stop(by: string): Promise<void> {
    this.rest();
    const { room } = this.#parts;
    await room.transact((view) => ({
      writes: new Facts(view).tick ? [tickFact(undefined, by)] : [],
      result: undefined,
    }));
  }

  /** Stops until the room is opened again. */
  rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(settings: TickSettings): void {
    this.rest();
    this.#cancel = this.#parts.clock.after(settings.intervalMs, () => {
      this.#run(settings).catch((error: unknown) => {
        if (!isPutAway(error)) this.#parts.onFault(error);
      });
    });
  }

  async #run(settings: TickSettings): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#decide(settings);
    } finally {
      this.#isBusy = false;
      // Stopped or started anew meanwhile, it is not this one's to go on.
      if (this.#cancel && this.settings) this.#schedule(this.settings);
    }
  }

  async #decide({ intentPrefix, intentPolicy }: TickSettings): Promise<void> {
    const { room, decided } = this.#parts;
    const end = room.seq;
    const changed = this.#undecided(end, intentPrefix);
    if (changed.length > 0) {
      const policy = intentPolicy && new Policy(intentPolicy);
      const results: IntentResult[] = [];
      for (let from = 0; from < changed.length; from += NODE_WRITES) {
        const some = changed.slice(from, from + NODE_WRITES);
        const isLast = from + NODE_WRITES >= changed.length;
        results.push(...(await this.#write(some, intentPrefix, policy, isLast ? end : undefined)));
      }
      decided(results);
    }
    this.#seen = end;
  }

  /** An intent that lost against one that is decided says nothing, and what came with an import may be decided. */
  #undecided(end: number, prefix: string): ChangedRegister[] {
    const { room } = this.#parts;
    const changed = room.written.registersChanged(this.#seen, end, prefix);
    if (changed.length === 0) return [];
    const decided = [[0, this.#seen] as const, ...decidedIn(room)];
    return changed.filter(({ at }) => !decided.some(([from, to]) => at >= from && at < to));
  }

  async #write(
    changed: readonly ChangedRegister[],
    prefix: string,
    policy: Policy | undefined,
    mark: number | undefined,
  ): Promise<IntentResult[]> {
    const isAllowed = ({ author, key }: ChangedRegister): boolean => policy?.allows(author, key) ?? true;
    const writes: (Write | HeldWrite)[] = changed
      .filter(isAllowed)
      .map(({ key, held }) => ({ key: WORLD + key.slice(prefix.length), held }));
    const marked = (view: RoomView): Write[] => (mark === undefined ? [] : markedAt(mark, view));
    const written = await this.#parts.room
      .transact((view) => ({ writes: [...writes, ...marked(view)], result: undefined }))
      .catch(fullOr);
    const decided = fateOf(written);
    return changed.map((intent) => ({
      key: intent.key,
      intentNode: intent.node,
      ...(isAllowed(intent) ? decided : ({ status: 'rejected', reason: 'intent-policy' } as const)),
    }));
  }
}

/** Why nothing can be written. */
type Full = 'room-full' | 'read-only';

function fateOf(written: Transacted<unknown> | Full): Omit<IntentResult, 'key' | 'intentNode'> {
  if (written === 'room-full' || written === 'read-only') return { status: 'rejected', reason: written };
  return { status: 'accepted', ...(written.nodeId === undefined ? {} : { node: written.nodeId }) };
}

/** The room was put away while it ticked: where it is opened anew, it ticks on. */
function isPutAway(error: unknown): boolean {
  return error instanceof Rejection && (error.reason === 'room-replaced' || error.reason === 'room-deleted');
}

/** A full room ticks on: its intents are rejected for that. */
function fullOr(error: unknown): Full {
  if (error instanceof Rejection && (error.reason === 'room-full' || error.reason === 'read-only')) return error.reason;
  throw error;
}

/** Why a prefix cannot be ticked; undefined when it can. */
export function faultOfPrefix(prefix: string): string | undefined {
  if (prefix === '') return 'is empty';
  if (prefix.startsWith(WORLD) || WORLD.startsWith(prefix)) return `overlaps ${WORLD}`;
  if (prefix.startsWith('_') || prefix.startsWith('\0')) return 'begins with _ or NUL, which are not for peers';
  return undefined;
}
