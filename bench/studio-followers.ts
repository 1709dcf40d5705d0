// Many followers of a studio's events, in a process of their own.
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import * as z from 'zod';
import { childFlags } from './children.js';
import { percentile } from './statistics.js';

const Asked = z.object({ port: z.number(), token: z.string(), count: z.number(), events: z.number() });
const Followed = z.object({ p50: z.number(), p99: z.number(), lost: z.number() });
type Asked = z.infer<typeof Asked>;
export type Followed = z.infer<typeof Followed>;

/** Whoever has heard nothing for so long has heard all that it will. */
const SILENCE_MS = 10_000;

/** The side of the bench. Resolves when all of them listen; `ended` when they have heard all, or nothing for long. */
export async function followInProcess(asked: Asked): Promise<{ readonly ended: Promise<Followed> }> {
  const program = process.argv[1];
  if (program === undefined) throw new Error('Start the benches with `npm run bench`.');
  const child = fork(program, [childFlags.followers, JSON.stringify(asked)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const message = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', () => reject(new Error('The followers ended: see above.')));
    });
  await message();
  return { ended: message().then((answer) => Followed.parse(answer)) };
}

/** The side of the child. */
export async function followEvents(argument: string): Promise<void> {
  const { port, token, count, events } = Asked.parse(JSON.parse(argument));
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const delays: number[] = [];
  let heard = 0;
  let last = Date.now();
  const hear = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const outgoing = request({ host: '127.0.0.1', port, path: '/studio/events', headers, agent }, (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`the studio answered ${incoming.statusCode}`));
        incoming.setEncoding('utf8');
        let rest = '';
        incoming.on('data', (piece: string) => {
          resolve();
          const frames = (rest + piece).split('\n\n');
          rest = frames.pop() ?? '';
          last = Date.now();
          for (const frame of frames) {
            const told = /"activity\\":\\"(\d+)/.exec(frame)?.[1];
            if (told === undefined) continue;
            heard++;
            delays.push(last - Number(told));
          }
        });
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  await Promise.all(Array.from({ length: count }, hear));
  process.send?.('ready');
  last = Date.now();
  while (heard < count * events && Date.now() - last < SILENCE_MS)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const answer: Followed = {
    ...{ p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), lost: count * events - heard },
  };
  process.send?.(answer);
  agent.destroy();
  process.disconnect();
}
