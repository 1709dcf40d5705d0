/**
 * Queue item with a lease: the place of one work unit in the queue. It waits for its turn, is leased to an agent, or is parked
 * for exactly one reason.
 *
 * Fencing token: each lease has a higher number than the one before, and a holder with an older number has lost it. So has a
 * holder with the same number for another agent: two hosts leased it at once, and the record has kept one of them.
 */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { changedFields, withFields } from '../fields.js';

export const PARK_REASONS = ['FileLease', 'Resume', 'Credentials', 'Clarification', 'Paused', 'Limit'] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

const about = { v: z.literal(1), workUnitId: z.string() };

/** Model choice; the key itself is never recorded. */
const choice = {
  provider: z.string().optional(),
  model: z.string().optional(),
  baseUrl: z.string().optional(),
  credentialRef: z.string().optional(),
  /** Whether malformed tool calls are repaired. */
  lenientToolParsing: z.boolean().optional(),
};

/** Limit of a vendor that a unit waits for. */
const Limited = z.object({
  /** Model and key that are limited. */
  of: z.string(),
  because: z.string(),
  /** Absent: until a person resumes it. */
  until: z.string().optional(),
  /** Whether another unit found the limit out, and tries first when it is over. */
  isBehind: z.literal(true).optional(),
});
export type Limited = z.infer<typeof Limited>;

const given = z.object({
  profileId: z.string(),
  taskId: z.string().optional(),
  sessionId: z.string().optional(),
  ...choice,
  /** Dead letter whose conversation is continued. */
  continuesEntryId: z.string().optional(),
  /** Number of an earlier conversation that is continued. */
  continuesRun: z.number().optional(),
});

const event = z.discriminatedUnion('type', [
  given.extend({ type: z.literal('WorkUnitScheduled'), ...about, attemptCount: z.number() }),
  z.object({ type: z.literal('SchedulerItemEquipped'), ...about, ...choice }),
  z.object({
    type: z.literal('SchedulerLeaseAcquired'),
    ...about,
    /** Version 1 did not name the host; there was one. */
    v: z.union([z.literal(1), z.literal(2)]),
    agentId: z.string(),
    expiresAt: z.string(),
    generation: z.number(),
    hostId: z.string().optional(),
  }),
  z.object({ type: z.literal('SchedulerLeaseReleased'), ...about, agentId: z.string(), success: z.boolean() }),
  z.object({ type: z.literal('SchedulerLeaseExpired'), ...about, priorAgentId: z.string() }),
  /** The host ended during the lease. */
  z.object({ type: z.literal('SchedulerLeaseInterrupted'), ...about, priorAgentId: z.string() }),
  z.object({
    type: z.literal('SchedulerItemParked'),
    ...about,
    reason: z.enum(PARK_REASONS),
    limited: Limited.optional(),
  }),
  z.object({ type: z.literal('SchedulerItemResumed'), ...about }),
  z.object({ type: z.literal('SchedulerItemRemoved'), ...about }),
]);
export type ScheduledItemEvent = z.infer<typeof event>;
type Events = readonly ScheduledItemEvent[];

export type Schedule = z.infer<typeof given>;
export type ModelChoice = Pick<Schedule, keyof typeof choice>;

/** Model fields that are set; unset ones must not overwrite. */
export function modelOf(held: ModelChoice): ModelChoice {
  const said = Object.entries(held).filter(([key, value]) => key in choice && value !== undefined);
  return Object.fromEntries(said);
}

export interface ScheduledItem extends Schedule {
  readonly workUnitId: string;
  readonly place: 'queued' | 'leased' | 'parked' | 'removed';
  readonly parkedFor?: ParkReason;
  readonly limited?: Limited;
  readonly leasedBy?: string;
  /** Host that works on it. */
  readonly leasedOn?: string;
  readonly leasedAt?: string;
  readonly expiresAt?: string;
  readonly generation: number;
  readonly attemptCount: number;
  /** Interruptions by the end of the host since it was scheduled. */
  readonly interruptions: number;
  /** Number of its stay in the queue, from which an agent's budget is counted. */
  readonly schedule: number;
  /** Number of its conversation: that of this stay, or of the one that it continues. */
  readonly run: number;
}

