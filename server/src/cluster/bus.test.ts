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

it('an address that is taken is refused with the option to change', async () => {
  const { address } = await make();
  await expect(tcpBus(address)).rejects.toThrow('--cluster-addr');
});
