/** JSON, and one text for each value of it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** JSON with the members of objects in the order of their names, and nothing between: RFC 8785. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`).join(',')}}`;
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
