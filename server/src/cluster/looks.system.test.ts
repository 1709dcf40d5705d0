/**
 * Processes that share a database and cannot reach each other: what is noted for all is found by the looks at the database, each half
 * a second, by a clock that is set here.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, createHost } from '@weft/core';
import { postgresStore } from '@weft/core/postgres';
import { ManualClock, testPeer } from '@weft/core/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../../../test/support/servers/postgres.js';
import { AnyLink, type Bus, NobodyThere } from './bus.js';
import { Cluster } from './cluster.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

/** Bus over which nobody is reached. */
const silent: Bus = {
  address: '127.0.0.1:1',
  open: () => Promise.resolve(),
  isGone: () => Promise.resolve(false),
  dial: () => Promise.reject(new Error('the cable is out')),
  close: () => Promise.resolve(),
};

const limits = { frameBytes: 1_000_000, hostInboxBytes: 1_000_000 };

/** Bus over which nobody answers. */
const deaf: Bus = { ...silent, dial: () => new Promise(() => undefined) };

/** Bus at whose addresses nobody listens: they lead elsewhere. */
const refusing: Bus = {
  ...silent,
  dial: () => Promise.reject(new NobodyThere('nobody listens there')),
  isGone: () => Promise.resolve(true),
};

interface Joined {
  readonly host: Host;
  readonly clock: ManualClock;
  readonly entered: Host;
  /** What was told to the operator. */
  readonly told: readonly string[];
}

async function member(address: string, bus = silent): Promise<Joined> {
  const store = postgresStore(address, { sharedAt: bus.address });
  const clock = new ManualClock();
  const told: string[] = [];
  const telemetry = { record: () => undefined, tell: ({ message }: { message: string }) => told.push(message) };
  const cluster = new Cluster({ bus, membership: () => store.membership, limits, telemetry, clock });
  const authenticate = () => Promise.resolve({ grant: { caps: [], subject: 'ada', issuedAt: 1000 } });
  const host = createHost({ store, others: cluster.others, entry: { authenticate } });
  await host.ready();
  await cluster.start(
    { host, performing: { perform: () => Promise.reject(new Error('nothing')) } },
    new Uint8Array(32),
  );
  onTestFinished(async () => {
    await cluster.close();
    await host.close();
  });
  return { host, clock, entered: { connect: cluster.connect } as Host, told };
}

it('a subject that one revokes has to go from the other at its next look, and not before', async () => {
  const address = server.address(await server.database());
  const [one, other] = [await member(address), await member(address)];
  const peer = testPeer(one.entered, 'plans');
  peer.send({ type: 'hello', token: 'of-ada' });
  await peer.nextOf('welcome');
  let isGone = false;
  void peer.closed.then(() => (isGone = true));
  expect(await other.host.revokeSubject('ada', 2000)).toBe(0);
  one.clock.advance(499);
  await one.host.room('elsewhere'); // time for what would have been begun
  expect(isGone).toBe(false);
  one.clock.advance(1);
  expect((await peer.closed).reason).toContain('token revoked');
});

it('what one writes into a room of the other is told to its peers at the next look', async () => {
  const address = server.address(await server.database());
  const [one, other] = [await member(address), await member(address)];
  const peer = testPeer(one.entered, 'plans');
  peer.send({ type: 'hello', token: 'of-ada' });
  await peer.nextOf('welcome');
  expect(await peer.nextOf('pack')).toMatchObject({ final: true }); // the history
  await (await one.host.room('plans')).set('title', 'first');
  await peer.nextOf('pack');
  await (await other.host.room('plans')).set('title', 'second');
  one.clock.advance(500);
  await peer.nextOf('pack');
  expect((await one.host.room('plans')).get('title')).toBe('second');
});

it('whoever came for a room of a process that has died is let in when that is found, and not sent away', async () => {
  const name = await server.database();
  const { clock, entered, told } = await member(server.address(name), deaf);
  await server.ask(
    `INSERT INTO weft.lease (name, holder, fence, until, address) VALUES ('dead', 'one', 1, 'infinity', '127.0.0.1:2');
     INSERT INTO weft.owner (room, process) VALUES ('plans', 'dead')`,
    name,
  );
  clock.advance(500);
  await expect.poll(() => told).toContain('a process has joined');
  const peer = testPeer(entered, 'plans');
  peer.send({ type: 'hello', token: 'of-ada' });
  let said: unknown;
  void peer.closed.then((closing) => (said = closing));
  await server.ask(`DELETE FROM weft.lease WHERE name = 'dead'`, name);
  await expect
    .poll(() => {
      clock.advance(500);
      return told;
    })
    .toContain('a process has left');
  expect((await peer.nextOf('welcome')).type).toBe('welcome');
  expect(said).toBeUndefined();
});

/** Link that ends when it is told to. */
class TestLink extends AnyLink {
  postMessage(): void {}

  end(): void {
    this.over();
  }
}

it('when a link has ended it is looked often whether its process has died, until it has or a while has passed', async () => {
  const name = await server.database();
  const link = new TestLink();
  const lost: Bus = {
    ...silent,
    dial: () => (link.isOver ? Promise.reject(new NobodyThere('nobody', true)) : Promise.resolve(link)),
    isGone: () => Promise.resolve(link.isOver),
  };
  const { clock, told } = await member(server.address(name), lost);
  await server.ask(
    `INSERT INTO weft.lease (name, holder, fence, until, address) VALUES ('dead', 'one', 1, 'infinity', '127.0.0.1:2')`,
    name,
  );
  clock.advance(500);
  await expect.poll(() => told).toContain('a process has joined');
  await sleep(1100); // longer than one that lives takes to renew
  link.end();
  clock.advance(100);
  await expect.poll(() => told).toContain('a process has left');
});

it('two that renew their leases and never reached each other live beside each other, whatever their addresses lead to', async () => {
  const name = await server.database();
  const both = [await member(server.address(name), refusing), await member(server.address(name), refusing)];
  for (const { clock, told, host } of both)
    for (let look = 0; look < 4; look++) {
      clock.advance(500);
      await expect.poll(() => told).toContain('a process has joined');
      await host.room('elsewhere'); // time for what was begun
    }
  expect(await server.ask(`SELECT FROM weft.lease WHERE name <> 'store'`, name)).toHaveLength(2);
});
