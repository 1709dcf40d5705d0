/** What a read brings anew stays the object that it was, as far as it is the same: whoever compares sees at once what has changed. */
export function sameAs<T>(before: unknown, now: T): T {
  return same(before, now) as T;
}

function same(before: unknown, now: unknown): unknown {
  if (Object.is(before, now)) return before;
  if (!isComposed(before) || !isComposed(now) || Array.isArray(before) !== Array.isArray(now)) return now;
  const names = Object.keys(now);
  let isSame = names.length === Object.keys(before).length;
  for (const name of names) {
    const part = Object.hasOwn(before, name) ? before[name] : undefined;
    now[name] = same(part, now[name]);
    isSame &&= Object.hasOwn(before, name) && now[name] === part;
  }
  return isSame ? before : now;
}

function isComposed(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
