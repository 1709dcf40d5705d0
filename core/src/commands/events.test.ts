/** Following a room over a connection: in order, without gaps, from any position, within the peer's rights. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { generateKeys } from '../peer.js';
import { guests } from '../testing/guests.js';
import type { TestPeer } from '../testing/test-peer.js';
import type { Frame } from '../wire/frame.js';

const READER = ['query.read'];

interface Heard {
  readonly after: number;
  readonly canonical_seq: number;
  readonly node_id: string;
  readonly items: readonly { seq: number; touched_keys: string[]; pruned?: true; ops?: unknown }[];
}

const written = async (peer: TestPeer): Promise<Heard> => (await peer.nextOf('events.written')) as Frame & Heard;

/** Frames from a position to another one, which must follow on each other. */
async function until(peer: TestPeer, after: number, seq: number): Promise<Heard[]> {
  const heard: Heard[] = [];
  for (let at = after; at < seq; at = heard.at(-1)!.canonical_seq) {
    heard.push(await written(peer));
    expect(heard.at(-1)!.after).toBe(at);
  }
  return heard;
}

const seqs = (heard: readonly Heard[]): number[] => heard.flatMap(({ items }) => items.map(({ seq }) => seq));
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

async function follow(peer: TestPeer, fields: object): Promise<Frame> {
  peer.send({ type: 'events.follow', ...fields });
  return peer.nextOf('events.following');
}

const inRoom = async (place: ReturnType<typeof guests>, values: Record<string, unknown>): Promise<number> =>
  place.host.withRoom('room', async (room) => {
    for (const [key, value] of Object.entries(values)) await room.set(key, value);
    return room.seq;
  });

async function enterAs(place: ReturnType<typeof guests>, caps: readonly string[]): Promise<TestPeer> {
  return place.enter(await place.hello(generateKeys(), caps));
}

