/**
 * Entry request: what a transport knows of the request by which a peer came, in one form for all transports. [AU10]
 *
 * Headers that came several times are joined, as HTTP allows; addresses are written one way, so that they can be counted.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
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

/** Proxies before a server, by their addresses or by networks such as `10.42.0.0/16`, in which each may be one. */
export class Proxies {
  readonly #networks = new BlockList();

  constructor(named: readonly string[]) {
    for (const each of named) {
      const network = networkOf(each);
      if (!network) throw new TypeError(`${each} is no address and no network`);
      this.#networks.addSubnet(network.address, network.bits, familyOf(network.address));
    }
  }

  has(address: string): boolean {
    return isIP(address) !== 0 && this.#networks.check(address, familyOf(address));
  }
}

/** Address in its one form with the bits that count; undefined where it is none. */
export function networkOf(text: string): { readonly address: string; readonly bits: number } | undefined {
  const [, given = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = plainAddress(given);
  const most = [0, 0, 0, 0, 32, 0, 128][isIP(address)]!;
  const bits = length === undefined ? most : Number(length);
  return most > 0 && bits <= most && (length === undefined || bits > 0) ? { address, bits } : undefined;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

/**
 * The request as whoever made it would have sent it without the proxies on the way: his address is the last in `X-Forwarded-For` that
 * is none of theirs. What stands before it he may have written himself.
 */
export function throughProxies(request: CameBy, proxies: Proxies): CameBy {
  const { address, headers } = request;
  if (address === undefined || !proxies.has(address)) return request;
  const hops = (headers['x-forwarded-for'] ?? '').split(',').map((hop) => plainAddress(hop.trim()));
  const caller = hops.reverse().find((hop) => !proxies.has(hop));
  return caller !== undefined && isIP(caller) !== 0 ? { ...request, address: caller } : request;
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
