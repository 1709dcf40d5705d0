import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type BlobHash, parseBlobHash } from '../../codec/bytes/blob-hash.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import { all } from '../../testing/batteries/battery.js';
import { MemoryBlobs } from './memory-blobs.js';

function hashOf(bytes: Uint8Array): BlobHash {
  const hash = parseBlobHash(createHash('sha256').update(bytes).digest('hex'));
  if (!hash) throw new Error('not a hash');
  return hash;
}
async function* from(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

afterEach(() => void vi.useRealTimers());

describe('blobs in memory', () => {
  const put = (blobs: MemoryBlobs, bytes: Uint8Array) => blobs.put(hashOf(bytes), from(bytes), bytes.length);

  it('[BL1] take no more together than they were given, and take again what was deleted or refused', async () => {
    const blobs = new MemoryBlobs(100_000);
    await put(blobs, filled(60_000, 1));
    for (let i = 0; i < 3; i++) {
      await expect(put(blobs, filled(60_000, 2))).rejects.toMatchObject({ name: 'StoreError', fault: 'full' });
      await expect(blobs.put(hashOf(filled(9, 9)), from(filled(30_000, 3)), 30_000)).rejects.toThrow();
    }
    await put(blobs, filled(30_000, 4));
    for (let i = 0; i < 5; i++) await put(blobs, filled(4_000, 5));
    await blobs.delete(hashOf(filled(60_000, 1)));
    await put(blobs, filled(60_000, 2));
    expect(await blobs.size(hashOf(filled(60_000, 2)))).toBe(60_000);
  });

  it('[BL1] count empty blobs too, and what is on its way', async () => {
    const empty = new MemoryBlobs(100);
    await expect(put(empty, new Uint8Array(0))).rejects.toMatchObject({ fault: 'full' });
    const blobs = new MemoryBlobs(100_000);
    async function* during(): AsyncGenerator<Uint8Array> {
      yield filled(60_000, 1);
      await expect(put(blobs, filled(60_000, 2))).rejects.toMatchObject({ fault: 'full' });
    }
    await blobs.put(hashOf(filled(60_000, 1)), during(), 60_000);
  });

  it('[BL4] are idle since they were last put or taken from a room', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const HOUR = 3_600_000;
    const pass = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);
    const room = parseRoomId('room');
    if (!room) throw new Error('not a room id');
    const blobs = new MemoryBlobs(100_000);
    const hash = hashOf(filled(9, 9));
    await put(blobs, filled(9, 9));
    await blobs.link(room, hash);
    pass(2 * HOUR);
    expect(await blobs.unlink(room, hash, HOUR)).toBe(true);
    expect(await all(blobs.unlinked(HOUR))).toEqual([]);
    pass(2 * HOUR);
    expect(await all(blobs.unlinked(HOUR))).toEqual([hash]);
    await put(blobs, filled(9, 9));
    expect(await blobs.collect(hash, HOUR)).toBe(false);
    pass(HOUR);
    expect(await blobs.collect(hash, HOUR)).toBe(true);
  });
});
