/**
 * Checks a history against what a room server promises. The order of the log is the witness: nothing has to be searched for, and
 * each promise is one comparison. The values of registers are judged by the rule as it is written down, not by the engine. [MP1]
 */
import type { History, Join, Logged, Operation, Read, Seen, Write } from './history.js';

const PROMISES = {
  'no-gap': 'each record of the log begins where the one before ends',
  durable: 'what was acknowledged is in the log',
  once: 'nothing is in the log twice',
  asked: 'nothing is in the log that nobody has asked for',
  'own-order': 'what one client writes is in the log in the order in which it was written',
  'real-time': 'what was acknowledged before another write began is in the log before that',
  'seen-is-durable': 'what a client sees of others is in the log',
  'own-writes': 'a client sees what it has written itself, or what stands above that',
  'never-back': 'what a client has seen once it goes on seeing, or what stands above that',
  'joins-see-all':
    'who joins sees everything that was acknowledged before, and all that anybody was shown before by joining',
  'seq-never-back': 'the canonical_seq of a room never goes back, nor beyond the log',
  'list-order': 'every reader sees the list in one order',
  converged: 'in the end all have what the log says',
} as const;

export type Promised = keyof typeof PROMISES;

export interface Violation {
  readonly promise: Promised;
  readonly why: string;
}

/** At most so many of one promise: one is enough to begin with. */
const MOST = 3;

export function check(history: History): Violation[] {
  return new Check(history).run();
}

class Check {
  readonly #operations: readonly Operation[];
  readonly #log: History['log'];
  readonly #last: History['last'];
  readonly #lastNodes: number;
  readonly #found: Violation[] = [];
  /** Place in the log of each value. */
  readonly #places = new Map<string, number>();
  /** Values of registers, from those that stand lowest on. */
  readonly #heights = new Map<string, number>();
  readonly #writes: readonly Write[];
  readonly #writeOf: ReadonlyMap<string, Write>;

