/** Collision: two pieces of work under way whose branches could not be merged with each other, found before either tries. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const about = { v: z.literal(1), collisionId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('CollisionFound'),
    ...about,
    repositoryId: z.string(),
    workUnitIds: z.tuple([z.string(), z.string()]),
    /** Files in conflict. */
    paths: z.array(z.string()),
  }),
  /** One of the two has moved away, or is over. */
  z.object({ type: z.literal('CollisionEnded'), ...about }),
]);
type Events = readonly z.infer<typeof event>[];
type Given = Omit<Extract<z.infer<typeof event>, { type: 'CollisionFound' }>, 'type' | 'v'>;

export interface Collision extends Given {
  readonly isOpen: boolean;
  /** Since when it is as it is, ISO 8601. */
  readonly since: string;
}

export const collision = aggregate<Collision>()({
  name: 'collision',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitIds }) => workUnitIds[0],
  evolve(state, event, { at }) {
    if (event.type === 'CollisionEnded') return state && { ...state, isOpen: false, since: at };
    const { type: _type, v: _v, ...given } = event;
    return { ...given, isOpen: true, since: at };
  },
  decide: {
    find(state, given: Given): Events {
      if (state?.isOpen && state.paths.join('\n') === given.paths.join('\n')) return [];
      return [{ type: 'CollisionFound', v: 1, ...given }];
    },

    end(state, _given: object): Events {
      return state?.isOpen ? [{ type: 'CollisionEnded', v: 1, collisionId: state.collisionId }] : [];
    },
  },
});
