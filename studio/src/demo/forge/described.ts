/**
 * Descriptions of what a vendor's API takes and answers, cut down to what is used, and the check of a request or an answer against
 * one. They say what the vendors publish, in words of our own: which methods and paths there are, which fields each takes, and which
 * of its answer are always there.
 */
export type Kind =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'strings'
  | 'objects'
  | 'object'
  | 'text or null'
  | 'integer or null';

export interface Described {
  readonly method: string;
  /** Template; a part in braces stands for one segment. */
  readonly path: string;
  readonly query?: readonly string[];
  readonly required?: Readonly<Record<string, Kind>>;
  readonly optional?: Readonly<Record<string, Kind>>;
  readonly status: number;
  /** Fields of the answer, or of each of its items. */
  readonly answer?: Readonly<Record<string, Kind>>;
  readonly isList?: true;
  /** Field of the answer that is a list with pages. */
  readonly within?: string;
  /** Whether the answer is text. */
  readonly isText?: true;
}

export interface Found {
  readonly described: Described;
  readonly values: readonly string[];
}

export function find(all: readonly Described[], method: string, path: string): Found | undefined {
  for (const described of all) {
    if (described.method !== method) continue;
    const pattern = described.path.replace(/\{[^}]*\}/g, '([^/]+)');
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (match) return { described, values: match.slice(1).map(decodeURIComponent) };
  }
  return undefined;
}

/** What is wrong with a request. */
export function requestFaults(
  { query = [], required = {}, optional = {} }: Described,
  url: URL,
  body: unknown,
): string[] {
  const faults = [...url.searchParams.keys()].filter((name) => !query.includes(name)).map((name) => `query ${name}`);
  const given = (body ?? {}) as Record<string, unknown>;
  for (const [name, kind] of Object.entries(required)) if (!is(given[name], kind)) faults.push(`body ${name}`);
  for (const [name, value] of Object.entries(given)) {
    const kind = required[name] ?? optional[name];
    if (kind === undefined || !is(value, kind)) faults.push(`body ${name}`);
  }
  for (const [name, most] of [
    ['per_page', 100],
    ['limit', 50],
  ] as const) {
    const size = Number(url.searchParams.get(name) ?? most);
    if (!(size >= 1 && size <= most)) faults.push(name);
  }
  return faults;
}

/** What is wrong with an answer of ours: the server is held to the same description. */
export function answerFaults({ answer = {}, isList }: Described, json: unknown): string[] {
  const items = isList ? (json as unknown[]) : [json];
  if (!Array.isArray(items)) return ['no list'];
  return items.flatMap((item) =>
    Object.entries(answer).flatMap(([name, kind]) =>
      is((item as Record<string, unknown>)[name], kind) ? [] : [`answer ${name}`],
    ),
  );
}

function is(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'strings':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'objects':
      return Array.isArray(value) && value.every((one) => typeof one === 'object');
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'text or null':
      return value === null || typeof value === 'string';
    case 'integer or null':
      return value === null || Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}
