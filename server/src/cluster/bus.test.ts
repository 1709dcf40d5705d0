/** What every bus keeps; there is one. */
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Bus, Link } from './bus.js';
import { tcpBus } from './tcp-bus.js';

const SECRET = new Uint8Array(32).fill(7);

async function opened(id: string, secret = SECRET): Promise<{ bus: Bus; links: { from: string; link: Link }[] }> {
  const bus = await tcpBus('127.0.0.1:0');
  onTestFinished(() => bus.close());
  const links: { from: string; link: Link }[] = [];
  await bus.open({ id }, secret, (from, link) => links.push({ from, link }));
  return { bus, links };
}

async function linked(): Promise<{ near: Link; far: Link; one: Bus; other: Bus }> {
  const [one, other] = [await opened('one'), await opened('other')];
  const near = await one.bus.dial({ id: 'other', address: other.bus.address });
  await expect.poll(() => other.links.length).toBe(1);
  expect(other.links[0]?.from).toBe('one');
  return { near, far: other.links[0]!.link, one: one.bus, other: other.bus };
}

/** What is said to check whether the other one is there is no message of anybody's. */
const heardBy = (link: Link): unknown[] => {
  const heard: unknown[] = [];
  link.on('message', (said) => heard.push(...(said as readonly unknown[])));
  return heard;
};

it('messages come in order, whole and as they were, in both directions, also those that came before anybody heard', async () => {
  const { near, far } = await linked();
  const bytes = new Uint8Array(3_000_000).map((_, i) => i % 251);
  for (let i = 0; i < 200; i++) near.postMessage([['tell', i]] as never);
  near.postMessage([['tell', bytes, undefined, new Map([[1, 'one']])]] as never);
  const heard = heardBy(far);
  await expect.poll(() => heard.length).toBe(201);
  expect(heard.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, i) => ['tell', i]));
  const [, sent, nothing, map] = heard[200] as [string, Uint8Array, undefined, Map<number, string>];
  expect([Buffer.compare(sent, bytes), nothing, map.get(1)]).toEqual([0, undefined, 'one']);
  const back = heardBy(near);
  far.postMessage([['done', 1, 'answer']] as never);
  await expect.poll(() => back).toEqual([['done', 1, 'answer']]);
});

it('both sides hear once that a link has ended, whoever ends it, and also who asks afterwards', async () => {
  for (const who of ['near', 'far', 'one', 'other'] as const) {
    const { near, far, one, other } = await linked();
    const ended: string[] = [];
    near.onEnd(() => ended.push('near'));
    far.onEnd(() => ended.push('far'));
    if (who === 'near') near.end();
    else if (who === 'far') far.end();
    else await (who === 'one' ? one : other).close();
    await expect.poll(() => ended.toSorted()).toEqual(['far', 'near']);
    near.onEnd(() => ended.push('late'));
    expect(ended).toContain('late');
    near.postMessage([['tell', 'in vain']] as never);
  }
});

it('whoever does not know the secret, or looks for another process, gets no link', async () => {
  const [one, other] = [await opened('one', new Uint8Array(32).fill(8)), await opened('other')];
  await expect(one.bus.dial({ id: 'other', address: other.bus.address })).rejects.toThrow(/same database/);
  const third = await opened('third');
  await expect(third.bus.dial({ id: 'before', address: other.bus.address })).rejects.toThrow('closed the connection');
  expect(other.links).toEqual([]);
});

it('a process that has ended is told from one that does not answer as it should', async () => {
  const [one, other] = [await opened('one'), await opened('other')];
  const { address } = other.bus;
  await other.bus.close();
  await expect(one.bus.dial({ id: 'other', address })).rejects.toMatchObject({ name: 'NobodyThere' });
  const stranger = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\n')).listen(0, '127.0.0.1');
  onTestFinished(() => void stranger.close());
  await new Promise((resolve) => stranger.once('listening', resolve));
  const { port } = stranger.address() as { port: number };
  const dialled = one.bus.dial({ id: 'other', address: `127.0.0.1:${port}` });
  await expect(dialled).rejects.toThrow(/closed the connection/);
});

it('an address that is taken is refused with the option to change', async () => {
  const { bus } = await opened('one');
  await expect(tcpBus(bus.address)).rejects.toThrow('--cluster-addr');
});