  constructor({ operations, log, last, lastNodes = log.nodes.length }: History) {
    this.#operations = [...operations].sort((a, b) => a.at - b.at);
    this.#log = log;
    [this.#last, this.#lastNodes] = [last, lastNodes];
    this.#writes = this.#operations.filter((one): one is Write => one.kind === 'set' || one.kind === 'append');
    this.#writeOf = new Map(this.#writes.map((write) => [write.value, write]));
  }

  run(): Violation[] {
    this.#checkLog();
    this.#checkWrites();
    this.#checkSessions();
    this.#checkJoins();
    this.#checkLists();
    this.#checkEnd();
    return this.#found;
  }

  #broken(promise: Promised, why: string): void {
    if (this.#found.filter((one) => one.promise === promise).length < MOST) this.#found.push({ promise, why });
  }

  #checkLog(): void {
    const { records, nodes } = this.#log;
    let end = 0;
    for (const { seq, count } of records) {
      if (seq !== end) this.#broken('no-gap', `a record begins at ${seq}, and the one before ends at ${end}`);
      end = seq + count;
    }
    if (end !== nodes.length) this.#broken('no-gap', `the log has ${nodes.length} nodes, and its records ${end}`);
    const ids = new Set(nodes.map(({ id }) => id));
    if (ids.size < nodes.length) this.#broken('once', `${nodes.length - ids.size} nodes are in the log again`);
    for (const [place, { writes }] of nodes.entries())
      for (const { value } of writes) {
        if (this.#places.has(value)) this.#broken('once', `${value} is in the log twice`);
        if (!this.#writeOf.has(value)) this.#broken('asked', `nobody has asked for ${value}`);
        this.#places.set(value, place);
      }
    const set = nodes.flatMap((node) => node.writes.map((write) => ({ node, write })));
    const sorted = set.filter(({ write }) => write.kind === 'set').sort((a, b) => byRule(a.node, b.node));
    for (const [height, { write }] of sorted.entries()) this.#heights.set(write.value, height);
  }

  #checkWrites(): void {
    const lastOf = new Map<string, Write>();
    // Acknowledged write that stands furthest back in the log, by the moment of the answer.
    const answered = this.#writes.filter(({ until }) => until !== undefined).sort((a, b) => a.until! - b.until!);
    let [next, furthest] = [0, -1];
    for (const write of this.#writes) {
      const { client, value, at, until } = write;
      const place = this.#places.get(value);
      if (until !== undefined && place === undefined)
        this.#broken('durable', `${client} was told that ${value} is kept`);
      for (; next < answered.length && answered[next]!.until! < at; next++)
        furthest = Math.max(furthest, this.#places.get(answered[next]!.value) ?? -1);
      if (place === undefined) continue;
      if (place < furthest) this.#broken('real-time', `${value} stands before what was acknowledged when it began`);
      const before = lastOf.get(client);
      if (before && this.#places.get(before.value)! > place)
        this.#broken('own-order', `${client} wrote ${before.value} before ${value}`);
      lastOf.set(client, write);
    }
  }

  /** What each client sees of what it has at hand, one look after the other. */
  #checkSessions(): void {
    const sessions = new Map<string, { readonly least: Map<string, string>; readonly listed: Set<string> }>();
    for (const one of this.#operations) {
      if (one.kind === 'join') continue;
      const session = sessions.get(one.client) ?? { least: new Map<string, string>(), listed: new Set<string>() };
      sessions.set(one.client, session);
      if (one.kind === 'set') session.least.set(`own ${one.key}`, one.value);
      else if (one.kind === 'append') session.listed.add(one.value);
      else this.#checkRead(one, session.least, session.listed);
    }
  }

  #checkRead({ client, seen }: Read, least: Map<string, string>, listed: Set<string>): void {
    for (const [key, value] of Object.entries(seen.registers)) {
      this.#isOthersDurable(client, value);
      for (const [promise, name] of [
        ['own-writes', `own ${key}`],
        ['never-back', key],
      ] as const) {
        const before = least.get(name);
        if (before !== undefined && this.#isBelow(value, before))
          this.#broken(promise, `${client} sees ${value} in ${key} and has had ${before}`);
      }
      least.set(key, value);
    }
    for (const name of least.keys())
      if (!name.startsWith('own ') && !(name in seen.registers))
        this.#broken('never-back', `${client} sees no ${name}`);
    const list = new Set(seen.list);
    for (const value of listed)
      if (!list.has(value)) {
        const isOwn = this.#writeOf.get(value)?.client === client;
        this.#broken(isOwn ? 'own-writes' : 'never-back', `${client} does not see ${value} in the list`);
      }
    for (const value of seen.list) {
      this.#isOthersDurable(client, value);
      listed.add(value);
    }
  }

  #isOthersDurable(client: string, value: string): void {
    if (this.#places.has(value) || this.#writeOf.get(value)?.client === client) return;
    this.#broken('seen-is-durable', `${client} has seen ${value}`);
  }

  /** Whether a value stands below another one; what is not in the log can only be one's own, and the newest. */
  #isBelow(value: string, other: string): boolean {
    const [height, least] = [this.#heights.get(value), this.#heights.get(other)];
    return height !== undefined && least !== undefined && height < least;
  }

  /** Who joins reads what is linearizable: it misses nothing that was over before. */
  #checkJoins(): void {
    const joins = this.#operations.filter((one): one is Join => one.kind === 'join' && one.seen !== undefined);
    const ends = [...this.#writes, ...joins]
      .filter(({ until }) => until !== undefined)
      .sort((a, b) => a.until! - b.until!);
    const least = new Map<string, string>();
    const listed = new Set<string>();
    let [next, seq] = [0, 0];
    const raise = (key: string, value: string): void => {
      const known = least.get(key);
      if (known === undefined || this.#isBelow(known, value)) least.set(key, value);
    };
    for (const { client, at, seen, seq: told = 0 } of joins) {
      for (; next < ends.length && ends[next]!.until! < at; next++) {
        const before = ends[next]!;
        if (before.kind === 'set') raise(before.key, before.value);
        else if (before.kind === 'append') listed.add(before.value);
        else {
          for (const [key, value] of Object.entries(before.seen!.registers)) raise(key, value);
          for (const value of before.seen!.list) listed.add(value);
          seq = Math.max(seq, before.seq ?? 0);
        }
      }
      if (told < seq) this.#broken('seq-never-back', `${client} was told ${told} when ${seq} had been told`);
      if (told > this.#log.nodes.length) this.#broken('seq-never-back', `${client} was told ${told}, beyond the log`);
      this.#checkJoin(client, seen!, least, listed);
    }
  }

  #checkJoin(client: string, seen: Seen, least: ReadonlyMap<string, string>, listed: ReadonlySet<string>): void {
    for (const [key, value] of least) {
      const found = seen.registers[key];
      if (found === undefined || this.#isBelow(found, value))
        this.#broken('joins-see-all', `${client} found ${found} in ${key} when ${value} was over`);
    }
    const list = new Set(seen.list);
    for (const value of listed) if (!list.has(value)) this.#broken('joins-see-all', `${client} did not find ${value}`);
    for (const value of [...seen.list, ...Object.values(seen.registers)]) this.#isOthersDurable(client, value);
  }

  /** All that anybody has seen of the list is in the order that it has in the end. */
  #checkLists(): void {
    const order = new Map(this.#last[0]?.seen.list.map((value, place) => [value, place]));
    for (const one of this.#operations) {
      if ((one.kind !== 'read' && one.kind !== 'join') || !one.seen) continue;
      let before = -1;
      for (const value of one.seen.list) {
        const place = order.get(value);
        if (place === undefined) continue; // never acknowledged, and lost with its author
        if (place < before) this.#broken('list-order', `${one.client} saw ${value} behind what stands behind it`);
        before = Math.max(before, place);
      }
    }
  }

  #checkEnd(): void {
    const registers: Record<string, string> = {};
    const appended: string[] = [];
    const writes = (from: number, to?: number) => this.#log.nodes.slice(from, to).flatMap((node) => node.writes);
    for (const { kind, key, value } of writes(0, this.#lastNodes)) {
      if (kind === 'append') appended.push(value);
      else if (registers[key] === undefined || this.#isBelow(registers[key], value)) registers[key] = value;
    }
    // What came behind that was on its way from somebody who had died: nobody was told that it is kept.
    for (const { value } of writes(this.#lastNodes))
      if (this.#writeOf.get(value)?.until !== undefined)
        this.#broken('converged', `${value} was acknowledged, and nobody had it in the end`);
    const [first] = this.#last;
    for (const { who, seen } of this.#last) {
      for (const key of new Set([...Object.keys(registers), ...Object.keys(seen.registers)]))
        if (registers[key] !== seen.registers[key])
          this.#broken('converged', `${who} has ${seen.registers[key]} in ${key}, the log ${registers[key]}`);
      if ([...seen.list].sort().join() !== [...appended].sort().join())
        this.#broken('converged', `${who} has another list than was written`);
      if (seen.list.join() !== first?.seen.list.join())
        this.#broken('converged', `${who} has the list in another order than ${first?.who}`);
    }
  }
}

/** Canonical order of what is written to one register: by lamport, author and id. */
function byRule(a: Logged, b: Logged): number {
  if (a.lamport !== b.lamport) return a.lamport - b.lamport;
  if (a.author !== b.author) return a.author < b.author ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
