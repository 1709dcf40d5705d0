/** The TCP bus keeps what every bus keeps, and tells who has ended from who does not answer. */
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { busBattery } from '../testing/bus-battery.js';
import type { Bus } from './bus.js';
import { tcpBus } from './tcp-bus.js';

async function make(): Promise<Bus> {
  const bus = await tcpBus('127.0.0.1:0');
  onTestFinished(() => bus.close());
  return bus;
}

for (const { name, run } of busBattery) it(name, () => run(make));

it('a process that has ended is told from one that does not answer as it should', async () => {
  const [one, other] = [await make(), await make()];
  await one.open({ id: 'one' }, new Uint8Array(32), () => undefined);
  const { address } = other;
  await other.close();
  await expect(one.dial({ id: 'other', address })).rejects.toMatchObject({ name: 'NobodyThere' });
  const stranger = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\n')).listen(0, '127.0.0.1');
  onTestFinished(() => void stranger.close());
  await new Promise((resolve) => stranger.once('listening', resolve));
  const { port } = stranger.address() as { port: number };
  const dialled = one.dial({ id: 'other', address: `127.0.0.1:${port}` });
  await expect(dialled).rejects.toThrow(/closed the connection/);
});

it('a process is gone where another one of the cluster is at its address, and not where a stranger is or one that says nothing', async () => {
  const [one, former, alien, dumb] = [await make(), await make(), await make(), await make()];
  await one.open({ id: 'one' }, new Uint8Array(32), () => undefined);
  const links: string[] = [];
  await former.open({ id: 'former' }, new Uint8Array(32), (from) => links.push(from));
  const { address } = former;
  expect(await one.isGone({ id: 'former', address })).toBe(false);
  expect(await one.isGone({ id: 'predecessor', address })).toBe(true);
  // Itself, where it was started at the address of one before.
  expect(await former.isGone({ id: 'predecessor', address })).toBe(true);
  await alien.open({ id: 'alien' }, new Uint8Array(32).fill(1), () => undefined);
  expect(await one.isGone({ id: 'former', address: alien.address })).toBe(false);
  expect(await one.isGone({ id: 'former', address: dumb.address })).toBe(false); // it is not open yet
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  expect(await one.isGone({ id: 'former', address: `127.0.0.1:${port}` })).toBe(false);
  expect(links).toEqual([]); // asking makes no link
});

it('an address that is taken is refused with the option to change', async () => {
  const { address } = await make();
  await expect(tcpBus(address)).rejects.toThrow('--cluster-addr');
});