export const scheduledItem = aggregate<ScheduledItem>()({
  name: 'scheduled-item',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'WorkUnitScheduled') return scheduled(state, event);
    if (!state) return state;
    const { parkedFor: _for, limited: _limited, ...held } = state;
    const { leasedBy: _by, leasedOn: _on, leasedAt: _at, expiresAt: _expires, ...rest } = held;
    switch (event.type) {
      case 'SchedulerItemEquipped': {
        const { type: _type, v: _v, workUnitId: _id, ...changed } = event;
        return { ...state, ...changed };
      }
      case 'SchedulerLeaseAcquired': {
        const { agentId, generation, expiresAt, hostId } = event;
        const attemptCount = rest.attemptCount + 1;
        return {
          ...rest,
          place: 'leased',
          leasedBy: agentId,
          leasedAt: at,
          expiresAt,
          generation,
          attemptCount,
          ...(hostId === undefined ? {} : { leasedOn: hostId }),
        };
      }
      case 'SchedulerLeaseReleased':
      case 'SchedulerLeaseExpired':
      case 'SchedulerItemResumed':
        return { ...rest, place: 'queued' };
      case 'SchedulerLeaseInterrupted':
        return { ...rest, place: 'parked', parkedFor: 'Resume', interruptions: rest.interruptions + 1 };
      case 'SchedulerItemParked':
        return {
          ...rest,
          place: 'parked',
          parkedFor: event.reason,
          ...(event.limited && { limited: event.limited }),
        };
      case 'SchedulerItemRemoved':
        return { ...rest, place: 'removed' };
    }
  },
  decide: {
    /** Schedules it. A queued item keeps its turn, a parked one stays parked; fields that are not given stay. */
    schedule(state, { workUnitId, ...wanted }: Schedule & { readonly workUnitId: string }): Events {
      if (state?.place === 'leased') throw wrong(state, 'is being worked on');
      const attemptCount = state?.attemptCount ?? 0;
      if (!state || state.place === 'removed')
        return [{ type: 'WorkUnitScheduled', v: 1, workUnitId, ...wanted, attemptCount }];
      const before = given.parse(state);
      if (Object.keys(changedFields(before, wanted)).length === 0) return [];
      return [{ type: 'WorkUnitScheduled', v: 1, workUnitId, ...withFields(before, wanted), attemptCount }];
    },

    /** Keeps how it is to be worked on; it has no place in the queue until its turn may come. */
    want(state, { workUnitId, ...wanted }: Schedule & { readonly workUnitId: string }): Events {
      if (state && state.place !== 'removed') throw wrong(state, 'is in the queue');
      const attemptCount = state?.attemptCount ?? 0;
      return [
        { type: 'WorkUnitScheduled', v: 1, workUnitId, ...wanted, attemptCount },
        { type: 'SchedulerItemRemoved', v: 1, workUnitId },
      ];
    },

    equip(state, choice: ModelChoice): Events {
      const { workUnitId } = inQueue(state);
      const changed = Object.values(choice).some((value) => value !== undefined);
      return changed ? [{ type: 'SchedulerItemEquipped', v: 1, workUnitId, ...choice }] : [];
    },

    lease(state, { agentId, expiresAt, hostId }: Readonly<Record<'agentId' | 'expiresAt' | 'hostId', string>>): Events {
      const { workUnitId, place, generation } = inQueue(state);
      if (place !== 'queued') throw wrong(inQueue(state), `is ${place}`);
      const taken = { agentId, expiresAt, generation: generation + 1, hostId };
      return [{ type: 'SchedulerLeaseAcquired', v: 2, workUnitId, ...taken }];
    },

    /** Releases the lease by its holder. */
    release(state, { generation }: { readonly generation: number }): Events {
      return state?.generation === generation ? released(state, false) : [];
    },

    expire(state, { generation }: { readonly generation: number }): Events {
      if (state?.leasedBy === undefined || state.generation !== generation) return [];
      const { workUnitId, leasedBy: priorAgentId } = state;
      return [{ type: 'SchedulerLeaseExpired', v: 1, workUnitId, priorAgentId }];
    },

    interrupt(state): Events {
      if (state?.leasedBy === undefined) return [];
      const { workUnitId, leasedBy: priorAgentId } = state;
      return [{ type: 'SchedulerLeaseInterrupted', v: 1, workUnitId, priorAgentId }];
    },

    park(state, { reason, limited }: { readonly reason: ParkReason; readonly limited?: Limited }): Events {
      const item = inQueue(state);
      if (item.parkedFor === reason && item.limited?.until === limited?.until) return [];
      const { workUnitId } = item;
      const parked = { type: 'SchedulerItemParked' as const, v: 1 as const, workUnitId, reason };
      return [...released(item, false), limited ? { ...parked, limited } : parked];
    },

    resume(state): Events {
      const { workUnitId, place } = inQueue(state);
      return place === 'parked' ? [{ type: 'SchedulerItemResumed', v: 1, workUnitId }] : [];
    },

    remove(state, { success }: { readonly success: boolean }): Events {
      if (!state || state.place === 'removed') return [];
      return [...released(state, success), { type: 'SchedulerItemRemoved', v: 1, workUnitId: state.workUnitId }];
    },
  },
});

