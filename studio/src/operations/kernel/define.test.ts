import type { Notice } from '@weft/core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import type { Context } from './context.js';
import { operation } from './define.js';
import type { CheckedRoute } from './define.js';

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;
const described = { summary: 'Greets.', scope: 'read', annotations: hints } as const;

/** What `call` itself uses of a context; a handler that touched more would fail. */
function contextWith(log: Notice[]): Context {
  const context: Pick<Context, 'log'> = { log: (entry) => log.push(entry) };
  return context as Context;
}

function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const greet = operation({
  ...described,
  in: z.object({ name: z.string(), times: z.number().int().optional() }),
  out: z.object({ text: z.string() }),
  rest: { route: 'GET /studio/greetings/{name}', query: ['times'] },
  tool: 'greet',
  external: { name: 'hello', out: z.object({ said: z.string() }), result: ({ text }) => ({ said: text }) },
  refuses: ['reject.repository_not_found'],
}).run((_context, { name, times = 1 }) => {
  if (name === 'nobody') throw refusal('reject.repository_not_found', 'nobody is here');
  if (name === 'meanwhile') throw refusal('reject.changed_meanwhile', 'stale');
  if (name === 'git') throw refusal('reject.git_failed', 'surprise');
  return { text: `hello ${name}`.repeat(times), secret: 'x' };
});

describe('an operation', () => {
  it('gives its handler parsed input, and its caller what the output names and no more', async () => {
    expect(await greet.call(contextWith([]), greet.parse({ name: 'a', times: 2 }))).toEqual({
      data: { text: 'hello ahello a' },
    });
  });

  it('refuses unknown, missing and mistyped fields, naming each', () => {
    expect(refusalOf(() => greet.parse({ times: '2', nome: 'a' }))).toMatchObject({
      reason: 'reject.invalid_input',
      data: [
        { field: 'name', message: expect.any(String) as string },
        { field: 'times', message: expect.any(String) as string },
        { field: 'nome', message: 'no such field' },
      ],
    });
    expect(refusalOf(() => greet.parse('text'))).toMatchObject({ reason: 'reject.invalid_input' });
  });

  it('lists at most 20 faults', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x${n}`, n]));
    expect(refusalOf(() => greet.parse({ name: 'a', ...many }))).toHaveProperty('data.length', 20);
  });

  it('treats a result of the wrong shape as a defect, not as a refusal', async () => {
    const out: z.ZodType<string> = z.string().refine((text) => text !== 'wrong');
    const broken = operation({ ...described, in: z.object({}), out, tool: 'broken', refuses: [] }).run(() => 'wrong');
    await expect(broken.call(contextWith([]), broken.parse({}))).rejects.toBeInstanceOf(z.ZodError);
  });

  it('logs a refusal that it does not declare, and only that', async () => {
    const log: Notice[] = [];
    await expect(greet.call(contextWith(log), greet.parse({ name: 'meanwhile' }))).rejects.toThrow('stale');
    await expect(greet.call(contextWith(log), greet.parse({ name: 'nobody' }))).rejects.toThrow('nobody is here');
    expect(log).toEqual([]);
    await expect(greet.call(contextWith(log), greet.parse({ name: 'git' }))).rejects.toThrow('surprise');
    expect(log).toEqual([expect.objectContaining({ level: 'error', about: { summary: 'Greets.' } })]);
  });

  it('says what the doors need to know', () => {
    expect(greet.rest).toEqual({ method: 'GET', path: '/studio/greetings/{name}', query: ['times'] });
    expect(greet.external?.result({ text: 'hi' })).toEqual({ said: 'hi' });
    expect(greet.dispatch).toBe(false);
  });

  it('does not compile with a path key that is no field', () => {
    type In = z.ZodObject<{ name: z.ZodString }>;
    expectTypeOf<CheckedRoute<'GET /studio/x/{name}', In>>().toEqualTypeOf<'GET /studio/x/{name}'>();
    expectTypeOf<CheckedRoute<'GET /studio/x/{nome}', In>>().toEqualTypeOf<{ readonly notAFieldOfTheInput: 'nome' }>();
  });
});
