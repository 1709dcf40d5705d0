/** Watching a projection: what a peer makes of the changes that it is told is what a build has. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { generateKeys } from '../peer.js';
import { guests } from '../testing/guests.js';
import type { TestPeer } from '../testing/test-peer.js';
import type { Frame } from '../wire/frame.js';

const CAPS = ['query.admin', 'query.read'];

interface Shown {
  readonly k: string;
  readonly kind: string;
  readonly v: unknown;
}

/** Applies changes as PJ11 says. */
class Screen {
  rows: Shown[] = [];
  seq = 0;
  isWhole = false;
  frames = 0;

  apply(frame: Frame): void {
    const { removed, put, final, canonical_seq } = frame as Frame & {
      removed: { k: string; kind: string }[];
      put: (Shown & { index: number })[];
      final: boolean;
      canonical_seq: number;
    };
    const moved = new Set([...removed, ...put].map(({ k, kind }) => `${k} ${kind}`));
    // Rows that are put later in this change stand where they were until then: the index counts without them.
    if (this.isWhole || this.frames === 0) this.#waiting = [];
    this.#waiting.push(...put);
    this.rows = this.rows.filter(({ k, kind }) => !moved.has(`${k} ${kind}`));
    this.isWhole = final;
    this.frames++;
    this.seq = canonical_seq;
    if (!final) return;
    for (const { index, k, kind, v } of this.#waiting) this.rows.splice(index, 0, { k, v, kind });
  }

  #waiting: (Shown & { index: number })[] = [];

  /** Hears changes until the rows are those of a position that is at least this one. */
  async until(peer: TestPeer, isThere: () => boolean): Promise<void> {
    while (!(this.isWhole && isThere())) this.apply(await peer.nextOf('projection.changed'));
  }
}

type Place = ReturnType<typeof guests>;

const enterAs = async (place: Place, caps: readonly string[]): Promise<TestPeer> =>
  place.enter(await place.hello(generateKeys(), caps));

async function project(peer: TestPeer, descriptor: object, version = '1'): Promise<void> {
  peer.send({ type: 'query.register', query_spec_id: 'q', version, descriptor });
  await peer.nextOf('query.registered');
  peer.send({ type: 'projection.build', projection_id: 'p', query_spec_id: 'q' });
  await peer.nextOf('projection.build.completed');
}

const write = (place: Place, values: Record<string, unknown>): Promise<number> =>
  place.host.withRoom('room', async (room) => {
    for (const [key, value] of Object.entries(values)) await room.set(key, value);
    return room.seq;
  });

/** What a build has that the same peer reads. */
async function built(peer: TestPeer): Promise<Shown[]> {
  peer.send({ type: 'projection.read', projection_id: 'p', limit: 1000 });
  return (await peer.nextOf('projection.read.result'))['rows'] as Shown[];
}

async function watch(peer: TestPeer): Promise<Screen> {
  peer.send({ type: 'projection.watch', projection_id: 'p' });
  expect(await peer.nextOf('projection.watching')).toMatchObject({ query_spec_id: 'q' });
  const screen = new Screen();
  await screen.until(peer, () => true);
  return screen;
}

describe('a projection that is watched', () => {
  it('[PJ11] is told as its rows are, and by changes becomes what a build has: rows put, moved and removed', async () => {
    const place = guests();
    await write(place, Object.fromEntries([5, 3, 9, 1, 7].map((n) => [`task/${n}`, { n, open: true }])));
    const admin = await enterAs(place, CAPS);
    await project(admin, {
      prefix: 'task/',
      where: [{ field: 'open', op: 'eq', value: true }],
      select: ['open'],
      order_by: { field: 'n', direction: 'desc' },
      limit: 4,
    });
    const peer = await enterAs(place, ['query.read']);
    const screen = await watch(peer);
    expect(screen.rows.map(({ k }) => k)).toEqual(['task/9', 'task/7', 'task/5', 'task/3']);
    // A generator that repeats: the same writes in each run.
    let random = 7;
    const next = (below: number): number => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((random / 2 ** 32) * below);
    };
    let isFull = 0;
    for (let round = 0; round < 40; round++) {
      const writes = Array.from({ length: 1 + next(3) }, () => [
        `task/${next(9)}`,
        { n: next(20), open: next(4) > 0 },
      ]) as [string, unknown][];
      const seq = await write(place, Object.fromEntries(writes));
      admin.send({ type: 'projection.build', projection_id: 'p', query_spec_id: 'q' });
      await admin.nextOf('projection.build.completed');
      const rows = await built(admin);
      // The watcher hears of changes alone, so what it has is awaited, not a position.
      await screen.until(peer, () => JSON.stringify(screen.rows) === JSON.stringify(rows));
      expect(screen.seq).toBeLessThanOrEqual(seq + 1); // with the fact of the build
      if (rows.length === 4) isFull++;
    }
    expect(isFull).toBeGreaterThan(10);
    await place.host.close();
  });

  it('[PJ11] comes in pages, and a peer that took nothing hears how it is now, not what came and went', async () => {
    const place = guests();
    await place.host.withRoom('room', (room) =>
      room.transact(() => ({
        writes: Array.from({ length: 2500 }, (_, n) => ({ key: `k/${String(n).padStart(4, '0')}`, value: n })),
        result: undefined,
      })),
    );
    const admin = await enterAs(place, CAPS);
    await project(admin, { prefix: 'k/' });
    const peer = await enterAs(place, ['query.read', 'read:k/**']);
    const screen = await watch(peer);
    expect([screen.frames, screen.rows.length]).toEqual([3, 2500]);
    peer.pause();
    for (let n = 0; n < 50; n++) await write(place, { 'k/0001': `v${n}`, 'k/gone': n });
    await place.host.withRoom('room', (room) =>
      room.transact(() => ({ writes: [{ key: 'k/gone', value: undefined }], result: undefined })),
    );
    await write(place, { 'k/last': 1 });
    peer.resume();
    await screen.until(peer, () => screen.rows.some(({ k }) => k === 'k/last'));
    expect(screen.rows.find(({ k }) => k === 'k/0001')?.v).toBe('v49');
    expect(screen.rows.some(({ k }) => k === 'k/gone')).toBe(false);
    expect(screen.frames).toBeLessThan(10);
    await place.host.close();
  });

  it('[PJ11] shows nothing of what may not be read, and takes away what may not be any more', async () => {
    const place = guests();
    await write(place, { 'open/1': 1, 'canary/1': 'canary' });
    const admin = await enterAs(place, CAPS);
    await project(admin, { limit: 2, order_by: { field: '$key', direction: 'asc' } });
    const keys = generateKeys();
    const peer = await place.enter(await place.hello(keys, ['query.read', 'read:open/**', 'read:late/**']));
    const screen = await watch(peer);
    expect(screen.rows.map(({ k }) => k)).toEqual(['open/1']);
    await write(place, { 'canary/2': 'canary', 'late/1': 1 });
    await screen.until(peer, () => screen.rows.length === 2);
    expect(screen.rows.map(({ k }) => k)).toEqual(['late/1', 'open/1']);
    const { token } = (await place.hello(keys, ['query.read', 'read:open/**'])) as { token: unknown };
    peer.send({ type: 'refresh-token', token });
    await screen.until(peer, () => screen.rows.length === 1);
    expect(screen.rows).toEqual([{ k: 'open/1', kind: 'register', v: 1 }]);
    const none = (await place.hello(keys, [])) as { token: unknown };
    peer.send({ type: 'refresh-token', token: none.token });
    expect(await peer.nextOf('projection.watch.ended')).toMatchObject({ code: 'reject.control_plane_forbidden' });
    await place.host.close();
  });

  it('[PJ11] ends when it is of another query, and goes on while it is built again by the same', async () => {
    const place = guests();
    await write(place, { 'a/1': 1, 'b/1': 1 });
    const admin = await enterAs(place, CAPS);
    await project(admin, { prefix: 'a/' });
    const peer = await enterAs(place, ['query.read']);
    const screen = await watch(peer);
    await write(place, { 'a/2': 2 });
    await project(admin, { prefix: 'a/' });
    await screen.until(peer, () => screen.rows.length === 2);
    await project(admin, { prefix: 'b/' }, '2');
    expect(await peer.nextOf('projection.watch.ended')).toMatchObject({
      projection_id: 'p',
      code: 'reject.projection_not_found',
    });
    expect((await watch(peer)).rows.map(({ k }) => k)).toEqual(['b/1']);
    peer.send({ type: 'projection.unwatch', projection_id: 'p' });
    await peer.nextOf('projection.unwatched');
    await write(place, { 'b/2': 2 });
    peer.send({ type: 'no such frame' });
    for (let type = ''; type !== 'error';) {
      ({ type } = await peer.next());
      expect(type).not.toBe('projection.changed');
    }
    await place.host.close();
  });

  it('[PJ11] goes on in a room that left memory, and begins anew after a restart', async () => {
    const store = memoryStore();
    let place = guests({ store, limits: { idleMs: 1000 } });
    await write(place, { 'a/1': 1 });
    const admin = await enterAs(place, CAPS);
    await project(admin, { prefix: 'a/' });
    admin.leave();
    const peer = await enterAs(place, ['query.read']);
    const screen = await watch(peer);
    const isAsleep = (): unknown => {
      place.clock.advance(500);
      return place.host.load('room').heads;
    };
    await expect.poll(isAsleep, { timeout: 60_000, interval: 1 }).toBeUndefined();
    await write(place, { 'a/2': 2 });
    await screen.until(peer, () => screen.rows.length === 2);
    await place.host.close();
    place = guests({ store });
    expect((await watch(await enterAs(place, ['query.read']))).rows.map(({ k }) => k)).toEqual(['a/1', 'a/2']);
    await place.host.close();
  });

  it('[PJ11] is refused for a projection that nobody built, and beyond sixteen', async () => {
    const place = guests();
    const admin = await enterAs(place, CAPS);
    admin.send({ type: 'projection.watch', projection_id: 'none' });
    expect(await admin.nextOf('projection.watch.rejected')).toMatchObject({
      reason_class: 'reject.projection_not_found',
      projection_id: 'none',
    });
    await project(admin, { prefix: 'a/' });
    for (let n = 0; n < 17; n++) {
      const projection_id = `p${n}`;
      admin.send({ type: 'projection.build', projection_id, query_spec_id: 'q' });
      await admin.nextOf('projection.build.completed');
      admin.send({ type: 'projection.watch', projection_id });
      if (n < 16) await admin.nextOf('projection.watching');
      else
        expect(await admin.nextOf('projection.watch.rejected')).toMatchObject({
          reason_class: 'reject.query_backpressure',
          projection_id,
        });
    }
    await place.host.close();
  });
});
