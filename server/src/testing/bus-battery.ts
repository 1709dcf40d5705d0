/** What every bus keeps, without a test framework; `make` answers a bus that is not open. */
import type { Bus, Link } from '../cluster/bus.js';
import { deepStrictEqual as equal, match, rejects } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';

export interface BusCase {
  readonly name: string;
  run(make: () => Promise<Bus>): Promise<void>;
}

const SECRET = new Uint8Array(32).fill(7);

interface Opened {
  readonly bus: Bus;
  readonly links: { readonly from: string; readonly link: Link }[];
}

/** Waits until something is so; the test's own time is the bound. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}

async function opened(made: Promise<Bus>, id: string, secret = SECRET): Promise<Opened> {
  const bus = await made;
  const links: Opened['links'] = [];
  await bus.open({ id }, secret, (from, link) => links.push({ from, link }));
  return { bus, links };
}

async function linked(make: () => Promise<Bus>) {
  const [one, other] = [await opened(make(), 'one'), await opened(make(), 'other')];
  const near = await one.bus.dial({ id: 'other', address: other.bus.address });
  await until(() => other.links.length === 1);
  equal(other.links[0]?.from, 'one');
  return { near, far: other.links[0]!.link, one: one.bus, other: other.bus };
}

/** What is said to check whether the other one is there is no message of anybody's. */
function heardBy(link: Link): unknown[] {
  const heard: unknown[] = [];
  link.on('message', (said) => heard.push(...(said as readonly unknown[])));
  return heard;
}

const say = (link: Link, ...said: readonly unknown[]): void => link.postMessage(said as never);

export const busBattery: readonly BusCase[] = [
  {
    name: 'a process that has ended is known to be gone, and one that is there is not, whoever it lets in',
    async run(make) {
      const [one, other] = [await opened(make(), 'one'), await make()];
      const { address } = other;
      equal(await one.bus.isGone({ id: 'other', address }), false);
      await other.close();
      while (!(await one.bus.isGone({ id: 'other', address }))) await sleep(20);
    },
  },
  {
    name: 'messages come in order, whole and as they were, both ways, also those that came before anybody heard',
    async run(make) {
      const { near, far } = await linked(make);
      const bytes = new Uint8Array(3_000_000).map((_, i) => i % 251);
      for (let i = 0; i < 200; i++) say(near, ['tell', i]);
      say(near, ['tell', bytes, undefined, new Map([[1, 'one']])]);
      const heard = heardBy(far);
      await until(() => heard.length === 201);
      equal(
        heard.slice(0, 200),
        Array.from({ length: 200 }, (_, i) => ['tell', i]),
      );
      const [, sent, nothing, map] = heard[200] as [string, Uint8Array, undefined, Map<number, string>];
      equal([Buffer.compare(sent, bytes), nothing, map.get(1)], [0, undefined, 'one']);
      const back = heardBy(near);
      say(far, ['done', 1, 'answer']);
      await until(() => back.length > 0);
      equal(back, [['done', 1, 'answer']]);
    },
  },
  {
    name: 'both sides hear once that a link has ended, whoever ends it, and also who asks afterwards',
    async run(make) {
      for (const who of ['near', 'far', 'one', 'other'] as const) {
        const { near, far, one, other } = await linked(make);
        const ended: string[] = [];
        near.onEnd(() => ended.push('near'));
        far.onEnd(() => ended.push('far'));
        if (who === 'near') near.end();
        else if (who === 'far') far.end();
        else await (who === 'one' ? one : other).close();
        await until(() => ended.length === 2);
        equal(ended.toSorted(), ['far', 'near']);
        near.onEnd(() => ended.push('late'));
        equal(ended.at(-1), 'late');
        say(near, ['tell', 'in vain']);
        equal(ended.length, 3);
      }
    },
  },
  {
    name: 'links between the same two are apart, and the end of one is none of another',
    async run(make) {
      const { near, far, one, other } = await linked(make);
      const third = await one.dial({ id: 'other', address: other.address });
      const heard = heardBy(far);
      third.end();
      say(near, ['tell', 'still here']);
      await until(() => heard.length > 0);
      equal(heard, [['tell', 'still here']]);
    },
  },
  {
    name: 'whoever does not know the secret, or looks for another process, gets no link',
    async run(make) {
      const stranger = await opened(make(), 'one', new Uint8Array(32).fill(8));
      const [other, third] = [await opened(make(), 'other'), await opened(make(), 'third')];
      const { address } = other.bus;
      const refused = (error: Error): boolean => {
        match(error.message, /closed the connection|does not answer/);
        return true;
      };
      await Promise.all([
        rejects(stranger.bus.dial({ id: 'other', address }), refused),
        rejects(third.bus.dial({ id: 'before', address }), refused),
      ]);
      equal(other.links, []);
    },
  },
];
