/**
 * Entry request: what a transport knows of the request by which a peer came, in one form for all transports. [AU10]
 *
 * Headers that came several times are joined, as HTTP allows; addresses are written one way, so that they can be counted.
 */
import { isIPv4, isIPv6 } from 'node:net';
import type { EntryRequest } from '@weft/core';

export type CameBy = Omit<EntryRequest, 'room'>;

export function cameBy(address: string | undefined, headers: Iterable<readonly [string, string]>): CameBy {
  const joined = new Map<string, string>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  return { address: address === undefined ? undefined : plainAddress(address), headers: Object.fromEntries(joined) };
}

/** Address in its one form: IPv6 shortened, and IPv4 that came over IPv6 as IPv4. */
export function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (isIPv4(bare) || !isIPv6(bare)) return bare;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (!mapped) return short;
  const bytes = [mapped[1]!, mapped[2]!].map((part) => Number.parseInt(part, 16));
  return bytes.flatMap((pair) => [pair >> 8, pair & 255]).join('.');
}
