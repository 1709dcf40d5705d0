/** What the screen shows, read from the studio: the board whole, a transcript a page at a time. */
import type { AgentInfo, Attention, ConversationLogEntry, Goal } from '@weft/studio-client';
import type { StudioClient } from '../studio/studio-client.js';
import type { Board, UnitShown } from './board.js';

export async function readBoard(client: StudioClient): Promise<Board & { readonly asOf: number }> {
  // First the number: what happens during the reading is told again by the events behind it.
  const { asOf, items } = await client.call<{ asOf: number; items: readonly Attention[] }>('attention.list');
  const [{ goals }, units, agents] = await Promise.all([
    client.call<{ goals: readonly Goal[] }>('goal.list'),
    client.call<readonly UnitShown[]>('workunit.list'),
    client.call<readonly AgentInfo[]>('agent.list'),
  ]);
  return { asOf, goals, units, agents, waiting: items };
}

const PAGE = 50;
/** Cycles that are kept for scrolling back; the page shows those before them. */
const MOST_KEPT = 200;

/** Transcript of one unit. The page that was last is read again, since what it ends with may have gone on. */
export class Transcript {
  readonly workUnitId: string;
  readonly #client: StudioClient;
  /** Whole pages, of which the oldest are forgotten. */
  #before: readonly ConversationLogEntry[] = [];
  #cursor: string | undefined;

  constructor(client: StudioClient, workUnitId: string) {
    this.#client = client;
    this.workUnitId = workUnitId;
  }

  async read(): Promise<readonly ConversationLogEntry[]> {
    for (;;) {
      const cursor = this.#cursor === undefined ? {} : { cursor: this.#cursor };
      const input = { workUnitId: this.workUnitId, limit: PAGE, ...cursor };
      const { data, next } = await this.#client.ask('workunit-log.conversationLog', input);
      // The answer of an operation of this release.
      const page = data as readonly ConversationLogEntry[];
      if (next === undefined) return [...this.#before, ...page];
      this.#before = [...this.#before, ...page].slice(-MOST_KEPT);
      this.#cursor = next;
    }
  }
}
