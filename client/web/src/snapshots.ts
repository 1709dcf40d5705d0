/**
 * Snapshots: what keys hold as frozen plain data, the same object until it changes, with parts that did not change shared
 * between one and the next. What views compare.
 */
import type { Change, Replica } from '@weft/core/client';

export class Snapshots {
  readonly #replica: Replica;
  readonly #values = new Map<string, unknown>();
  readonly #lists = new Map<string, readonly unknown[]>();
  readonly #texts = new Map<string, string>();
  readonly #entries = new Map<string, Readonly<Record<string, unknown>>>();
  /** What was given last, to share parts of. */
  readonly #old = new Map<string, unknown>();
  readonly end: () => void;

  constructor(replica: Replica) {
    this.#replica = replica;
    this.end = replica.observe({ prefix: '' }, ({ changes }) => changes.forEach((change) => this.#forget(change)));
  }

  value(key: string): unknown {
    return this.#held(this.#values, `v${key}`, key, () => this.#replica.get(key));
  }

  list(key: string): readonly unknown[] {
    return this.#held(this.#lists, `l${key}`, key, () => this.#replica.list(key).toArray());
  }

  text(key: string): string {
    return this.#held(this.#texts, `t${key}`, key, () => this.#replica.text(key).toString());
  }

  entries(prefix: string): Readonly<Record<string, unknown>> {
    return this.#held(this.#entries, `e${prefix}`, prefix, () => Object.fromEntries(this.#replica.entries(prefix)));
  }

  #held<T>(cache: Map<string, T>, name: string, key: string, read: () => T): T {
    const held = cache.get(key);
    if (held !== undefined) return held;
    const value = share(this.#old.get(name), read()) as T;
    if (value !== undefined) cache.set(key, value);
    this.#old.set(name, value);
    return value;
  }

  #forget({ kind, key }: Change): void {
    if (kind === 'list') this.#lists.delete(key);
    else if (kind === 'text') this.#texts.delete(key);
    else {
      this.#values.delete(key);
      for (const prefix of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(prefix);
    }
  }
}

/** The new value, frozen, with every part of the old one that is equal to it. */
function share(before: unknown, now: unknown): unknown {
  if (Object.is(before, now) || !isPlain(now)) return now;
  const isArray = Array.isArray(now);
  const old = isPlain(before) && Array.isArray(before) === isArray ? before : undefined;
  const names = Object.keys(now);
  let isSame = old !== undefined && Object.keys(old).length === names.length;
  for (const name of names) {
    const was = old && Object.hasOwn(old, name) ? old[name] : undefined;
    const part = share(was, now[name]);
    if (was === undefined || !Object.is(part, was)) isSame = false;
    now[name] = part;
  }
  return isSame ? old : Object.freeze(now);
}

/** Arrays and plain objects; bytes and dates are taken as they are. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
