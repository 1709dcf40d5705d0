import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeJson } from './merge-json.js';

const text = (value: unknown): string => JSON.stringify(value, null, 2) + '\n';

describe('documents that two have changed', () => {
  it('are merged key by key, as deep as they go, in the order of ours', () => {
    const base = { name: 'x', scripts: { a: '1' }, old: 1 };
    const ours = { scripts: { a: '1', b: '2' }, name: 'x', old: 1 };
    const theirs = { name: 'x', scripts: { a: '1', c: '3' }, files: ['f'] };
    expect(mergeJson(text(base), text(ours), text(theirs))).toBe(
      text({ scripts: { a: '1', b: '2', c: '3' }, name: 'x', files: ['f'] }),
    );
  });

  it('collide where both have changed one place differently, or where a text is no JSON', () => {
    expect(mergeJson(text({ a: 1 }), text({ a: 2 }), text({ a: 3 }))).toBeUndefined();
    expect(mergeJson(text({ a: [1] }), text({ a: [1, 2] }), text({ a: [1, 3] }))).toBeUndefined();
    expect(mergeJson(text({ a: 1 }), text({}), text({ a: 2 }))).toBeUndefined();
    expect(mergeJson('', text({}), text({}))).toBeUndefined();
    expect(mergeJson(text({}), text({ __proto__: 1 }), '{"__proto__": {"x": 1}}\n')).toBe('{"__proto__":{"x":1}}\n');
  });

  it('are what the other made of them where one changed nothing, and the same from both sides', () => {
    const documents = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
    const stable = (merged: string | undefined): unknown => (merged === undefined ? undefined : JSON.parse(merged));
    fc.assert(
      fc.property(documents, documents, documents, (base, ours, theirs) => {
        const [b, o, t] = [text(base), text(ours), text(theirs)];
        expect(stable(mergeJson(b, b, t))).toEqual(JSON.parse(t));
        expect(stable(mergeJson(b, o, b))).toEqual(JSON.parse(o));
        expect(stable(mergeJson(b, o, t))).toEqual(stable(mergeJson(b, t, o)));
      }),
    );
  });
});
