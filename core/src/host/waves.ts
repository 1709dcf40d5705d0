/**
 * Waves in which a host that stops sends its peers away, so that all have gone within a window. Peers of one room go together as far
 * as that fits into one wave, since what they do they do with each other.
 */

/** Interval between two waves, about. */
const WAVE_MS = 250;

export interface Waves<Peer> {
  readonly waves: readonly (readonly Peer[])[];
  readonly everyMs: number;
}

/** Waves of about the same size; with a window of nothing, one of all. */
export function wavesOf<Peer extends { readonly roomId: string }>(peers: Iterable<Peer>, overMs: number): Waves<Peer> {
  const rooms = new Map<string, Peer[]>();
  for (const peer of peers) {
    const members = rooms.get(peer.roomId);
    if (members) members.push(peer);
    else rooms.set(peer.roomId, [peer]);
  }
  const ordered = [...rooms.values()].flat();
  const count = Math.max(1, Math.min(Math.ceil(overMs / WAVE_MS), ordered.length));
  const from = (wave: number): number => Math.floor((wave * ordered.length) / count);
  const waves = Array.from({ length: count }, (_, wave) => ordered.slice(from(wave), from(wave + 1)));
  return { waves, everyMs: overMs / count };
}
