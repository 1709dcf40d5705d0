import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toHex } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { type Host, type HostOptions, createHost } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';
import { LIMITS } from '../wire/limits.js';

function hostWith(limits: HostOptions['limits'] = {}): { host: Host; clock: ManualClock } {
  const clock = new ManualClock();
  return { host: createHost({ store: memoryStore(), clock, limits }), clock };
}

const write = (host: Host, key: string, value: unknown): Promise<unknown> =>
  host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key, value } } });

async function join(host: Host): Promise<TestPeer> {
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello' });
  while ((await peer.nextOf('pack'))['final'] !== true);
  return peer;
}

/** Fails rather than waits when the connection is still open. */
const stillOpen = async (peer: TestPeer): Promise<void> => {
  peer.send({ type: 'are you there', req_id: 'still' });
  let frame = await peer.nextOf('error');
  while (frame['req_id'] !== 'still') frame = await peer.nextOf('error');
};

describe('limits', () => {
  it('[LM1] are told in welcome', async () => {
    const { host } = hostWith({ outboxBytes: 7_777_777 });
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    expect((await peer.next())['limits']).toEqual({
      frame_bytes: LIMITS.frameBytes,
      inbox_bytes: LIMITS.inboxBytes,
      outbox_bytes: 7_777_777,
      nodes_per_second: LIMITS.nodesPerSecond,
      nodes_burst: LIMITS.nodesBurst,
      bytes_per_second: LIMITS.bytesPerSecond,
      bytes_burst: LIMITS.bytesBurst,
      frames_per_second: LIMITS.framesPerSecond,
    });
  });

  it('[HS10] tell of the spread over which peers come back, where so many would come at once otherwise', async () => {
    const { host } = hostWith({ hostConnections: 100_000 });
    const spreadToldTo = async (): Promise<unknown> => {
      const peer = testPeer(host, 'room');
      peer.send({ type: 'hello' });
      return (await peer.next())['retry_spread_ms'];
    };
    for (let i = 0; i < 999; i++) testPeer(host, 'room');
    expect(await spreadToldTo()).toBeUndefined();
    for (let i = 0; i < 1000; i++) testPeer(host, 'room');
    expect(await spreadToldTo()).toBe(1000);
  });

  it('[HS2] give a silent connection 15 s, then an error and 1008', async () => {
    const { host, clock } = hostWith();
    const peer = testPeer(host, 'room');
    clock.advance(14_999);
    const joining = testPeer(host, 'room');
    clock.advance(1);
    expect(await peer.next()).toEqual({ type: 'error', msg: 'expected hello', code: 'expected-hello' });
    expect(await peer.closed).toEqual({ code: 1008, reason: 'expected hello' });
    joining.send({ type: 'hello' });
    expect((await joining.next()).type).toBe('welcome');
  });

  it('[HS2] leave a joined connection alone for as long as it likes', async () => {
    const { host, clock } = hostWith();
    const peer = await join(host);
    clock.advance(10 * 60_000);
    await stillOpen(peer);
  });

  it('[HS2] do not count the time that the room takes to open against a peer that has said hello', async () => {
    const clock = new ManualClock();
    const store = memoryStore();
    let opened: (() => void) | undefined;
    const opening = new Promise<void>((resolve) => (opened = resolve));
    const host = createHost({ store: { ...store, open: () => opening }, clock });
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    // The hello has been taken when the store is asked to open.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    clock.advance(20_000);
    opened?.();
    expect((await peer.next()).type).toBe('welcome');
  });

  it('[LM2] close with 4008 when more is sent than was processed [fault 8]', async () => {
    const { host } = hostWith({ inboxBytes: 1000 });
    const peer = await join(host);
    peer.sendText(JSON.stringify({ type: 'x', fill: '.'.repeat(500) }));
    peer.sendText(JSON.stringify({ type: 'x', fill: '.'.repeat(500) }));
    expect(await peer.closed).toEqual({ code: 4008, reason: 'rate limit exceeded' });
  });

  it('[LM2] count only what is not yet processed', async () => {
    const { host } = hostWith({ inboxBytes: 1000 });
    const peer = await join(host);
    for (let i = 0; i < 20; i++) {
      peer.sendText(JSON.stringify({ type: 'x', fill: '.'.repeat(500) }));
      expect((await peer.next()).type).toBe('error');
    }
  });

  it('[LM2] hold before hello as well [fault 1]', async () => {
    const { host } = hostWith({ inboxBytes: 1000 });
    const peer = testPeer(host, 'room');
    peer.sendText(new Uint8Array(1001));
    expect((await peer.closed).code).toBe(4008);
  });

  it('[LM3] close with 4001 a peer that stays behind the log, and only that one', async () => {
    const { host, clock } = hostWith({ stalledMs: 1_000_000 });
    const [slow, quick] = [await join(host), await join(host)];
    slow.pause();
    for (let i = 0; i < 40; i++) await write(host, `k${i}`, i);
    clock.advance(59_999);
    await stillOpen(quick);
    clock.advance(1);
    expect(await slow.closed).toEqual({ code: 4001, reason: 'resync required' });
    expect((await quick.nextOf('peer-left'))['session_id']).toBeDefined();
    await stillOpen(quick);
  });

  it('[LM3] close with 4001 a peer for which too much waits that is not in the log', async () => {
    const { host } = hostWith({ outboxBytes: 10_000 });
    const [slow, quick] = [await join(host), await join(host)];
    slow.pause();
    for (let i = 0; i < 40; i++) quick.send({ type: 'presence', data: '.'.repeat(1000) });
    expect(await slow.closed).toEqual({ code: 4001, reason: 'resync required' });
    await stillOpen(quick);
  });

  it('[LM3] serve a peer that was behind from the log: nothing is lost, nothing repeated [fault 7]', async () => {
    const { host, clock } = hostWith({ outboxBytes: 1000 });
    const peer = await join(host);
    peer.pause();
    for (let i = 0; i < 20; i++) await write(host, `k${i}`, '.'.repeat(1000));
    peer.resume();
    const ids = new Set<string>();
    for (let count = 0; ids.size < 20;) {
      const { nodes } = decodePack(fromBase64(String((await peer.nextOf('pack'))['nodes'])));
      for (const { id } of nodes) ids.add(toHex(id));
      count += nodes.length;
      expect(count).toBe(ids.size);
    }
    clock.advance(10 * 60_000);
    await stillOpen(peer);
  });

  it('[LM3] close with 1011 a peer that takes nothing for 15 s', async () => {
    const { host, clock } = hostWith();
    const peer = await join(host);
    peer.pause();
    await write(host, 'k', 1);
    clock.advance(14_999);
    await write(host, 'l', 1);
    clock.advance(1);
    expect(await peer.closed).toEqual({ code: 1011, reason: 'the peer takes nothing' });
  });

  it('[LM3] forget the wait when the peer takes something', async () => {
    const { host, clock } = hostWith();
    const peer = await join(host);
    for (let i = 0; i < 5; i++) {
      peer.pause();
      await write(host, `k${i}`, 1);
      clock.advance(14_999);
      peer.resume();
    }
    clock.advance(60_000);
    await stillOpen(peer);
  });

  it('[LM3] do not count history, which is made only as the peer takes it', async () => {
    const { host } = hostWith({ outboxBytes: 10_000 });
    const room = await host.room('room');
    const value = '.'.repeat(100_000);
    for (let i = 0; i < 6; i++) {
      // More than one frame's worth of nodes, so that the history has several.
      const writes = (n: number) => ({ writes: [{ key: `k${n}`, value: n }], result: 0 });
      await Promise.all(Array.from({ length: 1024 }, (_, n) => room.transact(() => writes(n))));
      await room.transact(() => ({ writes: [{ key: `big${i}`, value: `${value}${i}` }], result: 0 }));
    }
    const made: boolean[] = [];
    const roomId = parseRoomId('room');
    if (!roomId) throw new Error('not a room id');
    let got: ((frame: { type: string; final?: boolean }) => void) | undefined;
    let closed: number | undefined;
    const connection = host.connect(roomId, {
      send(text) {
        const frame: { type: string; final?: boolean } = JSON.parse(String(text));
        if (frame.type === 'pack') made.push(frame.final === true);
        got?.(frame);
        return false;
      },
      close: (code) => void (closed = code),
    });
    const welcome = new Promise((resolve) => (got = resolve));
    connection.receive(JSON.stringify({ type: 'hello' }));
    await welcome;
    const drained = async (): Promise<void> => {
      connection.drained();
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    };
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(made).toEqual([]);
    await drained();
    expect(made).toEqual([false]);
    await drained();
    expect(made.length).toBe(2);
    for (let turn = 0; turn < 20 && made.at(-1) !== true; turn++) await drained();
    expect([made.at(-1), closed]).toEqual([true, undefined]);
  });

  it('[LM3] keep the order of history and what came meanwhile', async () => {
    const { host } = hostWith();
    for (let i = 0; i < 3; i++) await write(host, `before${i}`, i);
    const peer = testPeer(host, 'room');
    peer.pause();
    peer.send({ type: 'hello' });
    expect((await peer.next()).type).toBe('welcome');
    await write(host, 'after', 1);
    peer.resume();
    const first = await peer.next();
    const second = await peer.next();
    expect([first['final'], second['final']]).toEqual([true, undefined]);
  });
});
