import { z } from 'zod';
import { aggregate } from '../record/aggregates/aggregate.js';
import { Collection } from '../record/ledger/collection.js';
import { refusal } from '../reasons.js';

/** A thing that only tests keep: a number that grows until it is full, or until it ends. */
export interface Tally {
  readonly id: string;
  readonly sum: number;
  readonly tags: readonly string[];
  readonly workUnitId?: string | undefined;
  readonly by: string;
  readonly at: string;
}

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('TallyOpened'),
    v: z.literal(1),
    id: z.string(),
    tags: z.array(z.string()),
    workUnitId: z.string().optional(),
  }),
  z.object({ type: z.literal('TallyAdded'), v: z.literal(1), much: z.number() }),
  z.object({ type: z.literal('TallyTagged'), v: z.literal(1), tags: z.array(z.string()) }),
  z.object({ type: z.literal('TallyEnded'), v: z.literal(1) }),
]);
export type TallyEvent = z.infer<typeof event>;

const MOST = 10;

export const tally = aggregate<Tally>()({
  name: 'tally',
  room: 'workgroup',
  event,
  evolve(state, event: TallyEvent, { at, by }): Tally | undefined {
    switch (event.type) {
      case 'TallyOpened':
        return { id: event.id, sum: 0, tags: event.tags, workUnitId: event.workUnitId, by, at };
      case 'TallyAdded':
        return state && { ...state, sum: state.sum + event.much };
      case 'TallyTagged':
        return state && { ...state, tags: event.tags };
      case 'TallyEnded':
        return undefined;
    }
  },
  decide: {
    open(_state, { id, tags = [], workUnitId }: { id: string; tags?: string[]; workUnitId?: string }): TallyEvent[] {
      return [{ type: 'TallyOpened', v: 1, id, tags, ...(workUnitId === undefined ? {} : { workUnitId }) }];
    },
    add(state, { much }: { much: number }): TallyEvent[] {
      if (!state) throw refusal('reject.goal_not_found', 'not open');
      if (state.sum + much > MOST) throw refusal('reject.wrong_state', `full at ${state.sum}`);
      return much === 0 ? [] : [{ type: 'TallyAdded', v: 1, much }];
    },
    tag: (_state, { tags }: { tags: string[] }): TallyEvent[] => [{ type: 'TallyTagged', v: 1, tags }],
    end: (): TallyEvent[] => [{ type: 'TallyEnded', v: 1 }],
  },
  workUnitOf: ({ workUnitId }) => workUnitId,
});

export class Tallies extends Collection<Tally, TallyEvent, 'tag' | 'workUnit'> {
  constructor() {
    super(tally, { tag: ({ tags }) => tags, workUnit: ({ workUnitId }) => workUnitId });
  }
}
