/**
 * Memory of a repository: something that later work there should know. An agent proposes it, a person confirms or refuses it; only what is
 * confirmed is told. Its id follows from the repository and the text, so the same is proposed once, whatever became of it.
 */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

export const MEMORY_STATUSES = ['Proposed', 'Confirmed', 'Refused', 'Removed'] as const;
export type MemoryStatus = (typeof MEMORY_STATUSES)[number];

const about = { v: z.literal(1), memoryId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('MemoryProposed'),
    ...about,
    repositoryId: z.string(),
    text: z.string(),
    why: z.string().optional(),
    /** Work and agent that it comes from; absent for a person's. */
    workUnitId: z.string().optional(),
    agentId: z.string().optional(),
  }),
  z.object({ type: z.literal('MemoryConfirmed'), ...about, text: z.string() }),
  z.object({ type: z.literal('MemoryRefused'), ...about, notes: z.string().optional() }),
  z.object({ type: z.literal('MemoryRemoved'), ...about }),
]);
type MemoryEvent = z.infer<typeof event>;
type Events = readonly MemoryEvent[];
export type MemoryGiven = Omit<Extract<MemoryEvent, { type: 'MemoryProposed' }>, 'type' | 'v'>;

export interface Memory extends MemoryGiven {
  readonly status: MemoryStatus;
  /** How often its text was confirmed. */
  readonly version: number;
  readonly proposedAt: string;
  readonly decidedAt?: string;
  readonly notes?: string;
}

export const memory = aggregate<Memory>()({
  name: 'memory',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event: MemoryEvent, { at }): Memory | undefined {
    if (event.type === 'MemoryProposed') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, status: 'Proposed', version: 0, proposedAt: at };
    }
    if (!state) return undefined;
    switch (event.type) {
      case 'MemoryConfirmed':
        return { ...state, status: 'Confirmed', text: event.text, version: state.version + 1, decidedAt: at };
      case 'MemoryRefused':
        return {
          ...state,
          status: 'Refused',
          decidedAt: at,
          ...(event.notes === undefined ? {} : { notes: event.notes }),
        };
      case 'MemoryRemoved':
        return { ...state, status: 'Removed', decidedAt: at };
    }
  },
  decide: {
    /** Proposes it, unless it was proposed before, whatever became of it. */
    propose: (state, given: MemoryGiven): Events => (state ? [] : [{ type: 'MemoryProposed', v: 1, ...given }]),

    /** Confirms it in these words; one that stands is changed so, and one that was refused or removed stands again. */
    confirm(state, { text }: { text?: string | undefined }): Events {
      const { memoryId, status, text: before } = known(state);
      const words = text ?? before;
      return status === 'Confirmed' && words === before
        ? []
        : [{ type: 'MemoryConfirmed', v: 1, memoryId, text: words }];
    },

    refuse(state, { notes }: { notes?: string | undefined }): Events {
      const { memoryId, status } = known(state);
      if (status === 'Refused') return [];
      if (status !== 'Proposed')
        throw refusal('reject.wrong_state', `${memoryId} is ${status}; remove it instead`, { memoryId, status });
      return [{ type: 'MemoryRefused', v: 1, memoryId, ...(notes === undefined ? {} : { notes }) }];
    },

    remove(state, _: object): Events {
      const { memoryId, status } = known(state);
      return status === 'Removed' ? [] : [{ type: 'MemoryRemoved', v: 1, memoryId }];
    },
  },
});

function known(state: Memory | undefined): Memory {
  if (!state) throw refusal('reject.memory_not_found', 'no memory has this id');
  return state;
}
