/**
 * Timeouts: questions are answered by default when their time is over, vendors' limits end, and leases of units and of files expire.
 *
 * When a question is due is recorded in wall-clock time, so it outlives a restart. A lease is counted in monotonic time from
 * when this host saw it; none is left from an earlier run, because a start ends them.
 */
import type { Ledger } from '../record/ledger/ledger.js';
import type { StudioLog } from '../log.js';
import type { Records } from '../record/views/records.js';
import { leaseEnds } from '../record/aggregates/file-lease/file-lease.js';
import { type Clock } from '../clock.js';
import { Agenda } from './agenda.js';
import { expire } from '../rules/people/clarify.js';
import { endLease, leaseId } from '../rules/queue/file-leases.js';
import { endLimit } from '../rules/queue/limits.js';
import { LEASE_MS, expireLease } from '../rules/queue/queue.js';

export interface Times {
  /** Heartbeat of the worker: its lease starts anew. */
  renew(workUnitId: string, generation: number): void;
  close(): void;
}

export interface TimesParts {
  readonly ledger: Pick<Ledger, 'change' | 'feed' | 'hostId'>;
  readonly records: Records;
  readonly wall: Clock;
  readonly steady: Clock;
  readonly log: StudioLog;
}

export function keepTimes({ ledger, records, wall, steady, log }: TimesParts): Times {
  const { hostId } = ledger;
  const questions = new Agenda(wall, log);
  const limits = new Agenda(wall, log);
  const leases = new Agenda(steady, log);
  const files = new Agenda(wall, log);
  /** Generation of the scheduled lease, by work unit. */
  const generations = new Map<string, number>();

  const noteQuestion = (id: string): void => {
    const { status, timeoutAt } = records.clarifications.get(id) ?? {};
    if (status !== 'open' || timeoutAt === undefined) return questions.drop(id);
    questions.put(id, Date.parse(timeoutAt), () => ledger.change('host', (change) => expire(change, records, id)));
  };
  const noteLimit = (id: string): void => {
    const { parkedFor, limited } = records.scheduledItems.get(id) ?? {};
    const { until } = limited ?? {};
    if (parkedFor !== 'Limit' || until === undefined) return limits.drop(id);
    limits.put(id, Date.parse(until), () => ledger.change('host', (change) => endLimit(change, records, id, until)));
  };
  const putLease = (id: string, generation: number): void => {
    generations.set(id, generation);
    leases.put(id, steady.now() + LEASE_MS, () =>
      ledger.change('host', (change) => expireLease(change, records, id, generation)),
    );
  };
  const noteLease = (id: string): void => {
    const { place, generation, leasedOn = hostId } = records.scheduledItems.get(id) ?? {};
    // A lease is expired by the host that renews it.
    if (place === 'leased' && generation !== undefined && leasedOn === hostId) {
      if (generations.get(id) !== generation) putLease(id, generation);
    } else if (generations.delete(id)) leases.drop(id);
  };

  /** A file that nobody waits for is held for as long as its holder is at work. */
  const noteFile = (id: string): void => {
    const lease = records.fileLeases.get(id);
    const ends = lease && lease.waitQueue.length > 0 ? leaseEnds(lease) : undefined;
    if (ends === undefined) return files.drop(id);
    files.put(id, ends, () => ledger.change('host', (change) => endLease(change, records, id)));
  };

  for (const { requestId } of records.clarifications.all()) noteQuestion(requestId);
  for (const { workUnitId } of records.scheduledItems.where('place', 'parked')) noteLimit(workUnitId);
  for (const { goalId, path } of records.fileLeases.all()) noteFile(leaseId(goalId, path));
  const stop = ledger.feed.onEvent(({ stored: { aggregate, id } }) => {
    if (aggregate === 'clarification') noteQuestion(id);
    if (aggregate === 'file-lease') noteFile(id);
    if (aggregate === 'scheduled-item') {
      noteLimit(id);
      noteLease(id);
    }
  });
  return {
    renew: (id, generation) => {
      if (generations.get(id) === generation) putLease(id, generation);
    },
    close: () => {
      stop();
      questions.close();
      limits.close();
      leases.close();
      files.close();
    },
  };
}
