/** Structural three-way merge of JSON: changes in different fields of one object do not collide. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Merged text; undefined where both have changed the same field differently, or where a text is no JSON. */
export function mergeJson(base: string, ours: string, theirs: string): string | undefined {
  const documents = [base, ours, theirs].map(parsed);
  if (documents.includes(undefined)) return undefined;
  const [before, one, other] = documents as [{ json: Json }, { json: Json }, { json: Json }];
  const merged = merge(before.json, one.json, other.json);
  if (merged === COLLISION || merged === undefined) return undefined;
  const indent = /^([ \t]+)\S/m.exec(ours)?.[1];
  return JSON.stringify(merged, null, indent) + (ours.endsWith('\n') ? '\n' : '');
}

const COLLISION = Symbol('collision');
type Merged = Json | undefined | typeof COLLISION;

function merge(base: Json | undefined, ours: Json | undefined, theirs: Json | undefined): Merged {
  if (same(ours, theirs) || same(base, theirs)) return ours;
  if (same(base, ours)) return theirs;
  if (!isObject(ours) || !isObject(theirs)) return COLLISION;
  const before = isObject(base) ? base : {};
  const merged = new Map<string, Json>();
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const value = merge(own(before, key), own(ours, key), own(theirs, key));
    if (value === COLLISION) return COLLISION;
    if (value !== undefined) merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function own(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Deep equality, whatever the order of keys. */
function same(one: Json | undefined, other: Json | undefined): boolean {
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
    );
  }
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item: Json, index) => same(item, other[index] as Json));
  return one === other;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): { json: Json } | undefined {
  try {
    return { json: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}
