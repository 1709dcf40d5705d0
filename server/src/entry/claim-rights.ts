/**
 * Table of rights by claims: what somebody may do in which room, by what his identity provider says of him.
 *
 * A rule counts in rooms that its pattern matches, for who has all the claims that it names; the rights of all rules that
 * count are added up. Whom no rule admits does not enter. `{name}` stands for the claim of that name, where that is plain text:
 * no value of a claim can widen a pattern.
 */
import { CAPABILITIES, Glob, READ_ONLY } from '@weft/core';
import * as z from 'zod';

export type ClaimValues = Readonly<Record<string, unknown>>;

const words: readonly string[] = [...CAPABILITIES, READ_ONLY];

const Cap = z.string().refine((cap) => words.includes(cap) || /^(read|write):[\x21-\x7e]+$/.test(cap), {
  error: ({ input }) =>
    `${JSON.stringify(input)} is no right; there are ${[...words, 'read:<glob>', 'write:<glob>'].join(', ')}`,
});
const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const Rule = z
  .object({
    rooms: z.string().min(1).describe('Pattern over room ids.'),
    when: z.record(z.string(), z.union([Scalar, z.array(Scalar).min(1)])).optional(),
    caps: z.array(Cap).describe('What it grants; none lets in, and gives no more.'),
  })
  .strict();

export const ClaimRules = z.object({ rules: z.array(Rule).min(1).max(1000) }).strict();
export type ClaimRules = z.output<typeof ClaimRules>;

/** Rights in a room; undefined for who may not enter it. */
export function capsOf({ rules }: ClaimRules, claims: ClaimValues, room: string): readonly string[] | undefined {
  const granted = new Set<string>();
  let isAdmitted = false;
  for (const { rooms, when = {}, caps } of rules) {
    const pattern = filled(rooms, claims);
    if (pattern === undefined || !new Glob(pattern).matches(room)) continue;
    if (!Object.entries(when).every(([name, wanted]) => elementsOf(claims, name).some((one) => isOf(one, wanted))))
      continue;
    const named = caps.map((cap) => filled(cap, claims));
    if (named.includes(undefined)) continue;
    isAdmitted = true;
    for (const cap of named) if (cap !== undefined) granted.add(cap);
  }
  return isAdmitted ? [...granted] : undefined;
}

/** Claim by its name, or by a path with dots through objects. */
function claimAt(claims: ClaimValues, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(name);
  }
  return value;
}

/** Claims that are lists of words, written as one text. In others a space is part of the value, which its owner may have chosen. */
const LISTS_OF_WORDS = new Set(['scope', 'scp']);

function elementsOf(claims: ClaimValues, name: string): readonly unknown[] {
  const found = claimAt(claims, name);
  if (typeof found === 'string' && LISTS_OF_WORDS.has(name)) return found.split(' ');
  return Array.isArray(found) ? found : [found];
}

function isOf(value: unknown, wanted: unknown): boolean {
  return Array.isArray(wanted) ? wanted.includes(value) : wanted === value;
}

/** Undefined where a claim is missing, or is not plain: a star in it would be a pattern of its own. */
function filled(text: string, claims: ClaimValues): string | undefined {
  let isWhole = true;
  const made = text.replace(/\{([^{}]+)\}/g, (_all, name: string) => {
    const value = claimAt(claims, name);
    const plain = typeof value === 'number' ? String(value) : value;
    if (typeof plain === 'string' && /^[A-Za-z0-9._~@+-]{1,128}$/.test(plain)) return plain;
    isWhole = false;
    return '';
  });
  return isWhole ? made : undefined;
}
