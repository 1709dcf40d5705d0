import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseBlobHash, parseRoomId } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { ManualClock } from '@weft/core/testing';
import { createBlobLinks, type LinkTarget } from './links.js';

const room = parseRoomId('room');
const hash = parseBlobHash('ab'.repeat(32));
const otherHash = parseBlobHash('cd'.repeat(32));
const otherRoom = parseRoomId('room2');
if (!room || !hash || !otherHash || !otherRoom) throw new Error('bad names');

async function open(store = memoryStore()) {
  const clock = new ManualClock(1_000_000_500);
  const links = createBlobLinks({ store, clock });
  await links.pointTo('http://here:1');
  return { links, clock };
}
const queryOf = (url: string): URLSearchParams => new URL(url).searchParams;
const put: LinkTarget = { method: 'PUT', room, hash };
const get: LinkTarget = { method: 'GET', room, hash };

describe('links', () => {
  it('[BL6] sign method, room, hash, size and expiry under a key of the server alone', async () => {
    const store = memoryStore();
    const { links } = await open(store);
    const { url, expiresAtUnix } = await links.forPut(room, hash, 77);
    const key = hkdfSync('sha256', await store.authoritySeed(), '', 'weft-blob-links-v1', 32);
    const id = queryOf(url).get('id') ?? '';
    const message = ['weft-blob-link-v1', 'PUT', 'room', hash, '77', expiresAtUnix, id].join('\0');
    const signature = createHmac('sha256', new Uint8Array(key)).update(message).digest('base64url');
    expect(url).toBe(
      `http://here:1/blobs/room/${hash}?size=77&expires=${expiresAtUnix}&id=${id}&signature=${signature}`,
    );
    expect(links.judge(put, queryOf(url))).toEqual({ ...put, size: 77, expires: expiresAtUnix, id });
  });

  it('[BL6] last an hour for reading and a quarter for writing, to the second', async () => {
    const { links, clock } = await open();
    const [read, write] = [await links.forGet(room, hash), await links.forPut(room, hash, 1)];
    expect(read.expiresAtUnix).toBe(1_000_000 + 3600);
    expect(write.expiresAtUnix).toBe(1_000_000 + 900);
    clock.advance(899_499);
    expect(links.judge(put, queryOf(write.url))).toMatchObject({ size: 1 });
    clock.advance(1);
    expect(links.judge(put, queryOf(write.url))).toBe('link-expired');
    expect(links.judge(get, queryOf(read.url))).toMatchObject({ hash });
    clock.advance(3600_000);
    expect(links.judge(get, queryOf(read.url))).toBe('link-expired');
  });

  it('[BL6] are good for nothing else than what they were signed for', async () => {
    const { links, clock } = await open();
    const query = queryOf((await links.forPut(room, hash, 77)).url);
    expect(links.judge(put, query)).toMatchObject({ size: 77 });
    expect(links.judge(get, query)).toBe('bad-link');
    expect(links.judge({ ...put, room: otherRoom }, query)).toBe('bad-link');
    expect(links.judge({ ...put, hash: otherHash }, query)).toBe('bad-link');
    for (const [name, value] of [
      ['size', '78'],
      ['size', '077'],
      ['size', '77.0'],
      ['size', '-77'],
      ['size', ''],
      ['expires', '9999999999'],
      ['expires', ''],
      ['id', 'A'.repeat(12)],
      ['id', ''],
      ['signature', ''],
      ['signature', 'A'.repeat(43)],
      ['signature', 'A'.repeat(42)],
      ['signature', '%00'.repeat(43)],
      ['signature', `${query.get('signature')}=`],
    ] as const) {
      const forged = new URLSearchParams(query);
      forged.set(name, value);
      expect(links.judge(put, forged), `${name}=${value}`).toBe('bad-link');
    }
    for (const name of ['size', 'expires', 'id', 'signature']) {
      const cut = new URLSearchParams(query);
      cut.delete(name);
      expect(links.judge(put, cut)).toBe('bad-link');
    }
    clock.advance(3_600_000);
    const forged = new URLSearchParams(query);
    forged.set('signature', 'A'.repeat(43));
    expect(links.judge(put, forged), 'a forged link does not hear that it expired').toBe('bad-link');
  });

  it('[BL6] of one server are nothing to another, and the same after a restart', async () => {
    const store = memoryStore();
    const { url } = await (await open(store)).links.forGet(room, hash);
    expect((await open(store)).links.judge(get, queryOf(url))).toMatchObject({ room });
    expect((await open()).links.judge(get, queryOf(url))).toBe('bad-link');
  });

  it('[BL6] are given while there is somewhere to point to', async () => {
    const links = createBlobLinks({ store: memoryStore() });
    await expect(links.forGet(room, hash)).rejects.toThrow('start the server with blobListen');
    await links.pointTo('http://here:1');
    const { url } = await links.forGet(room, hash);
    links.withdraw();
    await expect(links.forPut(room, hash, 1)).rejects.toThrow('no blob listener is running');
    expect(links.judge(get, queryOf(url))).toBe('bad-link');
  });

  it('[BL6] [BL16] name whom an upload counts for, who cannot be read as a part of its type', async () => {
    const { links } = await open();
    const by = 'ab'.repeat(32);
    for (const contentType of [undefined, 'text/plain']) {
      const query = queryOf((await links.forPut(room, hash, 77, { contentType, by })).url);
      expect(links.judge(put, query)).toMatchObject({ type: contentType, by });
      query.delete('by');
      expect(links.judge(put, query)).toBe('bad-link');
      const types = [`${contentType ?? ''}\0by\0${by}`, `by\0${by}`];
      for (const type of types) {
        query.set('type', type);
        expect(links.judge(put, query)).toBe('bad-link');
      }
    }
  });

  it.each([-1, 1.5, NaN, Infinity, 2 ** 53])('[BL6] are not given for %s bytes', async (size) => {
    const { links } = await open();
    await expect(links.forPut(room, hash, size)).rejects.toThrow(`a blob cannot have ${size} bytes`);
  });
});
