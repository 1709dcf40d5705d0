import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import type { Notice } from '../ports/telemetry.js';
import { generateKeys, keepRoom } from '../peer.js';
import { quiet } from '../testing/guests.js';
import { inProcessSocket } from '../testing/in-process-socket.js';
import { ManualClock } from '../testing/manual-clock.js';

const MIB = 1024 * 1024;

function hostOn(disk: { free: number | Error }) {
  const clock = new ManualClock();
  const told: Notice[] = [];
  const faults: unknown[] = [];
  const gauges = new Map<string, () => number>();
  const free = (): Promise<number> =>
    disk.free instanceof Error ? Promise.reject(disk.free) : Promise.resolve(disk.free);
  const host = createHost({
    store: { ...memoryStore(), free },
    clock,
    limits: { diskFreeBytes: 100 * MIB },
    telemetry: {
      record: () => undefined,
      watch: (name, read) => void gauges.set(name, read),
      tell: (notice) => void told.push(notice),
    },
    onFault: (error) => faults.push(error),
  });
  const look = async (): Promise<void> => {
    clock.advance(2000);
    await quiet(1);
  };
  const gauge = (name: string): number | undefined => gauges.get(name)?.();
  const said = (): string[] => told.map(({ message }) => message).filter((message) => message.includes('disk'));
  return { host, look, gauge, said, faults };
}

describe('the watermark of the disk', () => {
  it('[LM12] makes a host read-only before the disk is full, and takes it back when there is space again', async () => {
    const disk = { free: 200 * MIB };
    const { host, look, gauge, said } = hostOn(disk);
    const room = await host.room('plans');
    await room.set('k', 1);
    expect([gauge('disk_free'), gauge('read_only'), host.unready]).toEqual([200 * MIB, 0, undefined]);
    disk.free = 99 * MIB;
    await look();
    await expect(room.set('k', 2)).rejects.toMatchObject({ reason: 'read-only', retryMs: expect.any(Number) });
    expect(room.get('k')).toBe(1);
    expect([gauge('read_only'), host.unready]).toEqual([1, 'the disk is nearly full']);
    // What administers rooms and the host goes on.
    const lock = { SetRoomKey: { pubkey_hex: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c' } };
    expect(await host.submit({ room_id: 'plans', command: lock })).toMatchObject({ events: [{ RoomLocked: {} }] });
    await host.quarantine(parseRoomId('bad')!, 'a test');
    disk.free = 105 * MIB; // not yet: it would be read-only again at once
    await look();
    await expect(room.set('k', 2)).rejects.toMatchObject({ reason: 'read-only' });
    disk.free = 111 * MIB;
    await look();
    await room.set('k', 2);
    expect(said()).toEqual([
      'the disk is nearly full: the server is read-only',
      'the disk has space again: the server takes writes',
    ]);
    await host.close();
  });

  it('[LM12] lets history and values be given up while it is read-only', async () => {
    const disk = { free: 200 * MIB };
    const { host, look } = hostOn(disk);
    await host.withRoom('plans', async (room) => {
      await room.edit((edits) => edits.insertText('notes', 'not to be kept'));
      await room.transact(() => ({
        writes: [
          { key: 'secret', value: 'not to be kept' },
          { key: 'together', value: 'stays' },
        ],
        result: undefined,
      }));
    });
    disk.free = 1;
    await look();
    for (const key of ['notes', 'secret']) {
      const erased = await host.submit({ room_id: 'plans', command: { EraseValue: { key } } });
      expect(erased).toMatchObject({ events: [{ ValueErased: { key, nodes: 1, left: [] } }] });
    }
    await host.submit({ room_id: 'plans', command: { PruneHistory: {} } });
    await host.withRoom('plans', async (room) => {
      expect([room.get('secret'), room.get('together'), room.text('notes')]).toEqual([undefined, 'stays', '']);
      await expect(room.set('k', 1)).rejects.toMatchObject({ reason: 'read-only' });
    });
    await host.close();
  });

  it('[LM12] costs a client nothing that it has written: that is sent again when there is space', async () => {
    const disk = { free: 1 };
    const { host, look } = hostOn(disk);
    const clock = new ManualClock(); // of the client: while it waits, the host's stands still
    const client = keepRoom({
      open: () => inProcessSocket(host, 'plans'),
      keys: generateKeys(),
      clock,
      retry: { random: () => 0.5 },
    });
    await client.joined;
    const lost: unknown[] = [];
    client.onRefused((refused) => lost.push(refused));
    let retryAt = 0;
    client.onState((_state, { willRetryAt = 0 }) => void (retryAt = willRetryAt));
    client.replica.set('k', 1);
    const pushed = client.push();
    await expect.poll(() => client.state, { interval: 1 }).toBe('waiting');
    expect([client.unconfirmed, lost]).toEqual([1, []]);
    disk.free = 200 * MIB;
    await look();
    clock.advance(retryAt - clock.now()); // no further, for then an attempt has had no answer for all of what is left
    await pushed;
    expect([(await host.room('plans')).get('k'), client.unconfirmed]).toEqual([1, 0]);
    client.close();
    await host.close();
  });

  it('[LM12] stays what it was while the disk does not answer, and the host goes on', async () => {
    const disk: { free: number | Error } = { free: 1 };
    const { host, look, faults } = hostOn(disk);
    const room = await host.room('plans');
    disk.free = new Error('the disk is away');
    await look();
    expect(faults).toHaveLength(1);
    await expect(room.set('k', 1)).rejects.toMatchObject({ reason: 'read-only' });
    await host.close();
  });
});
