/** Schema of a child room's lineage, as commands show it and `lineageOf` reads it in a genesis. */
import { z } from 'zod';

export const LineageShape = z.object({
  parent_room_id: z.string(),
  parent_genesis: z.string(),
  parent_checkpoint: z.object({
    selector: z.literal('seq'),
    canonical_seq: z.number(),
    canonical_hash: z.string(),
    frontier: z.array(z.string()),
  }),
  child_purpose: z.string(),
  promotion_policy_id: z.string(),
  created_by: z.string(),
  created_at_hlc: z.number().describe('Unix milliseconds.'),
  adopted: z.array(z.string()),
});
