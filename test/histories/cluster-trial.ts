/**
 * A trial of a cluster: three processes on one PostgreSQL, with one NATS between them or links over TCP from each to each, twenty rooms
 * with fifty clients. Processes, database and NATS are killed and stand still, the links between each two of them and to the clients are cut, deaf and slow, and the clocks of the processes
 * are hours apart. What ends by itself is started anew, as systemd does it.
 */
import { createHost } from '@weft/core';
import { postgresStore } from '@weft/core/postgres';
import { onTestFinished } from 'vitest';
import { Random } from '../convergence/random.js';
import { CutLink, type LinkMode } from '../support/servers/cut-link.js';
import type { PostgresServer } from '../support/servers/postgres.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { type Violation, check } from './check.js';
import { Crowd, logIn, seenIn } from './crowd.js';
import type { Seen } from './history.js';
import { endOf, restOf, waitingIn } from './rest.js';
import { tempFolder } from '../support/temp-folder.js';
import { type TriedBus, overNats, overTcp } from './tried-bus.js';

const [PROCESSES, ROOMS, CLIENTS] = [3, 20, 50];
const HOUR_MS = 3_600_000;
/** Longer than the lease of a process lasts. */
const LONG_MS = 8000;

/** Error of a transaction that was taken back in favour of others, as the database sends it, and as a process tells of one that it gave up. */
const [YIELDED, GAVE_UP] = ['C40001\0', /could not serialize access/] as const;

/** What else was not well: the harm before, a process besides that is away, messages that take up to 60 ms each way. */
interface Recovery {
  readonly ms: number;
  readonly besides: readonly string[];
}

export interface ClusterEnded {
  readonly figures: Readonly<Record<string, number>>;
  /** After how long all rooms took writes again: after a process was killed, and after the database had restarted. */
  readonly recovered: { readonly kill: readonly Recovery[]; readonly database: readonly Recovery[] };
  readonly waiting: readonly string[];
  /** What processes have told of transactions that gave way to others and were not tried again. */
  readonly gaveUp: readonly string[];
  readonly violations: readonly (Violation & { readonly room: string })[];
  /** What one room has in the end, and what another one has that was made of its archive. */
  readonly archived: { readonly room: Seen; readonly copy: Seen };
}

interface Member {
  process: WeftProcess;
  /** Resolves when one that is being started anew takes its place. */
  starting: Promise<void>;
  /** Links of clients to it, and its own to the database and towards the others. */
  readonly toIt: CutLink;
  readonly toDatabase: CutLink;
  readonly toOthers: readonly CutLink[];
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Moves the clock of a process, and again and again with `jumps`; what measures durations stays as it is. */
function clockAside(ms: number, jumps: boolean): string {
  return `
    const now = Date.now.bind(Date);
    let aside = ${ms};
    ${jumps ? `setInterval(() => (aside = ${ms} * (2 * Math.random() - 1)), 3000).unref();` : ''}
    Date.now = () => now() + Math.round(aside);`;
}

export class ClusterTrial {
  readonly #random: Random;
  readonly #database: PostgresServer;
  readonly #store: string;
  readonly #bus: TriedBus;
  readonly #members: Member[] = [];
  readonly #crowds: Crowd[] = [];
  /** All that were ever started. */
  readonly #processes: WeftProcess[] = [];
  readonly #figures = { kills: 0, ends: 0, stops: 0, databases: 0, buses: 0, cuts: 0, slow: 0, yields: 0 };
  readonly #recovered = { kill: [] as Recovery[], database: [] as Recovery[] };
  #behind = 'nothing';
  /** What it does or waits for, and since when: told when it is ended from outside. */
  #doing: { readonly what: string; readonly since: number; readonly lacks?: () => readonly string[] } | undefined;
  #isOn = (): boolean => true;
  #isOver = false;

