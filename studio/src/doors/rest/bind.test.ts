import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operation } from '../../operations/kernel/define.js';
import { bindInput } from './bind.js';

const sample = operation({
  summary: 'Takes everything.',
  scope: 'operate',
  in: z.object({
    id: z.string(),
    limit: z.number().optional(),
    deep: z.boolean().default(false),
    kind: z.enum(['a', 'b']).optional(),
    paths: z.array(z.string()).optional(),
    sizes: z.array(z.number()).optional(),
    note: z.string().optional(),
    force: z.boolean().optional(),
  }),
  out: z.object({}),
  rest: { route: 'POST /studio/things/{id}', query: ['limit', 'deep', 'kind', 'paths', 'sizes'] },
  tool: 'thing',
  refuses: [],
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
}).run(() => ({}));

function bind(query: string, body?: unknown): Record<string, unknown> {
  return bindInput(sample, { path: { id: 'merge/w1' }, query: new URLSearchParams(query), body });
}

const invalid = (message: string) =>
  expect.objectContaining({
    reason: 'reject.invalid_input',
    message: expect.stringContaining(message) as string,
  }) as Error;

describe('binding', () => {
  it('joins path, query and body, with text of the URL decoded by declared type', () => {
    const input = bind('limit=-2.5&deep=true&kind=a&paths=x&paths=y&sizes=1', { note: 'true', force: true });
    expect(input).toEqual({
      id: 'merge/w1',
      limit: -2.5,
      deep: true,
      kind: 'a',
      paths: ['x', 'y'],
      sizes: [1],
      note: 'true',
      force: true,
    });
  });

  it('leaves out what was not sent, so that defaults apply', () => {
    expect(bind('')).toEqual({ id: 'merge/w1' });
  });

  it('does not touch the types of a body', () => {
    expect(bind('', { force: 'true' })).toEqual({ id: 'merge/w1', force: 'true' });
  });

  it.each([
    ['limit=ten', 'limit: must be a number'],
    ['limit=', 'limit: must be a number'],
    ['limit=0x10', 'limit: must be a number'],
    ['limit=1e9', 'limit: must be a number'],
    ['deep=1', 'deep: must be true or false'],
    ['deep=true&deep=true', 'deep: is given more than once'],
    ['sizes=1&sizes=x', 'sizes: must be a number'],
    ['depth=1', 'depth: no such query key'],
    ['note=x', 'note: no such query key'],
    ['id=x', 'id: no such query key'],
    ['__proto__=x', '__proto__: no such query key'],
  ])('refuses the query %s', (query, why) => {
    expect(() => bind(query)).toThrow(invalid(why));
  });

  it.each<[unknown, string]>([
    [{ nope: 1 }, 'nope: no such field'],
    [{ id: 'other' }, 'id: belongs in the URL'],
    [{ limit: 1 }, 'limit: belongs in the URL'],
    [JSON.parse('{"__proto__": {"force": true}}'), '__proto__: no such field'],
    [{ toString: 1 }, 'toString: no such field'],
    [[], 'must be a JSON object'],
    ['text', 'must be a JSON object'],
    [null, 'must be a JSON object'],
  ])('refuses the body %j', (body, why) => {
    expect(() => bind('', body)).toThrow(invalid(why));
  });
});
