import { describe, expect, it } from 'vitest';
import { loadStringSplice } from '../rivals/string-splice.js';
import { loadSequentialTrace } from '../measuring/trace.js';

describe('string-splice', () => {
  it('types a recording, saves and opens it', async () => {
    const { edits, end } = loadSequentialTrace('sveltecomponent');
    const engine = await loadStringSplice();
    const replica = await engine.create(0);
    await replica.typeAll?.(edits);
    expect(replica.text()).toBe(end);
    const bytes = (await replica.save?.('utf-8')) ?? new Uint8Array();
    expect((await engine.open(bytes, 'utf-8')).text()).toBe(end);
  });
});
