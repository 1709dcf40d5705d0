// Many followers of a studio's events, in a process of their own.
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import * as z from 'zod';
import { childFlags } from '../measuring/children.js';
import { percentile } from '../measuring/statistics.js';

const Asked = z.object({ port: z.number(), token: z.string(), count: z.number(), events: z.number() });
const Followed = z.object({ p50: z.number(), p99: z.number(), lost: z.number() });
type Asked = z.infer<typeof Asked>;
export type Followed = z.infer<typeof Followed>;

/** Time without an event after which a follower has heard all that it will. */
const SILENCE_MS = 10_000;

/**
 * Followers: the side of the bench. Resolves when all of them listen; `ended` when they have heard all, or nothing for
 * long.
 */
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

/**
 * Followers: the side of the child. It shares the machine with what is measured, so it looks at bytes and makes no text
 * of them.
 */
export async function followEvents(argument: string): Promise<void> {
  const { port, token, count, events } = Asked.parse(JSON.parse(argument));
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const heard = new Heard();
  const hear = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const outgoing = request({ host: '127.0.0.1', port, path: '/studio/events', headers, agent }, (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`the studio answered ${incoming.statusCode}`));
        const follower = new Follower(heard);
        incoming.on('data', (piece: Buffer) => {
          resolve();
          follower.take(piece);
        });
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  await Promise.all(Array.from({ length: count }, hear));
  process.send?.('ready');
  heard.last = Date.now();
  while (heard.delays.length < count * events && Date.now() - heard.last < SILENCE_MS)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { delays } = heard;
  const answer: Followed = {
    p50: percentile(delays, 0.5),
    p99: percentile(delays, 0.99),
    lost: count * events - delays.length,
  };
  process.send?.(answer);
  agent.destroy();
  process.disconnect();
}

/** Tally of what all followers have heard. */
class Heard {
  readonly delays: number[] = [];
  last = Date.now();
  /**
   * Number of an event -> when it was told. All followers hear the same, so it is read once. NaN for events of others.
   */
  readonly #toldAt = new Map<number, number>();

  event(number: number, frame: () => string): void {
    let told = this.#toldAt.get(number);
    if (told === undefined) {
      told = Number(/"activity\\":\\"(\d+)/.exec(frame())?.[1]);
      this.#toldAt.set(number, told);
    }
    if (!Number.isNaN(told)) this.delays.push(this.last - told);
  }
}

const FRAME_END = Buffer.from('\n\n');
const NUMBER = Buffer.from('id: ');

class Follower {
  readonly #heard: Heard;
  #rest: Buffer = Buffer.alloc(0);
  #number: number | undefined;

  constructor(heard: Heard) {
    this.#heard = heard;
  }

  take(piece: Buffer): void {
    const text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    this.#heard.last = Date.now();
    let from = 0;
    for (;;) {
      const to = text.indexOf(FRAME_END, from);
      if (to < 0) break;
      const start = from;
      if (text[start] === NUMBER[0])
        this.#event(numberAt(text, start + NUMBER.length), () => text.toString('utf8', start, to));
      from = to + FRAME_END.length;
    }
    this.#rest = text.subarray(from);
  }

  #event(number: number, frame: () => string): void {
    if (this.#number !== undefined && number <= this.#number)
      throw new Error(`event ${number} came after ${this.#number}`);
    this.#number = number;
    this.#heard.event(number, frame);
  }
}

function numberAt(text: Buffer, from: number): number {
  let number = 0;
  for (let at = from; text[at]! >= 48 && text[at]! <= 57; at++) number = number * 10 + text[at]! - 48;
  return number;
}
