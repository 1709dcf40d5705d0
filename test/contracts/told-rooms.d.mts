import type { Host } from '@weft/core';

/** What each room tells, by its id. */
export function told(
  host: Host,
  rooms?: readonly string[],
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>;
