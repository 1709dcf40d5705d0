/** Schema of a write policy: what commands take, and what `policyValue` reads in a room. */
import { z } from 'zod';
import { GLOB_BOUNDS } from '../access/glob.js';
import type { PolicyValue } from '../access/policy.js';
import { Text } from './scalars.js';

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

const Rules = z.array(z.object({ path_glob: z.string(), can_write: z.array(z.unknown()).default([]) }));
const RULES = 'an array of objects, each with a string path_glob and an array can_write';

/** Not every object has a text. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, 64);

/**
 * Reads a policy from what somebody has sent; what is wrong with it as a text, which clients know. Nothing stands in for what
 * is missing: a default that is not said would open a room. [PO5]
 */
export function readPolicy(fields: { readonly default?: unknown; readonly rules?: unknown }): PolicyValue | string {
  const { default: otherwise, rules } = fields;
  if (otherwise === undefined || otherwise === null) return "default is missing, say 'allow' or 'deny'";
  if (otherwise !== 'allow' && otherwise !== 'deny')
    return `unknown default '${shown(otherwise)}', use 'allow' or 'deny'`;
  if (rules === undefined || rules === null) return `rules is missing, ${RULES}`;
  const listed = Rules.safeParse(rules);
  if (!listed.success) return `rules is ${RULES}`;
  if (listed.data.some(({ path_glob: glob }) => !Text.safeParse(glob).success))
    return 'a path_glob holds half a character';
  const writers = listed.data.flatMap(({ can_write }) => can_write);
  const bad = writers.findIndex((writer) => !key.safeParse(writer).success);
  if (bad >= 0) return `invalid pubkey hex '${shown(writers[bad])}'`;
  const policy = PolicyShape.safeParse({ default: otherwise, rules: listed.data });
  return policy.success ? policy.data : 'a rule is too long, or there are too many';
}