describe('a follower of a room', () => {
  it('[RP5] is told what is there and then what comes, in order and without gaps', async () => {
    const place = guests();
    const values = Object.fromEntries(upTo(0, 450).map((n) => [`k${n}`, n]));
    const head = await inRoom(place, values);
    const peer = await enterAs(place, READER);
    expect(await follow(peer, { after: 0, req_id: 7 })).toEqual({
      type: 'events.following',
      after: 0,
      canonical_seq: head,
      req_id: 7,
    });
    const there = await until(peer, 0, head);
    expect(seqs(there)).toEqual(upTo(0, head));
    for (const { items } of there) expect(items.length).toBeLessThanOrEqual(200);
    expect(there.at(-1)!.items.at(-1)).toMatchObject({
      touched_keys: ['k449'],
      ops: [{ kind: 'set', key: 'k449', value: 449 }],
    });
    for (let n = 0; n < 5; n++) {
      const seq = await inRoom(place, { late: n });
      expect(seqs(await until(peer, seq - 1, seq))).toEqual([seq - 1]);
    }
    await place.host.close();
  });

  it('[RP6] goes on after a break and a restart with nothing missed and nothing twice', async () => {
    const store = memoryStore();
    let place = guests({ store });
    let seq = await inRoom(place, { a: 0 });
    const heard: number[] = [];
    let position: { after: number; node_id?: string } = { after: 0 };
    for (let round = 0; round < 4; round++) {
      const peer = await enterAs(place, READER);
      await follow(peer, position);
      seq = await inRoom(place, { b: round, c: round });
      const some = await until(peer, position.after, seq);
      heard.push(...seqs(some));
      position = { after: some.at(-1)!.canonical_seq, node_id: some.at(-1)!.node_id };
      if (round % 2 === 0) peer.leave();
      seq = await inRoom(place, { missed: round });
      if (round % 2 === 1) {
        await place.host.close();
        place = guests({ store });
      }
    }
    const peer = await enterAs(place, READER);
    await follow(peer, position);
    heard.push(...seqs(await until(peer, position.after, seq)));
    expect(heard).toEqual(upTo(0, seq));
    await place.host.close();
  });

  it('[RP5] that is slow is served from the log: nothing is kept for it', async () => {
    const gauges = new Map<string, () => number>();
    const place = guests({
      telemetry: { record: () => undefined, watch: (name, read) => void gauges.set(name, read as () => number) },
    });
    const start = await inRoom(place, { a: 0 });
    const peer = await enterAs(place, [...READER, 'read:k/**']);
    await follow(peer, { after: start });
    peer.pause();
    let seq = start;
    for (let n = 0; n < 300; n++) seq = await inRoom(place, { 'k/1': `${n} ${'.'.repeat(20_000)}` });
    expect(gauges.get('outbox_bytes')!()).toBe(0);
    const hearing = until(peer, start, seq);
    // Reads like a socket that takes a frame at a time.
    let isDone = false;
    void hearing.finally(() => (isDone = true));
    for (let turn = 0; turn < 100_000 && !isDone; turn++) {
      peer.resume();
      peer.pause();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seqs(await hearing)).toEqual(upTo(start, seq));
    await place.host.close();
  });

  it('[RP7] hears nothing of what it may not read, and where it goes on', async () => {
    const place = guests();
    const start = await inRoom(place, { 'open/0': 0 });
    const peer = await enterAs(place, [...READER, 'read:open/**']);
    await follow(peer, { after: start });
    await inRoom(place, { 'canary/key': 'canary value', 'open/1': 1 });
    await inRoom(place, { 'canary/key': 'canary again' });
    const seq = await inRoom(place, { 'open/2': 2 });
    const heard = await until(peer, start, seq);
    expect(heard.flatMap(({ items }) => items.map(({ touched_keys }) => touched_keys))).toEqual([
      ['open/1'],
      ['open/2'],
    ]);
    expect(JSON.stringify(heard)).not.toContain('canary');
    const other = await enterAs(place, [...READER, 'read:open/**']);
    await follow(other, { after: 0 });
    expect(JSON.stringify(await until(other, 0, seq))).not.toContain('canary');
    await place.host.close();
  });

  it('[RP7] that may not read any more is told so, and nothing after that', async () => {
    const place = guests();
    const keys = generateKeys();
    const peer = await place.enter(await place.hello(keys, READER));
    const start = await inRoom(place, { a: 1 });
    await follow(peer, { after: start });
    const { token } = (await place.hello(keys, [])) as { token: unknown };
    peer.send({ type: 'refresh-token', token });
    expect(await peer.nextOf('events.ended')).toMatchObject({ code: 'reject.control_plane_forbidden' });
    await inRoom(place, { a: 2 });
    peer.send({ type: 'no such frame' });
    const { type } = await peer.nextOf('error');
    expect(type).toBe('error');
    await place.host.close();
  });

  it('[RP5] follows one thing at a time, only under a prefix where it says so, until it does not want to', async () => {
    const place = guests();
    const start = await inRoom(place, { 'docs/a': 1 });
    const peer = await enterAs(place, READER);
    await follow(peer, { after: 0 });
    await until(peer, 0, start);
    await follow(peer, { after: start, key_prefix: 'docs/' });
    const seq = await inRoom(place, { other: 1, 'docs/b': 2 });
    expect((await until(peer, start, seq)).flatMap(({ items }) => items)).toMatchObject([{ touched_keys: ['docs/b'] }]);
    peer.send({ type: 'events.unfollow' });
    await peer.nextOf('events.unfollowed');
    await inRoom(place, { 'docs/c': 3 });
    peer.send({ type: 'no such frame' });
    for (let type = ''; type !== 'error';) {
      ({ type } = await peer.next());
      expect(type).not.toBe('events.written');
    }
    await place.host.close();
  });

  it('[RP6] is refused a position that is not of this log', async () => {
    const place = guests();
    const peer = await enterAs(place, READER);
    const seq = await inRoom(place, { a: 1 });
    peer.send({ type: 'events.follow', after: seq + 1 });
    expect(await peer.nextOf('events.follow.rejected')).toMatchObject({
      reason_class: 'reject.checkpoint_not_found',
      reason_message: expect.stringContaining(`the log has ${seq} nodes, not ${seq + 1}`) as string,
      after: seq + 1,
    });
    peer.send({ type: 'events.follow', after: seq, node_id: 'ab'.repeat(32) });
    expect(await peer.nextOf('events.follow.rejected')).toMatchObject({ reason_class: 'reject.checkpoint_not_found' });
    for (const after of [-1, 1.5, '0', undefined]) {
      peer.send({ type: 'events.follow', after });
      expect(await peer.nextOf('events.follow.rejected')).toMatchObject({ reason_class: 'reject.invalid_payload' });
    }
    const stranger = await enterAs(place, []);
    stranger.send({ type: 'events.follow', after: 0 });
    expect(await stranger.nextOf('error')).toMatchObject({ code: 'reject.control_plane_forbidden' });
    await place.host.close();
  });

  it('[RP6] is sent away with the reason when the room is deleted', async () => {
    const place = guests();
    const peer = await enterAs(place, READER);
    const seq = await inRoom(place, { a: 1 });
    await follow(peer, { after: 0 });
    await until(peer, 0, seq);
    await place.host.submit({ room_id: 'room', command: { DeleteRoom: { confirm: 'room' } } });
    expect(await peer.nextOf('error')).toMatchObject({ code: 'room-deleted' });
    await place.host.close();
  });

  it('[RP6] that begins before what was pruned is told so, and what was erased is told to nobody', async () => {
    const place = guests();
    const seq = await inRoom(place, { a: 'canary 1', b: 1 });
    const peer = await enterAs(place, READER);
    await follow(peer, { after: 0 });
    const whole = await until(peer, 0, seq);
    expect(JSON.stringify(whole)).toContain('canary 1');
    await inRoom(place, { a: 'canary 2' });
    await place.host.submit({ room_id: 'room', command: { PruneHistory: {} } });
    expect(await peer.closed).toMatchObject({ code: 1012 });
    const back = await enterAs(place, READER);
    const { canonical_seq, node_id } = whole.at(-1)!;
    const end = Number((await follow(back, { after: canonical_seq, node_id }))['canonical_seq']);
    const rest = await until(back, canonical_seq, end);
    expect(JSON.stringify(rest)).toContain('canary 2');
    const anew = await follow(back, { after: 0 });
    expect(anew['pruned_before']).toBe(seq + 1);
    const heard = await until(back, 0, end);
    expect(heard.flatMap(({ items }) => items).filter(({ pruned }) => pruned)).toMatchObject([{ touched_keys: [] }]);
    expect(JSON.stringify(heard)).not.toContain('canary 1');
    await place.host.submit({ room_id: 'room', command: { EraseValue: { key: 'a' } } });
    const last = await enterAs(place, READER);
    const all = await until(last, 0, Number((await follow(last, { after: 0 }))['canonical_seq']));
    expect(JSON.stringify(all)).not.toContain('canary');
    await place.host.close();
  });

  it('[RP5] keeps no room in memory, and hears what comes when it is back', async () => {
    const place = guests({ limits: { idleMs: 1000 } });
    const seq = await inRoom(place, { a: 1 });
    const peer = await enterAs(place, READER);
    await follow(peer, { after: 0 });
    await until(peer, 0, seq);
    await expect
      .poll(
        () => {
          place.clock.advance(500);
          return place.host.load('room').heads;
        },
        { timeout: 60_000, interval: 1 },
      )
      .toBeUndefined();
    const after = await inRoom(place, { a: 2, b: 3 });
    expect(seqs(await until(peer, seq, after))).toEqual(upTo(seq, after));
    await place.host.close();
  });
});
