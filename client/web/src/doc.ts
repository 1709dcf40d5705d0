/**
 * Document of a room, as selectors read it. What a selector has read is noted: it runs again when that has changed, and what it answers
 * stays the same object while it is shallowly equal, so a view of it is drawn again for nothing else.
 */

/** What a room holds, to be read. Everything is frozen, and the same object until it changes. */
export interface Doc {
  get<T = unknown>(key: string): T | undefined;
  /** Values whose names begin so. */
  entries<T = unknown>(prefix: string): Readonly<Record<string, T>>;
  items<T = unknown>(key: string): readonly T[];
  textOf(key: string): string;
}

interface Chosen<T> {
  readonly doc: Doc;
  readonly select: unknown;
  readonly reads: readonly (readonly [read: () => unknown, was: unknown])[];
  readonly value: T;
}

/** Selects anew only what may be another one: by another selector, of another document, or of what has changed in it. */
export function remembering<T>(): (doc: Doc, select: (doc: Doc) => T) => T {
  let last: Chosen<T> | undefined;
  return (doc, select) => {
    const isSame = last?.doc === doc && last.select === select && last.reads.every(([read, was]) => read() === was);
    if (last && isSame) return last.value;
    const reads: [() => unknown, unknown][] = [];
    const now = select(noting(doc, reads));
    const value = last && isShallowlyEqual(last.value, now) ? last.value : now;
    last = { doc, select, reads, value };
    return value;
  };
}

function noting(doc: Doc, reads: [() => unknown, unknown][]): Doc {
  const noted = <T>(read: () => T): T => {
    const was = read();
    reads.push([read, was]);
    return was;
  };
  return {
    get: <T>(key: string) => noted(() => doc.get<T>(key)),
    entries: <T>(prefix: string) => noted(() => doc.entries<T>(prefix)),
    items: <T>(key: string) => noted(() => doc.items<T>(key)),
    textOf: (key) => noted(() => doc.textOf(key)),
  };
}

function isShallowlyEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const names = Object.keys(a);
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return names.length === Object.keys(b).length && names.every((name) => Object.is(one[name], other[name]));
}
