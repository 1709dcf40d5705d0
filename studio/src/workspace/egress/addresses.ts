/**
 * Addresses of allowed hosts. A name is looked up here, never by the program, and only addresses that it may have are connected to: a
 * name that is suddenly in the network of this machine, or in the metadata of a cloud, is not the host that a person allowed.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Allowed, type Where, isLocalName, whereOf } from './allowed.js';

export type Lookup = (host: string) => Promise<readonly string[]>;

const LOOKUP_MS = 10_000;

/** Looks a name up as programs of this machine do, its file of hosts included. */
const systemLookup: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export class Addresses {
  readonly #lookup: Lookup;
  /** Networks that a host was in when it was allowed. */
  readonly #homes = new Map<string, Promise<ReadonlySet<Where>>>();

  constructor(find: Lookup = systemLookup) {
    this.#lookup = find;
  }

  /** Remembers where hosts are now: one in a private network may be there from then on, and no other. */
  allow(hosts: readonly Allowed[]): void {
    for (const { host } of hosts)
      if (!this.#homes.has(host) && !host.startsWith('*.')) this.#homes.set(host, this.#homeOf(host));
  }

  /** Addresses that may be connected to for a row, and those that may not. */
  async of(row: Allowed, host: string): Promise<{ readonly good: readonly string[]; readonly bad: readonly string[] }> {
    const all = isIP(host) === 0 ? await within(this.#lookup(host)) : [host];
    const homes = (await this.#homes.get(row.host)) ?? new Set();
    const isGood = (address: string): boolean => whereOf(address) === 'public' || homes.has(whereOf(address));
    return { good: all.filter(isGood), bad: all.filter((address) => !isGood(address)) };
  }

  async #homeOf(host: string): Promise<ReadonlySet<Where>> {
    // An address that a person has written down is meant.
    if (isIP(host) !== 0) return new Set([whereOf(host)]);
    if (isLocalName(host)) return new Set(['loopback']);
    const now = await within(this.#lookup(host)).catch(() => []);
    return new Set(now.map(whereOf).filter((where) => where === 'private' || where === 'loopback'));
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the name was not looked up in time')), LOOKUP_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
