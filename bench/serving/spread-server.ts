// `weft serve` as its users start it, with rooms in so many threads: what each of its threads costs the processor.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';

const Started = z.object({ url: z.string() });

/** Rates of `weft serve` that a bench would meet. */
const UNBOUND = ['nodes-per-second', 'nodes-burst', 'bytes-per-second', 'bytes-burst'].flatMap((name) => [
  `--limit-${name}`,
  '1000000000',
]);

/** Ticks of a processor in a second, as Linux counts them for programs. */
const TICKS_PER_SECOND = 100;

export class SpreadServer {
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(folder: string, threads: number): Promise<SpreadServer> {
    const program = join(import.meta.dirname, '..', '..', 'cli', 'bin', 'weft.js');
    const options = ['--threads', String(threads), '--store', folder, '--listen', '127.0.0.1:0', '--json'];
    const child = spawn(process.execPath, [program, 'serve', ...options, ...UNBOUND, '--log-level', 'warn'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout }))
      return new SpreadServer(child, Started.parse(JSON.parse(line)).url);
    throw new Error('the server has ended: see above');
  }

  urlOf(room: string): string {
    return this.#url.replace('<room>', room);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Seconds that each thread has had of a processor, by its number in the system. */
  async seconds(): Promise<ReadonlyMap<string, number>> {
    const tasks = join('/proc', String(this.#child.pid), 'task');
    const found = new Map<string, number>();
    for (const task of await readdir(tasks)) {
      const text = await readFile(join(tasks, task, 'stat'), 'utf8');
      // The name of a thread stands in parentheses, and may hold spaces.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      found.set(task, (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND);
    }
    return found;
  }

  async end(): Promise<void> {
    if (this.hasEnded) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}
