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

export class ClusteredServers {
  readonly #members: readonly Member[];

  private constructor(members: readonly Member[]) {
    this.#members = members;
  }

  /** Resolves when each of them knows all the others. */
  static async start(store: string, size: number): Promise<ClusteredServers> {
    const servers = new ClusteredServers(await Promise.all(Array.from({ length: size }, () => started(store))));
    for (const { metrics } of servers.#members)
      while (
        (await gauge(metrics, 'cluster_processes')) !== size ||
        (await gauge(metrics, 'cluster_unreachable')) !== 0
      )
        await sleep(50);
    return servers;
  }

  urlOf(member: number, room: string): string {
    return this.#members[member]!.url.replace('<room>', room);
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

async function started(store: string): Promise<Member> {
  const program = join(import.meta.dirname, '..', '..', 'cli', 'bin', 'weft.js');
  const addresses = ['--listen', '--cluster-addr', '--metrics-addr'].flatMap((name) => [name, '127.0.0.1:0']);
  const options = ['--store', store, ...addresses, '--json', ...UNBOUND, '--log-level', 'error'];
  const child = spawn(process.execPath, [program, 'serve', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout }))
    return { child, ...Started.parse(JSON.parse(line)) };
  throw new Error('a process has ended: see above');
}

async function gauge(url: string, name: string): Promise<number> {
  const text = await (await fetch(url)).text();
  return Number(new RegExp(`^weft_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
