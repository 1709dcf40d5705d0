/** Conflicts of a room, through the embedding API. Rules CF1, CF2. */
import { z } from 'zod';
import { hostCommand } from '../contract/host-command.js';
import { SeenConflictShape, seenConflict } from '../wire/shapes.js';

export const getRecentConflicts = hostCommand({
  variant: 'GetRecentConflicts',
  event: 'RecentConflictsListed',
  summary: 'Writes that did not know each other, as they came since the room was opened: the newest 1,024.',
  in: z.object({ since_unix_ms: z.number().optional().describe('Only those of that time and later.') }),
  out: z.object({
    entries: z.array(SeenConflictShape).describe('Oldest first.'),
  }),
}).run(({ tenancy }, { since_unix_ms: since }) => ({
  entries: tenancy.conflicts.since(since).map(seenConflict),
}));
