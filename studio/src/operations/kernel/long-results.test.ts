import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonInTurns, jsonToSend, parsedInTurns } from './long-results.js';

const item = z.object({ id: z.string(), note: z.string().optional() });
const schema = z.object({
  name: z.string(),
  items: z.array(item).optional(),
  inner: z.object({ items: z.array(item) }),
});
const items = fc
  .nat({ max: 250 })
  .map((count) => Array.from({ length: count }, (_, n) => ({ id: `${n}"`, note: n % 3 ? 'é' : undefined, more: n })));

describe('a long result', () => {
  it('is parsed and written as a short one is', async () => {
    const given = fc.record({
      name: fc.string(),
      gone: fc.constant(undefined),
      inner: fc.record({ items, more: fc.integer() }),
      items: fc.option(items, { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(given, async (value) => {
        const parsed = await parsedInTurns(schema, value);
        expect(parsed).toEqual(schema.parse(value));
        for (const one of [parsed, value, [value], value.inner.items]) {
          const text = await jsonInTurns(one);
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)));
          expect(Buffer.from(await jsonToSend(one)).toString()).toBe(text);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is made bytes piece by piece, and others have their turn between', async () => {
    const order: string[] = [];
    const slow = Array.from({ length: 320 }, (_, n) => ({
      toJSON: () => {
        const end = performance.now() + 1;
        while (performance.now() < end);
        if (n === 319) order.push('the last');
        return 'é'.repeat(1000);
      },
    }));
    setImmediate(() => order.push('somebody else'));
    const bytes = await jsonToSend({ data: { slow } });
    expect(order).toEqual(['somebody else', 'the last']);
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify({ data: { slow: slow.map(() => 'é'.repeat(1000)) } }));
  });

  it('is refused for the one item that is wrong', async () => {
    const wrong = Array.from({ length: 300 }, (_, n) => ({ id: n === 299 ? n : `${n}` }));
    await expect(parsedInTurns(z.array(item), wrong)).rejects.toBeInstanceOf(z.ZodError);
    await expect(parsedInTurns(schema, { name: 'n', items: wrong, inner: { items: [] } })).rejects.toThrow();
  });
});
