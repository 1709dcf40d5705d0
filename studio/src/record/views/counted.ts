/** Counts by name since some moment. */

export interface Counted {
  readonly name: string;
  readonly count: number;
}

interface Once {
  readonly at: string;
  readonly name: string;
}

/** Most frequent first; equal ones by name. */
export function mostFrequent(events: readonly Once[], since: string, most: number): Counted[] {
  const counts = new Map<string, number>();
  for (const { at, name } of events) if (at >= since) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}
