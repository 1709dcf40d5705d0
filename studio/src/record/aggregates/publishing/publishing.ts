/** Publishing: how work of a repository, or of one goal, leaves this host. People say it; what a goal says comes before its repository. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const PUBLISH_SHAPES = ['as_is', 'merge', 'squash', 'rebase'] as const;
export const SIGNATURES = ['none', 'ssh', 'gpg'] as const;

const Person = z.object({ name: z.string(), email: z.string() });

const settings = z.object({
  remote: z.string().optional(),
  base: z.string().optional(),
  branch: z.string().optional(),
  shape: z.enum(PUBLISH_SHAPES).optional(),
  message: z.string().optional(),
  author: Person.optional(),
  coAuthors: z.array(Person).optional(),
  sign: z.enum(SIGNATURES).optional(),
  signingKey: z.string().optional(),
});
export type PublishingSettings = Readonly<z.infer<typeof settings>>;

const event = z.object({ type: z.literal('PublishingSet'), v: z.literal(1), ofId: z.string(), settings });

export interface Publishing {
  /** Repository, or goal. */
  readonly ofId: string;
  readonly settings: PublishingSettings;
  readonly setAt: string;
}

export const publishing = aggregate<Publishing>()({
  name: 'publishing',
  room: 'workgroup',
  event,
  evolve: (_state, { ofId, settings: set }, { at }) => ({ ofId, settings: set, setAt: at }),
  decide: {
    set: (state, { ofId, settings: wanted }: { ofId: string; settings: PublishingSettings }) =>
      state && JSON.stringify(state.settings) === JSON.stringify(wanted)
        ? []
        : [{ type: 'PublishingSet', v: 1, ofId, settings: wanted } as const],
  },
});
