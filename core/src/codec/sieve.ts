/**
 * Sieve: validator of a value from outside, by hand. It gives the value with only what it knows of it, or throws a
 * `DecodeError`. A peer's code loads these in place of the schemas, which weigh more than everything else it is made of; a test
 * holds each to its schema.
 */
import { DecodeError } from './bytes/bytes.js';

export type Sieve<T> = (value: unknown) => T;
export type Sifted<S> = S extends Sieve<infer T> ? T : never;

/** The value, or undefined for what does not pass. */
export function sift<T>(sieve: Sieve<T>, value: unknown): T | undefined {
  try {
    return sieve(value);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

export function sieve<T>(passes: (value: unknown) => value is T): Sieve<T> {
  return (value) => {
    if (passes(value)) return value;
    throw new DecodeError('a value is not what it should be');
  };
}

export const anything: Sieve<unknown> = (value) => value;
export const text = sieve((value) => typeof value === 'string');
export const number = sieve((value): value is number => typeof value === 'number' && Number.isFinite(value));
export const flag = sieve((value) => typeof value === 'boolean');
export const count = sieve((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
export const textUpTo = (most: number): Sieve<string> =>
  sieve((value): value is string => typeof value === 'string' && value.length <= most);

export function oneOf<const T extends string>(...values: readonly T[]): Sieve<T> {
  return sieve((value): value is T => values.includes(value as T));
}

/** Bytes in whole units, of which there are at most so many; with `least` at least so many. */
export function bytesOf(unit: number, most: number, least = 0): Sieve<Uint8Array> {
  return sieve(
    (value): value is Uint8Array =>
      value instanceof Uint8Array &&
      value.length % unit === 0 &&
      value.length <= unit * most &&
      value.length >= unit * least,
  );
}

export function listOf<T>(item: Sieve<T>, most = Infinity): Sieve<T[]> {
  const list = sieve((value): value is unknown[] => Array.isArray(value) && value.length <= most);
  return (value) => list(value).map(item);
}

const isObject = sieve(
  (value): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value),
);

export function recordOf<T>(item: Sieve<T>, name: Sieve<string> = text): Sieve<Record<string, T>> {
  return (value) => Object.fromEntries(Object.entries(isObject(value)).map(([key, field]) => [name(key), item(field)]));
}

/** Sieve of a field that may be absent. */
export interface Optional<T> {
  readonly optional: Sieve<T>;
}

export const optional = <T>(of: Sieve<T>): Optional<T> => ({ optional: of });

type Fields = Readonly<Record<string, Sieve<unknown> | Optional<unknown>>>;
type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];
type Present<F extends Fields> = { [K in Exclude<keyof F, OptionalNames<F>>]: Sifted<F[K]> } & {
  [K in OptionalNames<F>]?: F[K] extends Optional<infer T> ? T | undefined : never;
};
/** Object with these fields, shown flat. */
type ObjectOf<F extends Fields> = { [K in keyof Present<F>]: Present<F>[K] };

export function objectOf<const F extends Fields>(fields: F): Sieve<ObjectOf<F>> {
  return (value) => {
    const given = isObject(value);
    const passed: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      const isOptional = typeof field !== 'function';
      if (isOptional && given[name] === undefined) continue;
      passed[name] = isOptional ? field.optional(given[name]) : field(given[name]);
    }
    return passed as ObjectOf<F>;
  };
}
