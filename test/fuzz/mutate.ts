/**
 * Mutation by what an input is made of: bytes and their integers, words of the format, values of JSON. One to four changes
 * each, so that most of the input stays what the decoder takes.
 */
import type { Random } from '../convergence/random.js';
import { type Target, bytesOf, textOf } from './target.js';

export const MOST_BYTES = 64 * 1024;
const MOST_CHANGES = 4;
/** Integers on the edges of what fields can hold. */
const EDGES = [0, 1, 2, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const EDGE_BYTES = [0, 1, 0x7f, 0x80, 0x90, 0xa0, 0xc0, 0xc1, 0xc4, 0xc6, 0xcf, 0xd9, 0xdb, 0xdd, 0xdf, 0xff];
const ODD_TEXTS = ['', '\0', '\ud800', '__proto__', 'constructor', 'a'.repeat(300), '../..', '\u{1f600}', '-1', 'NaN'];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e308,
  [],
  {},
  [[]],
  ...ODD_TEXTS,
];

export function mutated(input: Uint8Array, others: readonly Uint8Array[], target: Target, chance: Random): Uint8Array {
  let bytes = input;
  for (let left = 1 + chance.below(MOST_CHANGES); left > 0; left--) bytes = once(bytes, others, target, chance);
  return bytes.subarray(0, MOST_BYTES);
}

function once(bytes: Uint8Array, others: readonly Uint8Array[], target: Target, chance: Random): Uint8Array {
  const { form, words = [] } = target;
  if ((form === 'json' || form === 'json-lines') && chance.below(3) > 0) return otherJson(bytes, form, chance);
  if (words.length > 0 && chance.below(4) === 0) return put(bytes, bytesOf(chance.pick(words)), chance);
  if (form !== undefined && chance.below(4) === 0) return put(bytes, bytesOf(chance.pick(ODD_TEXTS)), chance);
  return otherBytes(bytes, others, chance);
}

function otherBytes(bytes: Uint8Array, others: readonly Uint8Array[], chance: Random): Uint8Array {
  const [from, to] = range(bytes, chance);
  switch (chance.below(9)) {
    case 0: {
      const flipped = bytes.slice();
      if (flipped.length > 0) flipped[from]! ^= 1 << chance.below(8);
      return flipped;
    }
    case 1:
      return joined(
        bytes.subarray(0, from),
        [chance.below(2) ? chance.pick(EDGE_BYTES) : chance.below(256)],
        bytes.subarray(from + 1),
      );
    case 2:
      return joined(bytes.subarray(0, from), integer(chance), bytes.subarray(from + 1 + chance.below(4)));
    case 3:
      return joined(bytes.subarray(0, from), bytes.subarray(to));
    case 4:
      return joined(bytes.subarray(0, to), bytes.subarray(from));
    case 5:
      return bytes.slice(0, from);
    case 6: {
      const [at, end] = range(bytes, chance);
      return joined(bytes.subarray(0, from), bytes.subarray(at, end), bytes.subarray(to));
    }
    case 7: {
      const other = chance.pick(others);
      return joined(bytes.subarray(0, from), other.subarray(chance.below(other.length + 1)));
    }
    default:
      return repeated(bytes, from, to, chance);
  }
}

/** The range many times over: what is quadratic or deep shows then. */
function repeated(bytes: Uint8Array, from: number, to: number, chance: Random): Uint8Array {
  const part = bytes.subarray(from, Math.min(to, from + 8));
  if (part.length === 0) return bytes;
  const times = Math.min(2 ** chance.below(15), Math.floor(MOST_BYTES / part.length));
  const many = new Uint8Array(part.length * times);
  for (let at = 0; at < many.length; at += part.length) many.set(part, at);
  return joined(bytes.subarray(0, from), many, bytes.subarray(from));
}

function put(bytes: Uint8Array, word: Uint8Array, chance: Random): Uint8Array {
  const [from, to] = range(bytes, chance);
  return joined(bytes.subarray(0, from), word, bytes.subarray(chance.below(2) ? from : to));
}

/** A range of up to a few bytes mostly, sometimes of any length. */
function range(bytes: Uint8Array, chance: Random): [from: number, to: number] {
  const from = chance.below(Math.max(1, bytes.length));
  const most = chance.below(3) === 0 ? bytes.length - from : Math.min(8, bytes.length - from);
  return [from, from + chance.below(most + 1)];
}

/** An integer as a varint, or in 1, 2, 4 or 8 bytes, the high or the low one first. */
function integer(chance: Random): number[] {
  const value = chance.pick(EDGES);
  const form = chance.below(4);
  if (form === 0) return varint(value);
  const size = chance.pick([1, 2, 4, 8]);
  const bytes = Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** i) % 256);
  return form === 1 ? bytes : bytes.reverse();
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

function joined(...parts: readonly ArrayLike<number>[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** One value in it changed; where it is no JSON, what it was. */
function otherJson(bytes: Uint8Array, form: 'json' | 'json-lines', chance: Random): Uint8Array {
  const lines = form === 'json' ? [textOf(bytes)] : textOf(bytes).split('\n');
  const at = chance.below(lines.length);
  if (form === 'json-lines' && chance.below(6) === 0) {
    if (chance.below(2)) lines.splice(at, 1);
    else lines.splice(at, 0, chance.pick(lines));
    return bytesOf(lines.join('\n'));
  }
  const [, head = '', json = ''] = /^([a-z]*: ?)?([^]*)$/.exec(lines[at]!) ?? [];
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return bytes;
  }
  lines[at] = head + JSON.stringify(otherValue(value, chance));
  return bytesOf(lines.join('\n'));
}

function otherValue(value: unknown, chance: Random): unknown {
  if (typeof value !== 'object' || value === null || chance.below(6) === 0) return leaf(value, chance);
  if (Array.isArray(value)) {
    const list: unknown[] = [...value];
    const at = chance.below(list.length + 1);
    if (at === list.length || chance.below(6) === 0) list.splice(at, chance.below(2), leaf(list[at], chance));
    else if (chance.below(6) === 0) list.splice(at, 0, ...list);
    else list[at] = otherValue(list[at], chance);
    return list;
  }
  const fields = Object.entries(value);
  if (fields.length === 0) return { [chance.pick(ODD_TEXTS)]: leaf(undefined, chance) };
  const at = chance.below(fields.length);
  const [name, field] = fields[at]!;
  const choice = chance.below(8);
  if (choice === 0) fields.splice(at, 1);
  else if (choice === 1) fields.push([chance.pick(ODD_TEXTS), field]);
  else if (choice === 2) fields[at] = [name, chance.pick(fields)[1]];
  else fields[at] = [name, otherValue(field, chance)];
  return Object.fromEntries(fields);
}

function leaf(value: unknown, chance: Random): unknown {
  const choice = chance.below(6);
  if (choice === 0) return chance.pick(EDGES);
  if (choice === 1) return Array.from({ length: 1 << chance.below(7) }).reduce((inner) => [inner], value);
  if (typeof value === 'number' && choice < 4) return value + chance.pick([1, -1, 0.5, 2 ** 32]);
  if (typeof value === 'string' && choice < 5) return textOf(otherBytes(bytesOf(value), [bytesOf(value)], chance));
  return chance.pick(ODD_VALUES);
}
