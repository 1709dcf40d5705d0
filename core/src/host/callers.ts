/**
 * Callers: how many connections there are, in all, from each address and of each proven key. [LM10]
 *
 * Nobody gets so many that there are none left for others. An address counts where the transport knows it; of IPv6 it is the
 * network that one subscriber has, because its addresses are as many as he likes.
 */
import { ComeBack } from '../rejection.js';
import type { Limits } from '../wire/limits.js';

type Bounds = Pick<Limits, 'hostConnections' | 'addressConnections' | 'keyConnections'>;

/** Who is refused comes back within so many milliseconds. */
const COME_BACK_MS = 30_000;

/** Told of each connection or visit that begins or ends to count, by what it counts for: other hosts have the same bounds. */
export type Counted = (name: string, by: 1 | -1) => void;

const ALL = 'all';

export class Callers {
  readonly #limits: Bounds;
  readonly #counts = new Map<string, number>();
  readonly #counted: Counted;

  constructor(limits: Bounds, counted: Counted = () => undefined) {
    this.#limits = limits;
    this.#counted = counted;
  }

  /** Connections of this process. */
  get size(): number {
    return this.#counts.get(ALL) ?? 0;
  }

  /** Counts a connection. Answers why it is one too many, or undefined; it is counted either way, until it leaves. */
  enter(address: string | undefined): ComeBack | undefined {
    const { hostConnections, addressConnections } = this.#limits;
    const ofAddress = address === undefined ? 0 : this.add(nameOf(address), 1);
    if (this.add(ALL, 1) > hostConnections) return tooMany(`the server has its ${hostConnections} connections`);
    if (ofAddress > addressConnections) return tooMany(`this address has its ${addressConnections} connections`);
    return undefined;
  }

  leave(address: string | undefined): void {
    this.add(ALL, -1);
    if (address !== undefined) this.add(nameOf(address), -1);
  }

  /** Refuses another connection of a key that has proved itself on as many as it may have. */
  check(key: string): void {
    const { keyConnections } = this.#limits;
    if (this.count(`key ${key}`) < keyConnections) return;
    throw tooMany(`this key has its ${keyConnections} connections`);
  }

  /** Counts a connection of a proven key; answers what ends that. */
  hold(key: string): () => void {
    this.add(`key ${key}`, 1);
    return () => void this.add(`key ${key}`, -1);
  }

  /** Counts what another host has counted. */
  heed(name: string, by: number): number {
    const count = this.count(name) + by;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
    return count;
  }

  /** How many there are of a name, at all hosts. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts something of this host, and tells the others. */
  add(name: string, by: 1 | -1): number {
    this.#counted(name, by);
    return this.heed(name, by);
  }
}

function nameOf(address: string): string {
  return `address ${subscriberOf(address)}`;
}

/** Network of an address: the address itself, or the first 64 bits of one of IPv6. */
export function subscriberOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':');
}

function tooMany(what: string): ComeBack {
  const wait = Math.ceil(COME_BACK_MS * (0.2 + 0.8 * Math.random()));
  return new ComeBack('too-many-connections', `${what}; close some, or come back later`, wait);
}
