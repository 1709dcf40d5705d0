import { describe, expect, it } from 'vitest';
import { REST_BODY, readJson } from './body.js';

/** A body that comes in pieces of a few bytes, which cut texts and escapes. */
async function* inPieces(text: string, size = 3): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const refused = { reason: 'reject.body_too_large' };

describe('a body', () => {
  it('is what it says, however it is cut', async () => {
    for (const value of [1, 'a"\\,[{', [[], {}, '\\'], { 'a,"': [1, { b: 'ü' }] }, '', null])
      expect(await readJson(inPieces(JSON.stringify(value)))).toEqual(value);
    expect(await readJson(inPieces(''))).toBeUndefined();
    for (const text of ['{', '"\u0001"', 'nul'])
      await expect(readJson(inPieces(text))).rejects.toMatchObject({ reason: 'reject.invalid_input' });
  });

  it('is bounded in bytes and in values, of which those inside a text are none', async () => {
    await expect(readJson(inPieces('[1,2,3,4]'), { bytes: 8, values: 100 })).rejects.toMatchObject(refused);
    const { values } = REST_BODY;
    const list = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
    expect(await readJson(inPieces(list(values), 65_536))).toHaveLength(values);
    await expect(readJson(inPieces(list(values + 1), 65_536))).rejects.toMatchObject(refused);
    await expect(readJson(inPieces(`[${'{},'.repeat(values)}0]`, 65_536))).rejects.toMatchObject(refused);
    const text = JSON.stringify(`"${',['.repeat(values)}`);
    expect(await readJson(inPieces(text, 65_536))).toBe(JSON.parse(text));
  });

  it('that is large is parsed in its turn, between which others are served', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(100_000) });
    const order: string[] = [];
    const bodies = ['one', 'two', 'three'].map((name) =>
      readJson(inPieces(large, 65_536)).then(() => order.push(name)),
    );
    const serving = (async () => {
      for (let n = 0; n < 50; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (order.at(-1) !== 'served') order.push('served');
      }
    })();
    await Promise.all([...bodies, serving]);
    expect(order.filter((name) => name !== 'served')).toEqual(['one', 'two', 'three']);
    // Somebody else was served between any two of them.
    expect(order.join(' ')).toMatch(/one served two served three/);
  });
});
