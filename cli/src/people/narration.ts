/** Narration: what happens to a goal, told line by line as it happens. */
import type { Notify } from '../output/desktop.js';
import { printable } from '../output/show.js';
import type { Terminal } from '../syntax/define.js';
import type { StudioClient } from '../studio/studio-client.js';
import { type UnitSeen, type Waiting, goalsOf, isOver, waitingIn } from './work.js';

export interface Narrated {
  /** State of the goal when the narration ended. */
  readonly status: string;
  readonly waiting: readonly Waiting[];
}

const COLOURS: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'cyan'>> = {
  Merged: 'green',
  Completed: 'green',
  Approved: 'green',
  Failed: 'red',
  Cancelled: 'red',
  Reviewing: 'yellow',
  Proposed: 'yellow',
  Waiting: 'yellow',
  Executing: 'cyan',
};

/**
 * Tells of a goal until it is over, or until `isEnough` says so of what waits for somebody. Events wake it, and what is told
 * follows from how things stand: whatever happens while it looks is seen at the next look. `notify` is told what waits, too.
 */
export async function narrate(
  client: StudioClient,
  goalId: string,
  terminal: Terminal,
  isEnough: (waiting: readonly Waiting[]) => boolean,
  notify?: Notify,
): Promise<Narrated> {
  const told = new Map<string, string>();
  const over = new AbortController();
  let seen: Narrated = { status: '', waiting: [] };
  const look = async (): Promise<void> => {
    const goals = (await goalsOf(client)).filter((goal) => goal.goalId === goalId);
    for (const { workUnitId, status, goal } of await unitsOf(client, goalId)) {
      if (told.get(workUnitId) === status) continue;
      told.set(workUnitId, status);
      terminal.out(`  ${painted(status.padEnd(12), status, terminal)} ${titleOf(goal)}`);
    }
    const waiting = await waitingIn(client, goals);
    for (const { id, kind, what, commands } of waiting) {
      if (told.has(`${kind} ${id}`)) continue;
      told.set(`${kind} ${id}`, what);
      terminal.out(`  ${terminal.paint('yellow', 'for you'.padEnd(12))} ${what}`);
      terminal.out(`  ${' '.repeat(12)} ${terminal.paint('bold', commands[0] ?? '')}`);
      await notify?.(what);
    }
    const [goal] = goals;
    seen = { status: goal?.status ?? 'gone', waiting };
    if (!goal || isOver(goal) || isEnough(waiting)) over.abort();
  };
  const looks = new Looks(look, over);
  // From the first event on, so that nothing is missed between a look and the stream; many events are one look.
  await client.follow('event.follow', { goalId, after: 0 }, () => looks.wake(), over.signal);
  looks.check();
  if (!over.signal.aborted && !terminal.stop.aborted)
    throw new Error('the studio has ended its stream; weft status shows how things stand when it is back');
  return seen;
}

/** Looks one after the other: whatever wakes one that is under way has another look follow. */
class Looks {
  readonly #look: () => Promise<void>;
  readonly #over: AbortController;
  #isDue = false;
  #isLooking = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(look: () => Promise<void>, over: AbortController) {
    this.#look = look;
    this.#over = over;
  }

  wake(): void {
    this.#isDue = true;
    if (!this.#isLooking) void this.#run();
  }

  /** Throws what a look has failed with, which ended them. */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #run(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#isDue && !this.#over.signal.aborted) {
        this.#isDue = false;
        await this.#look();
      }
    } catch (error) {
      this.#failure = { error };
      this.#over.abort();
    } finally {
      this.#isLooking = false;
    }
  }
}

function unitsOf(client: StudioClient, goalId: string): Promise<UnitSeen[]> {
  return client.call<UnitSeen[]>('workunit.list', { goalId });
}

export function titleOf(goal: string): string {
  const [first = ''] = goal.split('\n');
  return printable(first.length > 90 ? `${first.slice(0, 89)}…` : first);
}

export function painted(text: string, status: string, { paint }: Pick<Terminal, 'paint'>): string {
  const colour = COLOURS[status];
  return colour === undefined ? text : paint(colour, text);
}
