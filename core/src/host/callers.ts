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

export class Callers {
  readonly #limits: Bounds;
  readonly #addresses = new Counts();
  readonly #keys = new Counts();
  #all = 0;

  constructor(limits: Bounds) {
    this.#limits = limits;
  }

  /** Counts a connection. Answers why it is one too many, or undefined; it is counted either way, until it leaves. */
  enter(address: string | undefined): ComeBack | undefined {
    const { hostConnections, addressConnections } = this.#limits;
    const ofAddress = address === undefined ? 0 : this.#addresses.add(subscriberOf(address));
    if (++this.#all > hostConnections) return tooMany(`the server has its ${hostConnections} connections`);
    if (ofAddress > addressConnections) return tooMany(`this address has its ${addressConnections} connections`);
    return undefined;
  }

  leave(address: string | undefined): void {
    this.#all--;
    if (address !== undefined) this.#addresses.remove(subscriberOf(address));
  }

  /** Refuses another connection of a key that has proved itself on as many as it may have. */
  check(key: string): void {
    const { keyConnections } = this.#limits;
    if (this.#keys.of(key) >= keyConnections) throw tooMany(`this key has its ${keyConnections} connections`);
  }

  /** Counts a connection of a proven key; answers what ends that. */
  hold(key: string): () => void {
    this.#keys.add(key);
    return () => this.#keys.remove(key);
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string): number {
    const count = this.of(name) + 1;
    this.#counts.set(name, count);
    return count;
  }

  remove(name: string): void {
    const count = this.of(name) - 1;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

/** Network of an address: the address itself, or the first 64 bits of one of IPv6. */
function subscriberOf(address: string): string {
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
