import { describe, expect, it, vi } from 'vitest';
import type { AuthenticateHook } from '../access/entry-hook.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { testPeer } from '../testing/test-peer.js';
import { Joins } from './joins.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('joins', () => {
  it('[LM13] are worked on in the order in which they came, so many at once', async () => {
    const joins = new Joins({ joins: 2, joinsWaiting: 3 });
    const begun: number[] = [];
    const places = [0, 1, 2, 3, 4].map(async (at) => {
      const place = await joins.take();
      begun.push(at);
      return place;
    });
    await turn();
    expect([begun, joins.running, joins.waiting]).toEqual([[0, 1], 2, 3]);
    await expect(joins.take()).rejects.toMatchObject({ reason: 'too-many-joins', retryMs: expect.any(Number) });
    (await places[1])?.leave();
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    for (const place of places) void place.then((taken) => taken.leave());
    await Promise.all(places);
    await turn();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('[LM13] that wait for something outside have no place meanwhile, and are next afterwards', async () => {
    const joins = new Joins({ joins: 1, joinsWaiting: 3 });
    const first = await joins.take();
    const order: string[] = [];
    let answer: () => void = () => undefined;
    const outside = first.outside(() => new Promise<void>((resolve) => (answer = resolve)));
    const second = await joins.take();
    const third = joins.take().then((place) => {
      order.push('third');
      place.leave();
    });
    answer();
    await turn();
    const back = outside.then(() => {
      order.push('first again');
      first.leave();
    });
    second.leave();
    await Promise.all([back, third]);
    expect(order).toEqual(['first again', 'third']);
    expect([joins.running, joins.waiting]).toEqual([0, 0]);
  });

  it('[LM13] fail outside and have their place again', async () => {
    const joins = new Joins({ joins: 1, joinsWaiting: 1 });
    const place = await joins.take();
    await expect(place.outside(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    expect(joins.running).toBe(1);
    place.leave();
    expect(joins.running).toBe(0);
  });
});

describe('a host on which everybody enters at once', () => {
  it('[LM13] lets in as many as it works on and lets wait, and tells the others when to come back', async () => {
    const store = memoryStore();
    let goOn: () => void = () => undefined;
    const disk = new Promise<void>((resolve) => (goOn = resolve));
    const remains = store.log.remains.bind(store.log);
    vi.spyOn(store.log, 'remains').mockImplementation(async (room) => {
      await disk;
      return remains(room);
    });
    const host = createHost({ store, limits: { joins: 1, joinsWaiting: 2 } });
    const peers = ['a', 'b', 'c', 'd'].map((room) => testPeer(host, room));
    for (const peer of peers) {
      peer.send({ type: 'hello' });
      await turn();
    }
    const refused = peers[3]!;
    expect(await refused.nextOf('error')).toMatchObject({ code: 'too-many-joins', retry_ms: expect.any(Number) });
    expect(await refused.closed).toMatchObject({
      code: 1012,
      reason: expect.stringMatching(/come back in \d+ ms$/),
    });
    goOn();
    for (const peer of peers.slice(0, 3)) expect(await peer.nextOf('welcome')).toMatchObject({ type: 'welcome' });
    await host.close();
  });

  it('[LM13] a peer that goes while it waits holds up nobody', async () => {
    const host = createHost({ store: memoryStore(), limits: { joins: 1, joinsWaiting: 10 } });
    const peers = Array.from({ length: 8 }, () => testPeer(host, 'room'));
    for (const peer of peers) peer.send({ type: 'hello' });
    for (const peer of peers.slice(0, 4)) peer.leave();
    for (const peer of peers.slice(4)) expect(await peer.nextOf('welcome')).toMatchObject({ type: 'welcome' });
    await host.close();
  });

  it('[LM13] a hook that does not answer for one holds up nobody else', async () => {
    const granted = { grant: { caps: [] } };
    const waiting: (() => void)[] = [];
    const authenticate: AuthenticateHook = async ({ room }) => {
      if (room === 'slow') await new Promise<void>((resolve) => waiting.push(resolve));
      return granted;
    };
    const host = createHost({ store: memoryStore(), limits: { joins: 1, joinsWaiting: 10 }, entry: { authenticate } });
    const [slow, other] = [testPeer(host, 'slow'), testPeer(host, 'other')];
    slow.send({ type: 'hello' });
    await expect.poll(() => waiting.length).toBe(1);
    other.send({ type: 'hello' });
    expect(await other.nextOf('welcome')).toMatchObject({ type: 'welcome' });
    waiting[0]?.();
    expect(await slow.nextOf('welcome')).toMatchObject({ type: 'welcome' });
    await host.close();
  });
});
