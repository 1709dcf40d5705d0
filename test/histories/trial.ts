/**
 * A trial: a real server over a real folder, and clients who write, read and join while the server is killed, stands still and finds
 * its disk full, and links are cut, slow or deaf. What they asked and were answered is a history, beside the log of the folder.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { levelStore } from '@weft/core/level';
import { onTestFinished } from 'vitest';
import { Random } from '../convergence/random.js';
import { type ServedProcess, serveProcess } from '../faults/serving.js';
import { CutLink } from '../support/servers/cut-link.js';
import { tempFolder } from '../support/temp-folder.js';
import { type Violation, check } from './check.js';
import { Crowd, logIn } from './crowd.js';
import type { History, Log } from './history.js';
import { type Rested, endOf, restOf, waitingIn } from './rest.js';

const run = promisify(execFile);
const ROOM = 'room';
const CLIENTS = 4;

export interface Figures {
  operations: number;
  acknowledged: number;
  joins: number;
  kills: number;
  stops: number;
  fullDisks: number;
  partitions: number;
  deaths: number;
}

export interface TrialOptions {
  readonly seed: number;
  /** Whether a server that starts again finds what the one before the last had left. */
  readonly isForgetful?: boolean;
}

export interface Ended extends Figures {
  /** Clients that have not got everything, though nothing is harmed any more. */
  readonly waiting: readonly string[];
  readonly history: History;
  readonly violations: readonly Violation[];
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Trial {
  readonly #random: Random;
  readonly #folder: string;
  readonly #crowd: Crowd;
  readonly #links: CutLink[];
  readonly #figures = { kills: 0, stops: 0, fullDisks: 0, partitions: 0 };
  #served: ServedProcess;
  #isOver = false;
  readonly #isForgetful: boolean;

  private constructor(
    { seed, isForgetful = false }: TrialOptions,
    folder: string,
    served: ServedProcess,
    links: CutLink[],
  ) {
    this.#isForgetful = isForgetful;
    [this.#random, this.#folder, this.#served, this.#links] = [new Random(seed), folder, served, links];
    const ports = links.map((link) => () => link.port);
    const joinPort = ports.pop()!;
    this.#crowd = new Crowd({ room: ROOM, random: this.#random, ports, joinPort, idleMs: 25, joinMs: 200 });
  }

  static async of(options: TrialOptions): Promise<Trial> {
    const folder = join(await tempFolder(), 'data');
    const served = await serveProcess('--store', folder);
    const links: CutLink[] = [];
    // The last one is for those who join.
    for (let i = 0; i <= CLIENTS; i++) links.push(await CutLink.before(portOf(served)));
    const trial = new Trial(options, folder, served, links);
    onTestFinished(() => trial.#close());
    return trial;
  }

  /** Everybody works and everything is harmed for so long; then all is well, everybody gets everything, and the history is checked. */
  async lasts(ms: number): Promise<Ended> {
    const until = Date.now() + ms;
    const isOn = (): boolean => Date.now() < until;
    await Promise.all([this.#crowd.works(isOn), this.#harm(isOn)]);
    // Whoever lives on sends again what the disk has forgotten.
    if (this.#isForgetful) this.#crowd.dies();
    const rest = await this.#rest();
    const waiting = waitingIn(rest, this.#crowd);
    const { operations, joins, deaths, acknowledged } = this.#crowd;
    await this.#served.weft.kill('SIGTERM');
    const history = { operations, log: await logOf(this.#folder), ...endOf(rest) };
    const figures = { ...this.#figures, operations: operations.length, acknowledged, joins, deaths };
    return { ...figures, history, waiting, violations: check(history) };
  }

  async #close(): Promise<void> {
    this.#isOver = true;
    this.#crowd.close();
    for (const link of this.#links) await link.close();
  }

  /** One harm after the other, each kind in its turn. */
  async #harm(isOn: () => boolean): Promise<void> {
    const random = this.#random;
    const link = (): CutLink => random.pick(this.#links);
    const harms = [
      () => this.#restart(),
      () => this.#partition(link(), random.below(800)),
      () => this.#standStill(random.below(1500)),
      () => void (link().delayMs = random.below(80)),
      () => this.#fillDisk(200 + random.below(800)),
      () => this.#partition(link(), random.below(800)),
    ];
    for (let turn = 0; isOn(); turn++) {
      await sleep(100 + random.below(800));
      await harms[turn % harms.length]!();
    }
  }

  async #restart(): Promise<void> {
    this.#figures.kills++;
    await this.#served.weft.kill('SIGKILL');
    if (this.#isForgetful) await this.#forget();
    this.#served = await serveProcess('--store', this.#folder);
    for (const link of this.#links) link.aim(portOf(this.#served));
  }

  /** The disk has again what it had when the server died the last time. */
  async #forget(): Promise<void> {
    const [before, now] = [`${this.#folder}-before`, `${this.#folder}-now`];
    await cp(this.#folder, now, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    if (existsSync(before)) {
      await rm(this.#folder, { recursive: true });
      await cp(before, this.#folder, { recursive: true });
      await rm(before, { recursive: true });
    }
    await rename(now, before);
  }

  async #standStill(ms: number): Promise<void> {
    this.#figures.stops++;
    this.#served.weft.signal('SIGSTOP');
    await sleep(ms);
    this.#served.weft.signal('SIGCONT');
  }

  /** No file of the server's may grow: what its disk says then is that this does not fit. */
  async #fillDisk(ms: number): Promise<void> {
    this.#figures.fullDisks++;
    await this.#limitFiles('1');
    await sleep(ms);
    await this.#limitFiles('unlimited');
  }

  async #limitFiles(bytes: string): Promise<void> {
    await run('prlimit', ['--pid', String(this.#served.weft.pid), `--fsize=${bytes}:unlimited`]);
  }

  async #partition(link: CutLink, ms: number): Promise<void> {
    this.#figures.partitions++;
    const mode = this.#random.pick(['pass', 'deaf', 'closed'] as const);
    link.become(mode);
    if (mode !== 'deaf') link.cut();
    await sleep(ms);
    link.become('pass');
    link.cut(); // what a deaf link has lost is missing in the middle
  }

  /** Nothing is harmed any more: everybody gets everything. */
  async #rest(): Promise<Rested> {
    for (const link of this.#links) [link.delayMs] = [0, link.become('pass')];
    await this.#restart();
    return restOf({ look: () => this.#crowd.last(), isOver: () => this.#isOver });
  }
}

function portOf({ audience }: ServedProcess): number {
  return Number(audience.split(':')[1]);
}

/** The log as the folder has it, read without a host. */
async function logOf(folder: string): Promise<Log> {
  const store = levelStore(folder);
  await store.open();
  return logIn(store, ROOM).finally(() => store.close());
}
