/** Schema of a write policy: what commands take, and what `policyValue` reads in a room. */
import { z } from 'zod';
import { GLOB_BOUNDS } from '../access/glob.js';

const key = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase());

export const PolicyShape = z.object({
  default: z.enum(['allow', 'deny']),
  rules: z
    .array(z.object({ path_glob: z.string().max(GLOB_BOUNDS.length), can_write: z.array(key) }))
    .max(GLOB_BOUNDS.patterns),
});
