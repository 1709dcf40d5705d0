// Several `weft serve` on one database, as their users start them: what each process costs the processor, and what is left when one dies.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

const Started = z.object({ url: z.string(), metrics: z.string() });

/** Bounds of `weft serve` that a bench would meet. */
const UNBOUND = ['nodes-per-second', 'nodes-burst', 'bytes-per-second', 'bytes-burst'].flatMap((name) => [
  `--limit-${name}`,
  '1000000000',
]);

/** Ticks of a processor in a second, as Linux counts them for programs. */
const TICKS_PER_SECOND = 100;

interface Member {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metrics: string;
}

/** What their links go over, in place of connections from each to each. */
export interface Bus {
  readonly address: string;
  readonly password: string;
}

export class ClusteredServers {
  readonly #start: () => Promise<Member>;
  readonly #members: Member[];

  private constructor(start: () => Promise<Member>, members: Member[]) {
    [this.#start, this.#members] = [start, members];
  }

  /** Resolves when each of them knows all the others. */
  static async start(store: string, size: number, bus?: Bus): Promise<ClusteredServers> {
    const start = (): Promise<Member> => started(store, bus);
    const servers = new ClusteredServers(start, await Promise.all(Array.from({ length: size }, start)));
    await servers.known();
    return servers;
  }

  /** Resolves when each of them knows all the others. */
  async known(): Promise<void> {
    for (const { metrics } of this.#members)
      while (
        (await gauge(metrics, 'cluster_processes')) !== this.#members.length ||
        (await gauge(metrics, 'cluster_unreachable')) !== 0
      )
        await sleep(50);
  }

  urlOf(member: number, room: string): string {
    return this.#members[member]!.url.replace('<room>', room);
  }

  isAlive(member: number): boolean {
    return !hasEnded(this.#members[member]!.child);
  }

  /** How many rooms it has. */
  async rooms(member: number): Promise<number> {
    return gauge(this.#members[member]!.metrics, 'cluster_rooms');
  }

  /** Starts those that have ended anew, as systemd does, and resolves when all know each other. */
  async startAgain(): Promise<void> {
    await Promise.all(
      this.#members.map(async ({ child }, member) => {
        if (hasEnded(child)) this.#members[member] = await this.#start();
      }),
    );
    await this.known();
  }

  /** Seconds that each process has had of a processor. */
  async seconds(): Promise<readonly number[]> {
    return Promise.all(
      this.#members.map(async ({ child }) => {
        const text = await readFile(join('/proc', String(child.pid), 'stat'), 'utf8');
        // The name of a process stands in parentheses, and may hold spaces.
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
      }),
    );
  }

  async kill(member: number): Promise<void> {
    await ended(this.#members[member]!.child, 'SIGKILL');
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.map(({ child }) => ended(child, 'SIGTERM')));
  }
}

async function started(store: string, bus: Bus | undefined): Promise<Member> {
  const program = join(import.meta.dirname, '..', '..', 'cli', 'bin', 'weft.js');
  const links = bus ? ['--bus', bus.address] : ['--cluster-addr', '127.0.0.1:0'];
  const addresses = ['--listen', '--metrics-addr'].flatMap((name) => [name, '127.0.0.1:0']);
  const options = ['--store', store, ...addresses, ...links, '--json', ...UNBOUND, '--log-level', 'error'];
  const child = spawn(process.execPath, [program, 'serve', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(bus && { WEFT_BUS_PASSWORD: bus.password }) },
  });
  for await (const line of createInterface({ input: child.stdout }))
    return { child, ...Started.parse(JSON.parse(line)) };
  throw new Error('a process has ended: see above');
}

async function gauge(url: string, name: string): Promise<number> {
  const text = await (await fetch(url)).text();
  return Number(new RegExp(`^weft_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
