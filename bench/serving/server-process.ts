// A server in a process of its own: what it costs is what that process costs.
import { type ChildProcess, fork } from 'node:child_process';
import * as z from 'zod';
import { childFlags } from '../measuring/children.js';
import { collectGarbage } from '../measuring/harness.js';
import { findServer } from './server.js';
import type { ServerAsked, ServerEntry } from './server-entry.js';

const Asked = z.object({ server: z.string(), folder: z.string(), idleMs: z.number().optional() });
const Question = z.enum(['now', 'settled', 'watch']);
const Started = z.object({ url: z.string() });
const Usage = z.object({ cpuUs: z.number(), rss: z.number(), heap: z.number(), highest: z.number() });

/** `settled` collects the garbage first; from `watch` on the highest memory is noted. */
type Question = z.infer<typeof Question>;
export type Usage = z.infer<typeof Usage>;

const PATIENCE_MS = 60_000;
const WATCH_MS = 5;
const COLLECTIONS = 4;

/** The side of the bench. */
export class ServerProcess {
  readonly #child: ChildProcess;
  #url = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({ name, environment }: ServerEntry, asked: ServerAsked): Promise<ServerProcess> {
    const program = process.argv[1];
    if (program === undefined) throw new Error('Start the benches with `npm run bench`.');
    const child = fork(program, [childFlags.server, JSON.stringify({ server: name, ...asked })], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...environment?.() },
    });
    const server = new ServerProcess(child);
    server.#url = Started.parse(await server.#answer()).url;
    return server;
  }

  urlOf(room: string): string {
    return this.#url + room;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async usage(question: Question): Promise<Usage> {
    const answer = this.#answer();
    this.#child.send(question);
    return Usage.parse(await answer);
  }

  async end(): Promise<void> {
    if (this.hasEnded) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect(); // what it ends by
    await ended;
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => (): void => {
        clearTimeout(patience);
        this.#child.off('message', answered).off('exit', ended);
        act();
      };
      const answered = (message: unknown): void => settle(() => resolve(message))();
      const ended = settle(() => reject(new Error('the server has ended: see above')));
      const patience = setTimeout(
        settle(() => reject(new Error('the server does not answer'))),
        PATIENCE_MS,
      );
      this.#child.on('message', answered).on('exit', ended);
    });
  }
}

/** The side of the server. It ends with its bench. */
export async function serveBench(argument: string): Promise<never> {
  const { server, ...asked } = Asked.parse(JSON.parse(argument));
  let highest = 0;
  let watching: NodeJS.Timeout | undefined;
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => {
    const question = Question.parse(message);
    // A collection clears some of the pages that hold little.
    if (question === 'settled') for (let i = 0; i < COLLECTIONS; i++) collectGarbage();
    const { rss, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    if (question === 'watch') {
      highest = rss;
      watching ??= setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), WATCH_MS);
    }
    process.send?.({ cpuUs: user + system, rss, heap: heapUsed + external, highest: Math.max(highest, rss) });
  });
  const url = await findServer(server).start(asked);
  process.send?.({ url });
  return new Promise(() => undefined);
}
