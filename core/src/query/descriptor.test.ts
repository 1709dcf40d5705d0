import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, canonicalJson } from '../codec/bytes/canonical-json.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { Query } from './descriptor.js';
import { jsonOf } from './json.js';

const meets = (condition: object, value: Json, key = 'k'): boolean =>
  Query.of({ where: [condition] }).meets({ key, kind: 'register', value });

describe('a descriptor', () => {
  it.each<[object, Json, boolean]>([
    [{ field: 'a', op: 'eq', value: 1 }, { a: 1 }, true],
    [{ field: 'a', op: 'eq', value: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, true],
    [{ field: 'a', op: 'eq', value: null }, {}, false],
    [{ field: 'a', op: 'eq', value: null }, { a: null }, true],
    [{ field: 'a', op: 'ne', value: 1 }, {}, true],
    [{ field: 'a.b', op: 'lt', value: 2 }, { a: { b: 1 } }, true],
    [{ field: 'a.b', op: 'lt', value: 2 }, { 'a.b': 1 }, false],
    [{ field: 'a', op: 'lt', value: 2 }, { a: '1' }, false],
    [{ field: 'a', op: 'le', value: 2 }, { a: 2 }, true],
    [{ field: 'a', op: 'gt', value: 'a' }, { a: 'b' }, true],
    [{ field: 'a', op: 'ge', value: 'b' }, { a: 'a' }, false],
    [{ field: 'a', op: 'in', value: [1, 'x'] }, { a: 'x' }, true],
    [{ field: 'a', op: 'in', value: [] }, { a: 'x' }, false],
    [{ field: 'a', op: 'exists' }, { a: null }, true],
    [{ field: 'a', op: 'exists', value: false }, {}, true],
    [{ field: 'toString', op: 'exists' }, {}, false],
    [{ field: 'length', op: 'exists' }, ['x'], false],
    [{ field: '$', op: 'ge', value: 3 }, 3, true],
    [{ field: '$key', op: 'eq', value: 'k' }, 3, true],
  ])('[PJ3] with %j of %j', (condition, value, expected) => {
    expect(meets(condition, value)).toBe(expected);
  });

  it.each([
    undefined,
    null,
    [],
    'x',
    { other: 1 },
    { prefix: 1 },
    { kind: 'map' },
    { where: {} },
    { where: [{ field: 'a', op: 'like', value: 1 }] },
    { where: [{ field: 'a', op: 'eq' }] },
    { where: [{ field: 'a', op: 'lt', value: null }] },
    { where: [{ field: 'a', op: 'in', value: 1 }] },
    { where: [{ field: 'a', op: 'exists', value: 1 }] },
    { where: [{ field: 'a', op: 'eq', value: 1, more: 1 }] },
    { select: [] },
    { order_by: { field: 'a', direction: 'up' } },
    { limit: 0 },
    { limit: 1.5 },
    { select: Array.from({ length: 5000 }, () => 'abc') },
  ])('[PJ3] is not %j', (descriptor) => {
    expect(() => Query.of(descriptor)).toThrow(expect.objectContaining({ reason: 'reject.invalid_payload' }) as Error);
  });

  it('[PJ3] names keys by prefix and pattern, never the system’s', () => {
    const query = Query.of({ prefix: 'a/', glob: 'a/*/x' });
    expect(['a/b/x', 'a/b', 'b/a/x', '\0a', '_topology/a'].filter((key) => query.mayTouch(key))).toEqual(['a/b/x']);
    expect(['k', '\0query/x', '_topology/a'].filter((key) => Query.of({}).mayTouch(key))).toEqual(['k']);
  });

  it('[PJ3] puts anything in order', () => {
    const values: Json[] = [{}, ...[null, false, true, -1, 2, 10, '', 'a', 'b', [1], { a: 1 }].map((a) => ({ a }))];
    for (const direction of ['asc', 'desc'] as const) {
      const query = Query.of({ order_by: { field: 'a', direction } });
      const order = (value: Json) => query.orderOf({ key: 'k', kind: 'register', value });
      const sorted = [...values].reverse().sort((a, b) => query.compare(order(a), order(b)));
      expect(sorted).toEqual(direction === 'asc' ? values : [...values].reverse());
    }
  });
});

describe('values as JSON', () => {
  it('[PJ4] are what MessagePack says, or its bytes', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    const bytes = Uint8Array.of(1, 2, 3);
    expect(jsonOf(encodeValue({ a: [1, Number.NaN, bytes, new Date(0)] }))).toEqual({
      a: [1, null, { $b64: 'AQID' }, '1970-01-01T00:00:00.000Z'],
    });
    expect(jsonOf(encodeValue(deep(32)))).toEqual(deep(32));
    expect(jsonOf(encodeValue(deep(33)))).toHaveProperty('$b64');
    expect(jsonOf(Uint8Array.of(0x81, 0x90, 1))).toEqual({ $b64: 'gZAB' }); // a map with a list as its key
    expect(jsonOf(encodeValue(JSON.parse('{"__proto__":0}')))).toEqual({ $b64: 'galfX3Byb3RvX18A' });
  });

  it('[PJ5] have one text, whatever order their members came in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        fc.pre(!JSON.stringify(json).includes('"__proto__"')); // the one name that is shown as bytes
        expect(JSON.parse(canonicalJson(json))).toEqual(json);
        expect(canonicalJson(jsonOf(encodeValue(json)))).toBe(canonicalJson(json));
      }),
    );
    expect(canonicalJson({ b: 1, a: [{ d: 1e21, c: -0 }] })).toBe('{"a":[{"c":0,"d":1e+21}],"b":1}');
  });
});
