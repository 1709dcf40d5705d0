/** Seen file: the content of a file that a reader knows, by reading or writing it. A stream for each reader and file. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({ type: z.literal('FileSeen'), v: z.literal(1), digest: z.string() });
type Seen = z.infer<typeof event>;

export interface SeenFile {
  readonly digest: string;
}

export const seenFile = aggregate<SeenFile>()({
  name: 'seen-file',
  room: 'workgroup',
  quiet: true,
  event,
  evolve: (_state, { digest }) => ({ digest }),
  decide: {
    see: (state, { digest }: SeenFile): readonly Seen[] =>
      state?.digest === digest ? [] : [{ type: 'FileSeen', v: 1, digest }],
  },
});
