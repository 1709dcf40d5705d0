/**
 * The wire, pinned. When a test here turns red, a frame changed: if clients would notice, the protocol
 * number in `core/src/commands/join.ts` goes up with it; then the literal below is changed on purpose.
 */
import { createHash } from 'node:crypto';
import { CLOSE, commandTable } from '@weft/core';
import { expect, it } from 'vitest';
import { z } from 'zod';

const PROTOCOL = 1;
const FRAMES_DIGEST = '1c3312c98fb4e8a14735ababc39da8aafabfbe843c7b355b3c8d202271180b5e';

function schemaOf(shape: z.ZodObject, io: 'input' | 'output'): unknown {
  return withoutTexts(z.toJSONSchema(shape, { io, unrepresentable: 'any' }));
}

/** Descriptions may be reworded freely. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'description' && key !== '$schema');
  return Object.fromEntries(entries.sort().map(([key, inner]) => [key, withoutTexts(inner)]));
}

it(`frames of protocol ${PROTOCOL}`, () => {
  const commands = [...commandTable.commands.values()].map(({ type, in: input, out }) => ({
    type,
    in: schemaOf(input, 'input'),
    out: Object.fromEntries(Object.entries(out).map(([name, shape]) => [name, schemaOf(shape, 'output')])),
  }));
  const notices = Object.values(commandTable.notices).map(({ type, out }) => ({ type, out: schemaOf(out, 'output') }));
  const digest = createHash('sha256').update(JSON.stringify({ commands, notices })).digest('hex');
  expect(digest).toBe(FRAMES_DIGEST);
});

it('frame types and host commands', () => {
  expect([...commandTable.commands.keys()].sort()).toEqual(['hello', 'pack']);
  expect([...commandTable.hostCommands.keys()].sort()).toEqual([
    'GetFrontier',
    'MapAll',
    'MapDelete',
    'MapGet',
    'MapSet',
  ]);
});

it('close codes', () => {
  expect(Object.values(CLOSE).map(({ code }) => code)).toEqual([1001, 1008, 1009, 1011, 4001, 4002, 4008]);
});
