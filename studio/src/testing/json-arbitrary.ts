import fc from 'fast-check';
import { type JsonObject, type JsonValue, isObject } from '../doors/entry/schemas.js';

/** Values for fields of these names, whatever their schema says: what exists, and what does no harm. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** Inputs that a schema allows. It knows as much of JSON Schema as operations use. */
export function allowed(schema: JsonObject, known: KnownValues): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  for (const key of ['anyOf', 'oneOf'] as const) {
    const some = schema[key];
    if (Array.isArray(some)) return fc.oneof(...some.filter(isObject).map((one) => allowed(one, known)));
  }
  switch (schema['type']) {
    case 'string':
      return texts(schema);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(allowed(objectOf(schema['items']), known), {
        minLength: numberOf(schema['minItems'], 0),
        maxLength: Math.min(numberOf(schema['maxItems'], 5), numberOf(schema['minItems'], 0) + 5),
      });
    case 'object':
      return objects(schema, known);
    default:
      return fc.jsonValue();
  }
}

/** Inputs that are wrong in one way or another, or that nobody would have thought of. */
export function broken(schema: JsonObject, known: KnownValues): fc.Arbitrary<unknown> {
  const keys = Object.keys(objectOf(schema['properties']));
  const odd = fc.constantFrom<unknown>(
    ...[
      '',
      ' ',
      '\u0000',
      '\ud800',
      '../../etc/passwd',
      '--upload-pack=x',
      '%2e%2e%2f',
      '${x}',
      '\r\nX: y',
      '𝕏'.repeat(300),
    ],
    ...[null, -1, 0, 1e308, -0, 2 ** 53, 0.1, true, [], {}, [[]], 'NaN', '9'.repeat(400)],
    JSON.parse('{"__proto__":{"admin":true}}'),
    JSON.parse('{"constructor":{"prototype":{"admin":true}}}'),
    nested(200),
  );
  const whole = allowed(schema, known);
  const changed = fc
    .tuple(
      whole,
      fc.constantFrom('extra', '__proto__', 'constructor', 'toString', ...keys),
      fc.oneof(odd, fc.jsonValue()),
    )
    .map(([input, key, value]) => Object.fromEntries([...Object.entries(objectOf(input as JsonValue)), [key, value]]));
  const reduced = fc
    .tuple(whole, fc.constantFrom('', ...keys))
    .map(([input, key]) =>
      Object.fromEntries(Object.entries(objectOf(input as JsonValue)).filter(([one]) => one !== key)),
    );
  return fc.oneof({ weight: 3, arbitrary: changed }, reduced, fc.dictionary(fc.string(), fc.jsonValue()));
}

function objects(schema: JsonObject, known: KnownValues): fc.Arbitrary<unknown> {
  const properties = Object.entries(objectOf(schema['properties']));
  if (properties.length === 0 && isObject(schema['additionalProperties']))
    return fc.dictionary(fc.string({ maxLength: 20 }), allowed(schema['additionalProperties'], known), { maxKeys: 4 });
  const fields = properties.map(([name, field]) => {
    const some = known[name];
    return [name, some ? fc.constantFrom(...some) : allowed(objectOf(field), known)] as const;
  });
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const needed = fields.filter(([name]) => required.includes(name));
  // Where much is optional, little of what says all of it makes sense.
  return fc.oneof(
    fc.record(Object.fromEntries(fields), { requiredKeys: required }),
    fc.record(Object.fromEntries(needed)),
  );
}

function texts({ minLength, maxLength, pattern }: JsonObject): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const least = numberOf(minLength, 0);
  return fc.string({ minLength: least, maxLength: Math.min(numberOf(maxLength, 40), least + 40), unit: 'grapheme' });
}

function numbers({ type, minimum, maximum }: JsonObject): fc.Arbitrary<number> {
  const range = { min: numberOf(minimum, -1000), max: numberOf(maximum, 1000) };
  return type === 'integer' ? fc.integer(clamped(range)) : fc.double({ ...range, noNaN: true });
}

function clamped({ min, max }: { min: number; max: number }): { min: number; max: number } {
  return { min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) };
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let n = 0; n < depth; n++) value = [value];
  return value;
}

function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
