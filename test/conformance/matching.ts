/** Matcher: compares what came with what a dialogue expects, and keeps what it asks to keep. */
import { expect } from 'vitest';

export type Kept = Map<string, unknown>;

const SAVE = '$save:';
const HEX = '$hex:';
const BEGINS = '$begins:';

/** Frames that came as MessagePack. */
const binary = new WeakSet<object>();

/** A frame that came as MessagePack, with base64 where it has bytes: expected like one of JSON. */
export function readable(frame: object): Readonly<Record<string, unknown>> {
  const read = plain(frame) as Readonly<Record<string, unknown>>;
  binary.add(read);
  return read;
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

/** Matches a value against what is expected; throws with the path that differs. */
export function match(found: unknown, expected: unknown, kept: Kept, place = 'frame'): void {
  if (typeof expected === 'string' && expected.startsWith('$')) return matchPlaceholder(found, expected, kept, place);
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) throw new Error(`${place} is no array: ${JSON.stringify(found)}`);
    expect(found.length, `${place}.length`).toBe(expected.length);
    expected.forEach((item, index) => match(found[index], item, kept, `${place}[${index}]`));
    return;
  }
  if (isRecord(expected) && '$includes' in expected) return matchOne(found, expected['$includes'], place, kept);
  if (!isRecord(expected)) return expect(found, place).toEqual(expected);
  if (!isRecord(found)) throw new Error(`${place} is no object: ${JSON.stringify(found)}`);
  const { $more: more, $binary: isBinary, ...fields } = expected;
  if (isBinary !== undefined) expect(binary.has(found), `${place} as MessagePack`).toBe(isBinary);
  if (more !== true) expect(Object.keys(found).sort(), `fields of ${place}`).toEqual(Object.keys(fields).sort());
  for (const [name, value] of Object.entries(fields)) match(found[name], value, kept, `${place}.${name}`);
}

function matchOne(found: unknown, expected: unknown, place: string, kept: Kept): void {
  if (!Array.isArray(found)) throw new Error(`${place} is no array: ${JSON.stringify(found)}`);
  const isMatch = (item: unknown): boolean => {
    try {
      match(item, expected, new Map(kept));
      return true;
    } catch {
      return false;
    }
  };
  expect(found.some(isMatch), `${place} includes ${JSON.stringify(expected)}`).toBe(true);
}

function matchPlaceholder(found: unknown, expected: string, kept: Kept, place: string): void {
  if (expected.startsWith(SAVE)) {
    expect(found, place).toBeDefined();
    kept.set(`$${expected.slice(SAVE.length)}`, found);
  } else if (expected.startsWith(HEX)) {
    const length = Number(expected.slice(HEX.length)) * 2;
    expect(found, place).toMatch(new RegExp(`^[0-9a-f]{${length}}$`));
  } else if (expected.startsWith(BEGINS)) {
    expect(String(found).slice(0, expected.length - BEGINS.length), place).toBe(expected.slice(BEGINS.length));
  } else if (expected === '$base64') {
    expect(found, place).toMatch(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
  } else if (expected === '$any') {
    expect(found, place).toBeDefined();
  } else {
    expect(found, place).toEqual(recall(expected, kept));
  }
}

/** Copy of a value in which every `$name` is replaced by what was kept. */
export function fill(value: unknown, kept: Kept): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return recall(value, kept);
  if (Array.isArray(value)) return value.map((item) => fill(item, kept));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, kept)]));
}

function recall(name: string, kept: Kept): unknown {
  if (!kept.has(name)) throw new Error(`nothing was kept as ${name}`);
  return kept.get(name);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
