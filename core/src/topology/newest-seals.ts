/** Seals of the newest nodes, oldest first, and at most so many. */
export function newestSeals(seals: Iterable<[number, Uint8Array]>, most: number): [node: number, seal: Uint8Array][] {
  return [...seals].sort(([a], [b]) => a - b).slice(-most);
}