  private constructor(random: Random, database: PostgresServer, store: string, bus: TriedBus) {
    [this.#random, this.#database, this.#store, this.#bus] = [random, database, store, bus];
  }

  static async of(seed: number, bus: TriedBus['name'], database: PostgresServer): Promise<ClusterTrial> {
    const between = await (bus === 'nats' ? overNats(PROCESSES) : overTcp(PROCESSES));
    onTestFinished(() => between.close());
    const name = await database.database();
    // An administrator may have it so: what others have changed meanwhile is refused then, and sent again.
    if (bus === 'tcp') await database.ask(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const store = database.address(name);
    const trial = new ClusterTrial(new Random(seed), database, store, between);
    onTestFinished(() => trial.#close());
    for (let i = 0; i < PROCESSES; i++) await trial.#join(i);
    trial.#fill();
    return trial;
  }

  /** Everybody works and everything is harmed for so long; then all is well, everybody gets everything, and each history is checked. */
  async lasts(ms: number): Promise<ClusterEnded> {
    const until = performance.now() + ms;
    const isOn = (): boolean => performance.now() < until;
    this.#isOn = isOn;
    await Promise.all([...this.#crowds.map((crowd) => crowd.works(isOn)), this.#harm(isOn)]);
    this.#heal();
    // Nothing is harmed any more: everybody gets everything.
    const resting = new Set(this.#crowds);
    this.#does('waits for rest', () => [...resting].flatMap(({ room, waiting }) => [`${room} has none`, ...waiting]));
    const rests = await Promise.all(
      this.#crowds.map(async (crowd) => {
        const rest = await restOf({ look: () => crowd.last(), isOver: () => this.#isOver });
        resting.delete(crowd);
        return rest;
      }),
    );
    const waiting = this.#crowds.flatMap((crowd, i) => waitingIn(rests[i]!, crowd));
    this.#isOver = true;
    this.#does('ends the processes', () => this.#processes.at(-1)!.err.slice(-3));
    // Whoever is being started anew just now has a lease, or will.
    await Promise.all(this.#members.map(({ process, starting }) => (process.hasEnded ? starting : undefined)));
    for (const { process } of this.#members) await process.kill('SIGTERM');
    this.#does('reads the logs');
    const store = postgresStore(this.#store);
    await store.open();
    const violations: (Violation & { room: string })[] = [];
    let nodes = 0;
    try {
      for (const [i, { room, operations }] of this.#crowds.entries()) {
        const log = await logIn(store, room);
        nodes += log.nodes.length;
        for (const found of check({ operations, log, ...endOf(rests[i]!) })) violations.push({ ...found, room });
      }
    } finally {
      await store.close();
    }
    this.#does('carries a room as an archive');
    const archived = await this.#archived(this.#crowds[0]!.room);
    this.#doing = undefined;
    const sum = (of: (crowd: Crowd) => number): number => this.#crowds.reduce((all, crowd) => all + of(crowd), 0);
    const figures = {
      ...this.#figures,
      operations: sum(({ operations }) => operations.length),
      acknowledged: sum(({ acknowledged }) => acknowledged),
      joins: sum(({ joins }) => joins),
      deaths: sum(({ deaths }) => deaths),
      nodes,
    };
    const gaveUp = this.#processes.flatMap(({ err }) => err.filter((line) => GAVE_UP.test(line)));
    return { figures, recovered: this.#recovered, waiting, gaveUp, violations, archived };
  }

  async #archived(room: string): Promise<ClusterEnded['archived']> {
    const folder = await tempFolder();
    for (const [word, of] of [
      ['export', room],
      ['import', 'copy'],
    ] as const) {
      const words = ['archive', word, of, 'room.weft', '--store', this.#store, '--archive-root', folder];
      const { exited, err } = new WeftProcess(words, { whenFinished: onTestFinished });
      if ((await exited).code !== 0) throw new Error(err.join(' '));
    }
    const host = createHost({ store: postgresStore(this.#store) });
    await host.ready();
    try {
      return { room: seenIn(await host.room(room)), copy: seenIn(await host.room('copy')) };
    } finally {
      await host.close();
    }
  }

  #does(what: string, lacks?: () => readonly string[]): void {
    this.#doing = { what, since: performance.now(), ...(lacks && { lacks }) };
  }

  async #close(): Promise<void> {
    if (this.#doing) {
      const { what, since, lacks } = this.#doing;
      console.log(`it was ended while it ${what}, for ${Math.round(performance.now() - since)} ms`);
      for (const line of lacks?.() ?? []) console.log(line);
    }
    this.#isOver = true;
    for (const crowd of this.#crowds) crowd.close();
    for (const { toIt, toDatabase } of this.#members) for (const link of [toIt, toDatabase]) await link.close();
  }

  async #join(i: number): Promise<void> {
    const [toIt, toDatabase] = [await CutLink.before(1), await CutLink.before(this.#database.port)];
    toDatabase.onAnswer = (bytes) => void (bytes.includes(YIELDED) && this.#figures.yields++);
    const links = { toIt, toDatabase, toOthers: this.#bus.links(i) };
    const member: Member = { process: await this.#served(i, links), starting: Promise.resolve(), ...links };
    this.#members.push(member);
    this.#keepUp(i, member);
  }

  async #served(i: number, { toIt, toDatabase }: Pick<Member, 'toIt' | 'toDatabase'>): Promise<WeftProcess> {
    await this.#bus.came(i);
    const program = `${clockAside([0, HOUR_MS, -HOUR_MS][i]!, i === 2)}\n${this.#bus.program(i)}`;
    const process = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--transport', 'ws'], {
      env: {
        WEFT_STORE: this.#store.replace(`:${this.#database.port}/`, `:${toDatabase.port}/`),
        ...this.#bus.env(i),
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}`,
      },
      whenFinished: onTestFinished,
    });
    this.#processes.push(process);
    const [, port] = await Promise.race([
      process.line(/^ws:\/\/127\.0\.0\.1:(\d+)\//),
      process.exited.then(() => [undefined, undefined] as const),
    ]);
    if (port !== undefined) toIt.aim(Number(port));
    return process;
  }

  /** Starts a process anew whenever it has ended: it was killed, had lost its lease, or could not start while something was away. */
  #keepUp(i: number, member: Member): void {
    member.starting = member.process.exited.then(async ({ signal }) => {
      if (this.#isOver) return;
      if (signal === null) this.#figures.ends++;
      await this.#bus.went(i);
      await sleep(this.#random.below(500));
      if (this.#isOver) return;
      member.process = await this.#served(i, member);
      this.#keepUp(i, member);
    });
  }

  #fill(): void {
    const random = this.#random;
    const anywhere = (from: number) => {
      let next = from;
      return () => this.#members[next++ % PROCESSES]!.toIt.port;
    };
    for (let r = 0; r < ROOMS; r++) {
      const clients = Math.floor(((r + 1) * CLIENTS) / ROOMS) - Math.floor((r * CLIENTS) / ROOMS);
      const ports = Array.from({ length: clients }, () => anywhere(random.below(PROCESSES)));
      const joinPort = anywhere(random.below(PROCESSES));
      this.#crowds.push(new Crowd({ room: `room-${r}`, random, ports, joinPort, idleMs: 300, joinMs: 4000 }));
    }
  }

  /** One harm after the other, each kind in its turn. */
  async #harm(isOn: () => boolean): Promise<void> {
    const random = this.#random;
    const member = (): Member => random.pick(this.#members);
    const harms = [
      ['kill', () => this.#kill(member())],
      ['database cut', () => this.#cut(member().toDatabase, random.below(2500))],
      ['stop', () => this.#stop(member(), random.below(2500))],
      ['database', () => this.#restartDatabase(random.below(1500))],
      ['clients cut', () => this.#cut(member().toIt, random.below(2000))],
      ['bus away', () => this.#busAway(random.below(2500))],
      ['slow', () => this.#slow()],
      ['others cut', () => this.#cut(random.pick(member().toOthers), random.below(2500))],
      ['freeze', () => this.#freeze(random.below(2500))],
      ['kill', () => this.#kill(member())],
      ['both away', () => this.#bothAway(random.below(2500))],
      ['long stop', () => this.#stop(member(), LONG_MS)],
      ['database long cut', () => this.#cut(member().toDatabase, LONG_MS)],
    ] as const;
    for (let turn = random.below(harms.length); isOn(); turn++) {
      await sleep(200 + random.below(1000));
      const [name, harm] = harms[turn % harms.length]!;
      this.#does(`harms: ${name}`);
      await harm();
      this.#behind = name === 'slow' ? this.#behind : name;
    }
  }

  async #kill({ process }: Member): Promise<void> {
    if (process.hasEnded) return;
    this.#figures.kills++;
    const from = performance.now();
    await process.kill('SIGKILL');
    await this.#recovers(from, this.#recovered.kill, process);
  }

  async #stop({ process }: Member, ms: number): Promise<void> {
    if (process.hasEnded) return;
    this.#figures.stops++;
    process.signal('SIGSTOP');
    await sleep(ms);
    process.signal('SIGCONT');
  }

  async #restartDatabase(awayMs: number): Promise<void> {
    this.#figures.databases++;
    await this.#database.crash();
    await sleep(awayMs);
    await this.#database.up();
    await this.#recovers(performance.now(), this.#recovered.database);
  }

  async #busAway(ms: number): Promise<void> {
    this.#figures.buses++;
    await this.#bus.down();
    await sleep(ms);
    await this.#bus.up();
  }

  async #freeze(ms: number): Promise<void> {
    this.#figures.stops++;
    await (this.#random.below(2) === 0 ? this.#database : this.#bus).freeze(ms);
  }

  async #bothAway(ms: number): Promise<void> {
    this.#figures.buses++;
    this.#figures.databases++;
    await Promise.all([this.#bus.down(), this.#database.crash()]);
    await sleep(ms);
    const ups = [() => this.#bus.up(), () => this.#database.up()];
    if (this.#random.below(2) === 0) ups.reverse();
    for (const up of ups) await up();
  }

  async #cut(link: CutLink, ms: number): Promise<void> {
    this.#figures.cuts++;
    const mode: LinkMode = this.#random.pick(['pass', 'deaf', 'closed', 'hold'] as const);
    link.become(mode);
    if (mode === 'pass' || mode === 'closed') link.cut();
    await sleep(ms);
    link.become('pass');
    link.cut();
    // What was held comes as late as that.
    if (mode === 'hold') await link.deliver();
  }

  /** Commits and messages that take long, until the next turn of this harm. */
  #slow(): Promise<void> {
    this.#figures.slow++;
    for (const { toDatabase, toOthers } of this.#members)
      for (const link of [toDatabase, ...toOthers])
        link.delayMs = this.#random.below(3) === 0 ? this.#random.below(60) : 0;
    return Promise.resolve();
  }

  #besides(dead: WeftProcess | undefined): readonly string[] {
    const links = this.#members.flatMap(({ toDatabase, toOthers }) => [toDatabase, ...toOthers]);
    const away = this.#members.filter(({ process }) => process !== dead && !this.#isWell(process));
    return [
      `behind ${this.#behind}`,
      ...(links.some(({ delayMs }) => delayMs > 0) ? ['links are slow'] : []),
      ...(away.length > 0 ? ['another one is away'] : []),
    ];
  }

  /** Whether a process serves, and has not said that it ends. */
  #isWell(process: WeftProcess): boolean {
    return (
      !process.hasEnded && process.out.length > 0 && !process.err.some((line) => line.includes('"the server stops"'))
    );
  }

  /** Waits, a while, until each room has taken a write since then. */
  async #recovers(from: number, noted: Recovery[], dead?: WeftProcess): Promise<void> {
    const besides = this.#besides(dead);
    const isBack = (): boolean => this.#crowds.every(({ ackedAt }) => ackedAt > from);
    const until = performance.now() + 20_000;
    while (!isBack() && performance.now() < until && this.#isOn()) await sleep(20);
    if (!this.#isOn()) return; // nobody writes any more
    noted.push({ ms: Math.round(performance.now() - from), besides });
  }

  #heal(): void {
    for (const { toIt, toDatabase, toOthers } of this.#members)
      for (const link of [toIt, toDatabase, ...toOthers]) [link.delayMs] = [0, link.become('pass')];
  }
}
