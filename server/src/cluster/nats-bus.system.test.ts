/** The bus over a real NATS keeps what every bus keeps, also when NATS is killed, or somebody else speaks on it. */
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Bus, Link } from './bus.js';
import { natsBus } from './nats-bus.js';
import { busBattery } from '../testing/bus-battery.js';
import { CutLink } from '../../../test/support/servers/cut-link.js';
import { NatsServer } from '../../../test/support/servers/nats.js';

let server: NatsServer;
beforeAll(async () => {
  server = await NatsServer.start();
});
afterAll(() => server.kill());

async function make(): Promise<Bus> {
  const bus = await natsBus(server.address, server.password);
  onTestFinished(() => bus.close());
  return bus;
}

for (const { name, run } of busBattery) it(name, () => run(make));

const SECRET = new Uint8Array(32).fill(7);

async function pair(): Promise<{ one: Bus; other: Bus; links: Link[]; dial: () => Promise<Link> }> {
  const [one, other] = [await make(), await make()];
  const links: Link[] = [];
  await one.open({ id: 'one' }, SECRET, () => undefined);
  await other.open({ id: 'other' }, SECRET, (_from, link) => links.push(link));
  return { one, other, links, dial: () => one.dial({ id: 'other', address: other.address }) };
}

it('links end when NATS is killed, and are dialled again when it is back', async () => {
  const { links, dial } = await pair();
  let ended = 0;
  const link = await dial();
  link.onEnd(() => ended++);
  await expect.poll(() => links.length).toBe(1);
  links[0]!.onEnd(() => ended++);
  await server.kill();
  await expect.poll(() => ended).toBe(2);
  await server.up();
  const again = await (async () => {
    for (;;) {
      const dialled = await dial().catch(() => undefined);
      if (dialled) return dialled;
    }
  })();
  const heard: unknown[] = [];
  await expect.poll(() => links.length).toBe(2);
  links[1]!.on('message', (said) => heard.push(...(said as unknown[])));
  again.postMessage([['tell', 'back']] as never);
  await expect.poll(() => heard).toEqual([['tell', 'back']]);
});

it('a link to one whose connection to NATS has ended ends with what is said over it, and it is dialled again when it is back', async () => {
  const one = await make();
  const way = await CutLink.before(server.port);
  onTestFinished(() => way.close());
  const other = await natsBus(server.address.replace(`:${server.port}`, `:${way.port}`), server.password);
  onTestFinished(() => other.close());
  const links: Link[] = [];
  await one.open({ id: 'one' }, SECRET, () => undefined);
  await other.open({ id: 'other' }, SECRET, (_from, link) => links.push(link));
  const dial = () => one.dial({ id: 'other', address: other.address });
  const link = await dial();
  let isOver = false;
  link.onEnd(() => (isOver = true));
  await expect.poll(() => links.length).toBe(1);
  way.leave();
  way.cut();
  // Nothing is sent by the other one: it could say nothing of its end.
  await expect
    .poll(() => {
      link.postMessage([] as never);
      return isOver;
    })
    .toBe(true);
  await expect(dial()).rejects.toMatchObject({ name: 'NobodyThere', mayBeBack: true });
  await way.listen();
  await expect
    .poll(() =>
      dial().then(
        () => 'linked',
        () => 'nobody',
      ),
    )
    .toBe('linked');
});

it('of what somebody else says on it nothing is taken, and what is said twice, or lacks, ends the link', async () => {
  const { one, other, links, dial } = await pair();
  const spy = await connect({ servers: `127.0.0.1:${server.port}`, user: 'weft', pass: server.password });
  onTestFinished(() => spy.close());
  const seen: Uint8Array[] = [];
  spy.subscribe(other.address, { callback: (_error, { data }) => void seen.push(data) });
  await spy.flush();
  for (const bytes of [new Uint8Array(0), new Uint8Array(200), Buffer.alloc(200, 1), Buffer.alloc(200, 4)])
    spy.publish(other.address, bytes);
  const link = await dial();
  await expect.poll(() => links.length).toBe(1);
  let isOver = false;
  link.onEnd(() => (isOver = true));
  const heard: unknown[] = [];
  links[0]!.on('message', (said) => heard.push(...(said as unknown[])));
  link.postMessage([['tell', 'once']] as never);
  await expect.poll(() => heard).toEqual([['tell', 'once']]);
  // The last message but those that say that somebody is there.
  await expect.poll(() => seen.length).toBeGreaterThan(2);
  for (const bytes of seen.slice()) spy.publish(other.address, bytes);
  await expect.poll(() => isOver).toBe(true);
  expect(heard).toEqual([['tell', 'once']]);
  expect(one.address).not.toBe(other.address);
});

it('a NATS that is not there, or lets nobody in, is refused with what to do', async () => {
  await expect(natsBus('nats://127.0.0.1:1')).rejects.toThrow(/NATS at 127\.0\.0\.1:1 cannot be used .*correct --bus/);
  await expect(natsBus(server.address, 'wrong')).rejects.toThrow(/cannot be used/);
});
