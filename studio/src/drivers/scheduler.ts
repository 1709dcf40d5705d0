/** Worker pool: leases queued units to agents, so many at a time, and sees to it that each agent ends. */
import { Rejection } from '@weft/core';
import { agent } from '../record/aggregates/agent/agent.js';
import { type ScheduledItem, isHeld, scheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import type { Clock } from '../clock.js';
import { agentFor } from '../rules/queue/agent-of.js';
import { collidesWithWork } from '../rules/queue/collisions.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import type { Times } from './keep-times.js';
import { pause } from './pause.js';
import { nextLease } from './next-lease.js';
import { type Taker, giveBack, itemOf } from '../rules/queue/queue.js';
import type { StudioLog } from '../log.js';
import type { RecordParts } from '../record/views/record-parts.js';
import type { Records } from '../record/views/records.js';

export interface SchedulerParts extends RecordParts {
  readonly times: Times;
  readonly steady: Clock;
  readonly log: StudioLog;
  /** Concurrency limit. */
  readonly most: () => number;
  /** Concurrency limit of one profile. */
  readonly mostOf: (profileId: string) => number;
  readonly hasKey: (credentialRef: string) => boolean;
  /** The agent loop. It ends when the unit is not leased to it any more. */
  readonly work: (item: ScheduledItem, signal: AbortSignal) => Promise<void>;
}

/** Name under which the scheduler's changes are recorded. */
const SCHEDULER = 'scheduler';
/** Heartbeat interval of a lease. */
const HEARTBEAT_MS = 60_000;
/** Back-off when the queue cannot be read. */
const PAUSE_MS = 1000;

interface Running {
  readonly item: ScheduledItem;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #running = new Map<string, Running>();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #unfollow: () => void;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#unfollow = parts.ledger.feed.onEvent(({ stored: { aggregate, id } }) => this.#note(aggregate, id));
    this.#ended = this.#run();
  }

  /** Stops all agents. Their units are in the queue again, and continue after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const { stop } of this.#running.values()) stop.abort();
    await this.#ended;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    this.#unfollow();
  }

  async #run(): Promise<void> {
    const { ledger, records, most, mostOf, hasKey, log, steady } = this.#parts;
    const taker: Taker = {
      agentId: SCHEDULER,
      hasKey,
      get most() {
        return most();
      },
      mayTake: (item) =>
        countOf(records, item.profileId) < mostOf(item.profileId) && collidesWithWork(records, item) === undefined,
      agentFor: (change, item) => agentFor(change, records, item),
    };
    while (!this.#stop.signal.aborted) {
      try {
        const item = await nextLease(ledger, records, taker, this.#stop.signal);
        if (item) this.#begin(item);
      } catch (error) {
        log({ level: 'error', message: 'nothing could be leased', error });
        await pause(steady, PAUSE_MS, this.#stop.signal);
      }
    }
  }

  #begin(item: ScheduledItem): void {
    const before = this.#running.get(item.workUnitId);
    before?.stop.abort();
    const stop = new AbortController();
    if (this.#stop.signal.aborted) stop.abort();
    const ended = (before?.ended ?? Promise.resolve())
      .then(() => this.#workOn(item, stop.signal))
      .catch((error: unknown) => this.#parts.log({ level: 'error', message: 'an agent did not end well', error }))
      .then(() => {
        if (this.#running.get(item.workUnitId) === running) this.#running.delete(item.workUnitId);
      });
    const running = { item, stop, ended };
    this.#running.set(item.workUnitId, running);
  }

  async #workOn(item: ScheduledItem, signal: AbortSignal): Promise<void> {
    const { ledger, records, work, log } = this.#parts;
    const { workUnitId, leasedBy: agentId } = item;
    const fallSilent = this.#keepAlive(item);
    try {
      await work(item, signal);
    } catch (error) {
      log({ level: 'error', message: 'an agent failed', about: { workUnitId }, error });
      const reason = error instanceof Error ? error.message : String(error);
      const kind =
        error instanceof Rejection && error.reason === 'reject.key_missing' ? 'MissingCredentials' : 'Exception';
      await ledger.change(SCHEDULER, (change) => {
        if (!isHeld(itemOf(change, workUnitId), item)) return;
        toDeadLetter(change, records, { workUnitId, kind, reason, agentId });
      });
    } finally {
      fallSilent();
    }
    await ledger.change(SCHEDULER, (change) => {
      giveBack(change, records, item);
      const isOver = itemOf(change, workUnitId) === undefined;
      if (isOver && agentId !== undefined && change.state(agent, agentId)) change.run(agent, agentId, 'stop', {});
    });
  }

  /** Keeps a lease alive while its agent works, however long a model thinks. */
  #keepAlive({ workUnitId, generation }: ScheduledItem): () => void {
    const { steady, times } = this.#parts;
    let callOff = (): void => undefined;
    const beat = (): void => {
      times.renew(workUnitId, generation);
      callOff = steady.after(HEARTBEAT_MS, beat);
    };
    beat();
    return () => callOff();
  }

  /** Stops an agent that has lost its unit for good; one whose unit is only parked ends at its next step. */
  #note(aggregate: string, id: string): void {
    if (aggregate === scheduledItem.name) {
      const running = this.#running.get(id);
      const now = itemOf(this.#parts.ledger.look, id);
      if (running && (now?.generation !== running.item.generation || isAnothers(now, running.item)))
        running.stop.abort();
    } else if (aggregate === agent.name && this.#parts.ledger.look.state(agent, id)?.status === 'stopped') {
      for (const { item, stop } of this.#running.values()) if (item.leasedBy === id) stop.abort();
    }
  }
}

/** Whether a concurrent lease of another host won. */
function isAnothers(now: ScheduledItem, mine: ScheduledItem): boolean {
  return now.place === 'leased' && !isHeld(now, mine);
}

function countOf(records: Records, profileId: string): number {
  return records.scheduledItems.where('place', 'leased').filter((one) => one.profileId === profileId).length;
}