/** Identity of a lease. Hosts that have not heard of each other may reach the same number. */
export type Lease = Pick<ScheduledItem, 'generation' | 'leasedBy'>;

/** Whether a lease is the present one. */
export function isHeld(item: ScheduledItem | undefined, { generation, leasedBy }: Lease): boolean {
  return item?.place === 'leased' && item.generation === generation && item.leasedBy === leasedBy;
}

/** Guard: refuses a holder of an old lease. */
export function requireLease(item: ScheduledItem | undefined, lease: Lease): void {
  if (isHeld(item, lease)) return;
  throw refusal('reject.lease_lost', 'this lease is over', {
    place: item?.place ?? 'removed',
    generation: item?.generation ?? 0,
  });
}

function scheduled(
  state: ScheduledItem | undefined,
  event: Extract<ScheduledItemEvent, { type: 'WorkUnitScheduled' }>,
): ScheduledItem {
  const { type: _type, v: _v, ...given } = event;
  const isNew = !state || state.place === 'removed';
  const schedule = (state?.schedule ?? 0) + (isNew ? 1 : 0);
  const { continuesEntryId, continuesRun } = given;
  const before = !isNew || continuesEntryId !== undefined ? state?.run : continuesRun;
  const run = before ?? schedule;
  const counts = { generation: state?.generation ?? 0, interruptions: 0, schedule, run };
  if (state?.place !== 'parked') return { ...given, ...counts, place: 'queued' };
  const { parkedFor = 'Resume', limited } = state;
  return { ...given, ...counts, place: 'parked', parkedFor, ...(limited && { limited }) };
}

function released({ workUnitId, leasedBy: agentId }: ScheduledItem, success: boolean): ScheduledItemEvent[] {
  return agentId === undefined ? [] : [{ type: 'SchedulerLeaseReleased', v: 1, workUnitId, agentId, success }];
}

function inQueue(state: ScheduledItem | undefined): ScheduledItem {
  if (state && state.place !== 'removed') return state;
  throw refusal('reject.not_scheduled', 'this work unit is not in the queue');
}

function wrong({ workUnitId, place }: ScheduledItem, why: string): Error {
  return refusal('reject.wrong_state', `work unit ${workUnitId} ${why}`, { workUnitId, place });
}
