/**
 * Truncation of projections to a level of detail. Lists hold what matters most first, because their end is cut; a `Map` is cut
 * like a list, an object never loses a field.
 */
export const LEVELS = ['Full', 'Normal', 'Compact', 'Emergency'] as const;
export type Level = (typeof LEVELS)[number];

/** Byte limit of the emergency level: about a thousand tokens in any script. */
export const EMERGENCY_BYTES = 3000;

interface Room {
  readonly characters: number;
  readonly items: number;
}

const NORMAL: Room = { characters: 4000, items: 100 };
const COMPACT: Room = { characters: 400, items: 20 };
/** Emergency limits, tried in order until the result fits. */
const EMERGENCY: readonly Room[] = [
  { characters: 120, items: 5 },
  { characters: 80, items: 3 },
  { characters: 40, items: 2 },
  { characters: 24, items: 1 },
  { characters: 12, items: 0 },
];

export interface Shrunk {
  readonly data: Record<string, unknown>;
  readonly truncated: boolean;
}

export function shrink(view: Readonly<Record<string, unknown>>, level: Level): Shrunk {
  switch (level) {
    case 'Full':
      return { data: whole(view), truncated: false };
    case 'Normal':
      return fitted(view, NORMAL);
    case 'Compact':
      return fitted(view, COMPACT);
    case 'Emergency': {
      const tries = EMERGENCY.map((room) => () => fitted(view, room));
      const last = tries.pop()!;
      for (const attempt of tries) {
        const shrunk = attempt();
        if (Buffer.byteLength(JSON.stringify(shrunk.data)) <= EMERGENCY_BYTES) return shrunk;
      }
      return last();
    }
  }
}

/** Full level: nothing is cut, and lists may be very long. */
function whole(view: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(view).flatMap(([key, value]) => {
      if (value === undefined) return [];
      return [[key, value instanceof Map ? (Object.fromEntries(value) as unknown) : value]];
    }),
  );
}

function fitted(view: Readonly<Record<string, unknown>>, { characters, items }: Room): Shrunk {
  let truncated = false;
  const cut = <T>(list: readonly T[]): readonly T[] => {
    if (list.length <= items) return list;
    truncated = true;
    return list.slice(0, items);
  };
  const fit = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value.length <= characters) return value;
      truncated = true;
      // Never between two surrogates.
      return `${value.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
    }
    if (Array.isArray(value)) return cut(value).map(fit);
    if (value instanceof Map) return Object.fromEntries(cut([...value]).map(([key, one]) => [String(key), fit(one)]));
    if (typeof value !== 'object' || value === null) return value;
    return fitFields(value);
  };
  const fitFields = (object: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, fit(value)]])),
    );
  return { data: fitFields(view), truncated };
}
