// A caller of a studio over HTTP, in a process of its own: what callers cost is not what the studio costs.
import { type ChildProcess, fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import * as z from 'zod';
import { childFlags } from '../measuring/children.js';

const Address = z.object({ port: z.number(), token: z.string() });
/** Calls to make; without a rate each waits for the one before. */
const Calls = z.object({
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  body: z.record(z.string(), z.unknown()).optional(),
  times: z.number(),
  perSecond: z.number().optional(),
});
const Took = z.array(z.number());
type Address = z.infer<typeof Address>;
type Calls = z.infer<typeof Calls>;

/** Caller: the side of the bench. */
export class Caller {
  readonly #child: ChildProcess;

  constructor(address: Address) {
    const program = process.argv[1];
    if (program === undefined) throw new Error('Start the benches with `npm run bench`.');
    this.#child = fork(program, [childFlags.caller, JSON.stringify(address)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** Makes calls; answers how long each took, in milliseconds. One lot of calls at a time. */
  async call(calls: Calls): Promise<number[]> {
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#child.once('message', resolve);
      this.#child.once('exit', () => reject(new Error('The caller ended: see above.')));
    });
    this.#child.send(calls);
    const took = Took.parse(await answer);
    this.#child.removeAllListeners('exit');
    return took;
  }

  close(): void {
    this.#child.disconnect();
  }
}

/** Caller: the side of the child, until the bench lets it go. */
export async function callStudio(argument: string): Promise<void> {
  const { port, token } = Address.parse(JSON.parse(argument));
  const agent = new Agent({ keepAlive: true });
  const ask = ({ method, path, body }: Calls): Promise<void> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`the studio answered ${incoming.statusCode}`));
        incoming.resume();
        incoming.on('end', resolve);
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  };
  process.on('message', (message) => {
    const calls = Calls.parse(message);
    void allOf(calls, () => ask(calls)).then((took) => process.send?.(took));
  });
  await new Promise((resolve) => process.once('disconnect', resolve));
  agent.destroy();
}

/** Makes all calls, at a steady rate whether or not earlier ones are answered, or one after the other. */
async function allOf({ times, perSecond }: Calls, ask: () => Promise<void>): Promise<number[]> {
  const asked: Promise<number>[] = [];
  const began = performance.now();
  for (let n = 0; n < times; n++) {
    const due = perSecond === undefined ? 0 : began + (n * 1000) / perSecond;
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    const one = clocked(ask);
    asked.push(one);
    if (perSecond === undefined) await one;
  }
  return Promise.all(asked);
}

export async function clocked(ask: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await ask();
  return performance.now() - began;
}
