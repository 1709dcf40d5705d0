/** Processes that share a database: whose a room is, who is out, and what nobody can do twice. Each store here stands for a process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Store, createHost } from '@weft/core';
import { postgresStore } from '@weft/core/postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { PostgresServer } from '../support/servers/postgres.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

const ROOM = 'plans' as Parameters<Store['log']['head']>[0];
const PACK = { count: 1, pack: new Uint8Array([1, 2, 3]) };
const OTHER = { count: 1, pack: new Uint8Array([4, 5, 6]) };

async function opened(address: string, at = '127.0.0.1:1', leaseMs = 1500, patienceMs = 20_000): Promise<Store> {
  const store = postgresStore(address, { leaseMs, sharedAt: at, patienceMs });
  await store.open();
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

const membershipOf = ({ membership }: Store): NonNullable<Store['membership']> => membership!;

describe('processes on one database', () => {
  it('know each other, and a room belongs to one of them until that gives it up or leaves', async () => {
    const address = server.address(await server.database());
    const [a, b] = [await opened(address, 'one:1'), await opened(address, 'two:2')];
    const [ours, theirs] = [membershipOf(a), membershipOf(b)];
    expect((await ours.members()).map(({ address: at }) => at).toSorted()).toEqual(['one:1', 'two:2']);
    const owners = await Promise.all([ours.claim(ROOM), theirs.claim(ROOM)]);
    expect(new Set(owners).size).toBe(1);
    const [owner, other] = owners[0] === ours.self.id ? [ours, theirs] : [theirs, ours];
    await other.release([ROOM]); // not its to give up
    expect(await other.claim(ROOM)).toBe(owner.self.id);
    await owner.release([ROOM]);
    expect(await other.claim(ROOM)).toBe(other.self.id);
    await (other === ours ? a : b).close();
    expect(await owner.members()).toEqual([owner.self]);
    expect(await owner.claim(ROOM)).toBe(owner.self.id);
  });

  it('append where they expect the head, and the second of two judges again', async () => {
    const address = server.address(await server.database());
    const [a, b] = [await opened(address), await opened(address)];
    const results = await Promise.all([a.log.append(ROOM, 0, PACK), b.log.append(ROOM, 0, OTHER)]);
    expect(results).toContainEqual({ seq: 0 });
    expect(results).toContainEqual({ movedTo: 1 });
    expect(await a.log.head(ROOM)).toBe(1);
    expect((await membershipOf(b).heads([ROOM, 'none' as typeof ROOM])).get(ROOM)).toBe(1);
  });

  it('put out, write nothing any more, whatever it is, and say so', async () => {
    const address = server.address(await server.database());
    const [a, b] = [await opened(address), await opened(address)];
    await a.log.append(ROOM, 0, PACK);
    await membershipOf(a).claim(ROOM);
    await membershipOf(b).putOut(membershipOf(a).self.id);
    expect(await membershipOf(b).claim(ROOM)).toBe(membershipOf(b).self.id);
    const refused = { fault: 'locked', message: expect.stringContaining('was shared on without this process') };
    await expect(a.log.append(ROOM, 1, OTHER)).rejects.toMatchObject(refused);
    await expect(a.log.remove(ROOM, new Uint8Array([1]))).rejects.toMatchObject(refused);
    await expect(a.images.put(ROOM, [new Uint8Array([1])])).rejects.toMatchObject(refused);
    await expect(membershipOf(a).claim(ROOM)).rejects.toMatchObject(refused);
    await expect(a.log.head(ROOM)).rejects.toMatchObject(refused);
    expect(await a.lost).toMatchObject(refused);
    expect(await b.log.head(ROOM)).toBe(1);
  });

  it('are out when they do not renew, and not because the database was away', async () => {
    const name = await server.database();
    const link = await CutLink.before(server.port);
    onTestFinished(() => link.close());
    const far = server.address(name).replace(`:${server.port}`, `:${link.port}`);
    const [a, b] = [await opened(far), await opened(server.address(name))];
    await membershipOf(a).claim(ROOM);
    await server.crash();
    await server.up();
    const other = membershipOf(b);
    for (let look = 0; look < 20; look++) expect(await other.members()).toHaveLength(2);
    link.become('closed');
    link.cut();
    await expect.poll(async () => (await other.members()).length).toBe(1);
    expect(await other.claim(ROOM)).toBe(other.self.id);
    link.become('pass');
    expect(await a.lost).toMatchObject({ fault: 'locked' });
  });

  it('are still since they renewed last by the clock of the database, and no longer than they were looked after', async () => {
    const name = await server.database();
    const membership = membershipOf(await opened(server.address(name), 'one:1', 8000));
    await server.ask(
      `INSERT INTO weft.lease (name, holder, fence, until, address) VALUES ('other', 'one', 1, 'infinity', 'two:2')`,
      name,
    );
    const renewedBefore = (ms: number): Promise<unknown> =>
      server.ask(
        `UPDATE weft.lease SET until = clock_timestamp() + interval '8 s' - interval '${ms} ms' WHERE name = 'other'`,
        name,
      );
    await membership.members();
    await sleep(2500);
    await renewedBefore(2400);
    await membership.members();
    expect(membership.isStill('other')).toBe(true);
    await renewedBefore(2300); // later than the look before
    await membership.members();
    expect(membership.isStill('other')).toBe(false);
  });

  it('have the rooms of one that died at their address as soon as they join there, and not of one that renews', async () => {
    const name = await server.database();
    const link = await CutLink.before(server.port);
    onTestFinished(() => link.close());
    const far = server.address(name).replace(`:${server.port}`, `:${link.port}`);
    // A term that no look would wait for.
    const before = await opened(far, 'one:1', 60_000);
    const beside = await opened(server.address(name), 'one:1', 60_000);
    await membershipOf(before).claim(ROOM);
    expect(await membershipOf(beside).members()).toHaveLength(2);
    link.become('closed');
    link.cut();
    await server.ask(
      `UPDATE weft.lease SET until = until - interval '16 s' WHERE name = '${membershipOf(before).self.id}'`,
      name,
    );
    const next = await opened(server.address(name), 'one:1', 60_000);
    expect((await membershipOf(next).members()).map(({ id }) => id)).not.toContain(membershipOf(before).self.id);
    expect(await membershipOf(next).members()).toHaveLength(2);
    expect(await membershipOf(next).claim(ROOM)).toBe(membershipOf(next).self.id);
  });

  it('find out what became of an append whose answer was lost, though the other has written behind it', async () => {
    const name = await server.database();
    const link = await CutLink.before(server.port);
    onTestFinished(() => link.close());
    const far = server.address(name).replace(`:${server.port}`, `:${link.port}`);
    const [a, b] = [await opened(far, 'one:1', 6000), await opened(server.address(name), 'two:2', 6000)];
    await a.log.append(ROOM, 0, PACK);
    link.become('deaf');
    const appended = a.log.append(ROOM, 1, OTHER);
    await expect.poll(() => b.log.head(ROOM)).toBe(2);
    expect(await b.log.append(ROOM, 2, PACK)).toEqual({ seq: 2 });
    link.cut();
    link.become('pass');
    expect(await appended).toEqual({ seq: 1 });
    expect(await a.log.append(ROOM, 2, OTHER)).toEqual({ movedTo: 3 });
  });

  it('say so when nobody can tell any more what became of an append, and write it no second time', async () => {
    const name = await server.database();
    const link = await CutLink.before(server.port);
    onTestFinished(() => link.close());
    const far = server.address(name).replace(`:${server.port}`, `:${link.port}`);
    const [a, b] = [await opened(far, 'one:1', 6000), await opened(server.address(name), 'two:2', 6000)];
    await a.log.append(ROOM, 0, PACK);
    link.become('deaf');
    const appended = a.log.append(ROOM, 1, OTHER).catch((error: unknown) => error);
    await expect.poll(() => b.log.head(ROOM)).toBe(2);
    expect(await b.log.merge(ROOM, 0, { count: 2, pack: new Uint8Array(2) })).toBe(true);
    link.cut();
    link.become('pass');
    expect(await appended).toMatchObject({ fault: 'away', message: expect.stringContaining('nobody can tell') });
    expect(await a.log.append(ROOM, 1, OTHER)).toEqual({ movedTo: 2 });
  });

  it('take back what was refused and kept all the same only where nobody else can have read it', async () => {
    for (const isAlone of [true, false]) {
      const name = await server.database();
      const link = await CutLink.before(server.port);
      onTestFinished(() => link.close());
      const far = server.address(name).replace(`:${server.port}`, `:${link.port}`);
      const a = await opened(far, 'one:1', 30_000, 500);
      if (!isAlone) await opened(server.address(name), 'two:2', 30_000);
      await a.log.append(ROOM, 0, PACK);
      link.become('deaf');
      const appended = a.log.append(ROOM, 1, OTHER).catch((error: unknown) => error);
      const head = async (): Promise<string | undefined> =>
        (await server.ask<{ head: string }>('SELECT head FROM weft.room', name))[0]?.head;
      await expect.poll(head).toBe('2');
      link.cut();
      link.become('closed');
      expect(await appended).toMatchObject({ fault: 'away' });
      link.become('pass');
      expect(await a.log.head(ROOM)).toBe(isAlone ? 1 : 2);
    }
  });

  it('begin no room under a name that another one has open', async () => {
    const address = server.address(await server.database());
    const [a, b] = [await opened(address), await opened(address)];
    await membershipOf(a).claim(ROOM);
    expect(await b.log.begin(ROOM, [PACK])).toBe(false);
    await membershipOf(a).release([ROOM]);
    expect(await b.log.begin(ROOM, [PACK])).toBe(true);
  });

  it('link a blob or collect it, never both', async () => {
    const address = server.address(await server.database());
    const [a, b] = [await opened(address), await opened(address)];
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('picture');
    };
    const hash = '1f39b8b8bf1cd6a57e1a1ad6ae2bb9ed4b4bf8b7c9f8a1ce1f7e3b4b6f0c9c2f' as Parameters<
      Store['blobs']['size']
    >[0];
    await expect(a.blobs.put(hash, bytes(), 100)).rejects.toThrow();
    const { createHash } = await import('node:crypto');
    const real = createHash('sha256').update('picture').digest('hex') as typeof hash;
    for (let round = 0; round < 10; round++) {
      await a.blobs.put(real, bytes(), 100);
      const [isLinked, isCollected] = await Promise.all([a.blobs.link(ROOM, real), b.blobs.collect(real, 0)]);
      expect([isLinked, isCollected].filter(Boolean)).toHaveLength(1);
      expect(await b.blobs.size(real)).toBe(isLinked ? 7 : undefined);
      if (isLinked) await b.blobs.unlink(ROOM, real);
    }
  });

  it('read a log from which another one merges records away', async () => {
    const address = server.address(await server.database());
    const [a, b] = [await opened(address), await opened(address)];
    for (let seq = 0; seq < 6; seq++) await a.log.append(ROOM, seq, { count: 1, pack: new Uint8Array(400_000) });
    const reading = b.log.read(ROOM, 0)[Symbol.asyncIterator]();
    expect((await reading.next()).value).toMatchObject({ seq: 0, count: 1 });
    expect(await a.log.merge(ROOM, 0, { count: 6, pack: new Uint8Array(6) })).toBe(true);
    // What it had is gone from under it: it says so, or has read to the end, and a new reader has the segment.
    const rest = (async () => {
      for (;;) if ((await reading.next()).done) return 'read';
    })();
    expect(await rest.catch((error: unknown) => error)).toMatchObject({ fault: 'failed' });
    const seqs: unknown[] = [];
    for await (const { seq, count } of b.log.read(ROOM, 0)) seqs.push([seq, count]);
    expect(seqs).toEqual([[0, 6]]);
  });

  it('write a room down after fewer nodes than one that is alone', async () => {
    const images = async (sharedAt: string | undefined): Promise<() => Promise<unknown[]>> => {
      const name = await server.database();
      const store = postgresStore(server.address(name), { sharedAt });
      const host = createHost({ store });
      onTestFinished(() => host.close());
      await host.withRoom('plans', (room) =>
        room.transact(() => ({
          writes: Array.from({ length: 1100 }, (_, i) => ({ key: `at/${i}`, value: i })),
          result: undefined,
        })),
      );
      return () => server.ask(`SELECT DISTINCT room FROM weft.image`, name);
    };
    const [shared, alone] = [await images('one:1'), await images(undefined)];
    await expect.poll(shared).toEqual([{ room: 'plans' }]);
    expect(await alone()).toEqual([]);
  });

  it('write one room from two hosts at once, and each node is there once', async () => {
    const address = server.address(await server.database());
    const stores = [await opened(address), await opened(address)];
    const hosts = stores.map((store) => createHost({ store }));
    onTestFinished(async () => {
      for (const host of hosts) await host.close();
    });
    await Promise.all(
      hosts.flatMap((host, at) =>
        Array.from({ length: 20 }, (_, i) => host.withRoom('plans', (room) => room.set(`${at}/${i}`, i))),
      ),
    );
    for (const host of hosts)
      await host.withRoom('plans', async (room) => {
        await room.look();
        expect([...room.entries('')].filter(([key]) => /^[01]\//.test(key))).toHaveLength(40);
      });
  });
});
