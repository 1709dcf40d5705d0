/** Memory of all rooms of a host. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';

const KIB = 1024;

function place(hostRoomsBytes: number) {
  const clock = new ManualClock();
  const host = createHost({ store: memoryStore(), clock, limits: { hostRoomsBytes } });
  const enter = async (room: string): Promise<TestPeer> => {
    const peer = testPeer(host, room);
    peer.send({ type: 'hello' });
    clock.advance(1);
    while ((await peer.nextOf('pack'))['final'] !== true);
    return peer;
  };
  const isInMemory = (room: string): boolean => host.load(parseRoomId(room)!).heads !== undefined;
  return { clock, host, enter, isInMemory };
}

describe('memory of all rooms', () => {
  it('[LM11] puts to sleep the rooms that have been silent longest, and wakes them with the next word', async () => {
    const { enter, isInMemory, clock } = place(100 * KIB); // an empty room takes 32 KiB
    const [first] = [await enter('a'), await enter('b'), await enter('c'), await enter('d')];
    expect(['a', 'b', 'c', 'd'].map(isInMemory)).toEqual([true, true, true, true]);
    clock.advance(1000);
    await enter('e');
    expect(['a', 'b', 'c', 'd', 'e'].map(isInMemory)).toEqual([false, false, true, true, true]);
    clock.advance(1000);
    first.send({ type: 'server-info' });
    expect((await first.nextOf('server-info')).type).toBe('server-info');
    expect(isInMemory('a')).toBe(true);
  });

  it('[LM11] refuses who would open another room where nothing can sleep, and lets in who enters one that is open', async () => {
    const { host, enter, clock } = place(1);
    const peer = await enter('a');
    peer.send({ type: 'presence', data: 'here' });
    peer.send({ type: 'server-info' });
    await peer.nextOf('server-info');
    const other = testPeer(host, 'b');
    other.send({ type: 'hello' });
    expect(await other.next()).toMatchObject({ code: 'server-full', retry_ms: expect.any(Number) });
    expect((await other.closed).reason).toMatch(/no memory for another room just now; come back in \d+ ms$/);
    await enter('a');
    peer.leave();
    clock.advance(1000);
    // The application is master in its own process.
    expect((await host.room('c')).id).toBe('c');
    await host.close();
  });
});
