import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { type RoomId, StoreError } from '@weft/core';
import {
  type BlobAddress,
  ask,
  blobAddress,
  codeOf,
  eventually,
  hashOf,
  otherRoom,
  room,
} from '../testing/blob-address.js';

const bytes = randomBytes(300_000);
const hash = hashOf(bytes);
const putUrl = async ({ links }: BlobAddress, size = bytes.length, to: RoomId = room): Promise<string> =>
  (await links.forPut(to, hash, size)).url;
const getUrl = async ({ links }: BlobAddress, of = hash): Promise<string> => (await links.forGet(room, of)).url;

async function expectNothing({ store, incoming }: BlobAddress): Promise<void> {
  await eventually(async () => (await incoming()).length === 0);
  expect(await store.blobs.size(hash)).toBeUndefined();
  expect(await store.blobs.isStaged(room, hash)).toBe(false);
}

describe('an upload', () => {
  it('[BL7] goes round: put, announced, read again by whoever has a link', async () => {
    const at = await blobAddress();
    const stored = await fetch(await putUrl(at), { method: 'PUT', body: bytes });
    expect([stored.status, await stored.json()]).toEqual([201, { hash, size: bytes.length }]);
    expect(await at.store.blobs.isStaged(room, hash)).toBe(true);

    expect((await fetch(await getUrl(at))).status, 'readable before it was announced').toBe(404);
    await at.store.blobs.link(room, hash);
    const read = await fetch(await getUrl(at));
    expect(read.status).toBe(200);
    expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
    expect(await at.incoming()).toEqual([]);
    expect(at.lines).toEqual([]);
  });

  it('[BL7] may be repeated, and of nothing at all', async () => {
    const at = await blobAddress();
    const url = await putUrl(at);
    for (let i = 0; i < 3; i++) expect((await ask('PUT', url, {}, bytes)).status).toBe(201);
    const empty = hashOf(new Uint8Array(0));
    const { url: emptyUrl } = await at.links.forPut(room, empty, 0);
    expect((await ask('PUT', emptyUrl, { 'Content-Length': 0 })).status).toBe(201);
    expect(await at.store.blobs.size(empty)).toBe(0);
  });

  it('[BL7] of more or fewer bytes than granted is refused before any is read [fault 34]', async () => {
    const at = await blobAddress();
    const put = vi.spyOn(at.store.blobs, 'put');
    const url = await putUrl(at, 1000);
    expect(codeOf(await ask('PUT', url, {}, bytes.subarray(0, 1001)))).toBe('413 too-large');
    expect(codeOf(await ask('PUT', url, {}, bytes.subarray(0, 999)))).toBe('409 wrong-length');
    expect(codeOf(await ask('PUT', url, { 'Transfer-Encoding': 'chunked' }, bytes.subarray(0, 1000)))).toBe(
      '411 length-required',
    );
    expect(put).not.toHaveBeenCalled();
    await expectNothing(at);
  });

  it('[BL7] that is refused hears why, however much it is sending', async () => {
    const at = await blobAddress();
    const body = Buffer.alloc(16 * 1024 * 1024);
    const { pathname, search } = new URL(await putUrl(at, 1000));
    // Simple client: it writes all of the body first, then looks at the answer.
    const socket = connect(at.port, '127.0.0.1').pause();
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.write(body, () => resolve());
    });
    let heard = '';
    for await (const data of socket) heard += String(data);
    expect(heard).toMatch(/^HTTP\/1.1 413 [^]*"code":"too-large"/);
  });

  it('[BL7] of other bytes is refused, and nothing of it stays [fault 34]', async () => {
    const at = await blobAddress();
    const wrong = Buffer.from(bytes);
    wrong.writeUInt8(wrong.readUInt8(150_000) ^ 1, 150_000);
    expect(codeOf(await ask('PUT', await putUrl(at), {}, wrong))).toBe('422 hash-mismatch');
    await expectNothing(at);
    expect((await ask('PUT', await putUrl(at), {}, bytes)).status).toBe(201);
  });

  it('[BL7] that waits to be asked for is asked for only with a good link', async () => {
    const at = await blobAddress();
    const expecting = (url: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(at.port, '127.0.0.1');
        let heard = '';
        socket.on('error', reject).on('close', () => resolve(heard));
        socket.on('data', (data) => {
          heard += data.toString('latin1');
          if (heard.startsWith('HTTP/1.1 100 Continue\r\n\r\n') && !heard.includes('HTTP/1.1 201')) socket.write(bytes);
        });
        const { pathname, search } = new URL(url);
        const head = ['Host: x', `Content-Length: ${bytes.length}`, 'Expect: 100-continue', 'Connection: close'];
        socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
      });
    expect(await expecting(await putUrl(at))).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201/);
    expect(await expecting((await putUrl(at)).replace('expires=1', 'expires=2'))).toMatch(/^HTTP\/1.1 403/);
  });

  it('[BL7] that breaks off leaves nothing behind', async () => {
    const at = await blobAddress();
    const { pathname, search } = new URL(await putUrl(at));
    for (const sent of [0, 1, 150_000, bytes.length - 1]) {
      const socket = connect(at.port, '127.0.0.1');
      socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes.subarray(0, sent));
      await eventually(async () => (await at.incoming()).length === 1);
      socket.resetAndDestroy();
      await expectNothing(at);
    }
    expect(at.lines).toEqual([]);
  });

  it('[BL7] for which the store has no room says so, and a broken store says nothing more', async () => {
    const at = await blobAddress();
    async function failing(fault: 'full' | 'failed', source: AsyncIterable<Uint8Array>): Promise<never> {
      for await (const _ of source) break;
      throw new StoreError(fault, 'the secret place is on fire');
    }
    const put = vi.spyOn(at.store.blobs, 'put');
    put.mockImplementationOnce((_, source) => failing('full', source));
    expect(codeOf(await ask('PUT', await putUrl(at), {}, bytes))).toBe('507 store-full');
    put.mockImplementationOnce((_, source) => failing('failed', source));
    const failed = await ask('PUT', await putUrl(at), {}, bytes);
    expect(codeOf(failed)).toBe('500 failed');
    expect(failed.body.toString()).not.toContain('fire');
    expect(at.lines).toEqual(['the secret place is on fire']);
    vi.spyOn(at.store.blobs, 'stage').mockResolvedValueOnce(false);
    expect(codeOf(await ask('PUT', await putUrl(at), {}, bytes)), 'deleted meanwhile').toBe('500 failed');
  });
});

describe('a download', () => {
  it('[BL8] comes as bytes that no browser shows, guesses at or asks for twice', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    const { status, headers, body } = await ask('GET', await getUrl(at), { Origin: 'https://elsewhere.example' });
    expect(status).toBe(200);
    expect(body.equals(bytes)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      etag: `"${hash}"`,
      'access-control-allow-origin': '*',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('[BL8] has a head without a body, the same link for both', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    const head = await ask('HEAD', await getUrl(at), { Range: 'bytes=0-1' });
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, String(bytes.length)]);
    expect(head.headers.etag).toBe(`"${hash}"`);
    expect((await ask('HEAD', await putUrl(at))).headers['content-length']).toBeUndefined(); // of the blob, nothing
  });

  it('[BL8] is cut to the range that was asked for', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    const url = await getUrl(at);
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=65535-200000', 65_535, 200_001],
      ['bytes=299999-', 299_999, 300_000],
      ['bytes=-10', 299_990, 300_000],
    ] as const) {
      const { status, headers, body } = await ask('GET', url, { Range: range });
      expect([status, headers['content-range']]).toEqual([206, `bytes ${from}-${to - 1}/300000`]);
      expect(body.equals(bytes.subarray(from, to))).toBe(true);
    }
    const beyond = await ask('GET', url, { Range: 'bytes=300000-' });
    expect([codeOf(beyond), beyond.headers['content-range']]).toEqual(['416 bad-range', 'bytes */300000']);
    expect((await ask('GET', url, { Range: 'bytes=0-1,4-5' })).status).toBe(200);
    expect((await ask('GET', url, { Range: 'bytes=0-1', 'If-Range': `"${hash}"` })).status).toBe(206);
    expect((await ask('GET', url, { Range: 'bytes=0-1', 'If-Range': '"other"' })).status).toBe(200);
  });

  it('[BL8] is not sent to who has it', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    const same = await ask('GET', await getUrl(at), { 'If-None-Match': `"x", W/"${hash}"` });
    expect([same.status, same.body.length]).toEqual([304, 0]);
    expect((await ask('GET', await getUrl(at), { 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it('[BL8] is for the room that has the blob now', async () => {
    const at = await blobAddress();
    await at.give(bytes, otherRoom);
    const url = await getUrl(at);
    expect(codeOf(await ask('GET', url))).toBe('404 not-found');
    await at.store.blobs.link(room, hash);
    expect((await ask('GET', url)).status).toBe(200);
    await at.store.blobs.unlink(room, hash);
    expect(codeOf(await ask('GET', url))).toBe('404 not-found');
    expect(codeOf(await ask('GET', await getUrl(at, hashOf(randomBytes(3)))))).toBe('404 not-found');
  });

  it('[BL8] ends with its link’s budget', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    const url = await getUrl(at);
    let status = 200;
    let served = 0;
    for (; status === 200 && served < 200; served++) ({ status } = await ask('GET', url));
    expect(status).toBe(429);
    expect(served).toBeGreaterThan(16);
    expect((await ask('GET', await getUrl(at))).status).toBe(200);
  });

  it.runIf(existsSync('/proc/self/fd'))('[BL8] holds nothing open when its reader goes away', async () => {
    const at = await blobAddress();
    const large = await at.give(Buffer.alloc(32 * 1024 * 1024, 'x'));
    const url = await getUrl(at, large);
    const { pathname, search } = new URL(url);
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    // More than the link may move, were what is not moved not given back.
    for (let i = 0; i < 20; i++) {
      const socket = connect(at.port, '127.0.0.1');
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.resetAndDestroy();
    }
    await eventually(() => openFiles() <= before);
    expect((await ask('GET', url)).status).toBe(200);
    expect(at.lines).toEqual([]);
  });

  it('[BL8] that the disk fails is cut, and the operator hears of it', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    async function* torn(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 1000);
      throw new StoreError('damaged', 'the blob is cut short');
    }
    vi.spyOn(at.store.blobs, 'get').mockResolvedValueOnce({ size: bytes.length, bytes: torn() });
    await expect(ask('GET', await getUrl(at))).rejects.toThrow();
    await eventually(() => at.lines.length === 1);
    expect(at.lines).toEqual(['the blob is cut short']);
  });
});

describe('the blob address', () => {
  it('[BL6] takes no link that was changed, is of another method, room or blob, or has expired', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    const [read, write] = [await getUrl(at), await putUrl(at)];
    const other = hashOf(randomBytes(5));
    for (const [method, url] of [
      ['GET', read.split('?')[0] ?? ''],
      ['GET', read.replace('/room/', '/other/')],
      ['GET', read.replace(hash, other)],
      ['GET', read.replace(/signature=./, 'signature=')],
      ['GET', `${read.slice(0, -1)}${read.endsWith('A') ? 'E' : 'A'}`],
      ['GET', write],
      ['PUT', read],
      ['PUT', write.replace('/room/', '/other/')],
      ['PUT', write.replace(hash, other)],
      ['PUT', write.replace(/size=\d+/, 'size=0')],
    ] as const) {
      expect(codeOf(await ask(method, url, {}, method === 'PUT' ? bytes : undefined)), `${method} ${url}`).toBe(
        '403 bad-link',
      );
    }
    at.clock.advance(901_000);
    expect(codeOf(await ask('PUT', write, {}, bytes))).toBe('403 link-expired');
    expect((await ask('GET', read)).status).toBe(200);
    at.clock.advance(3_600_000);
    expect(codeOf(await ask('GET', read))).toBe('403 link-expired');
  });

  it('[BL6] has nothing else, and lists nothing', async () => {
    const at = await blobAddress();
    await at.give(bytes);
    const { search } = new URL(await getUrl(at));
    for (const path of [
      '/',
      '/blobs',
      '/blobs/',
      '/blobs/room',
      '/blobs/room/',
      `/blobs/room/${hash}/`,
      `/blobs/room/${hash.toUpperCase()}`,
      `/blobs/../${hash}`,
      `/blobs/%2e%2e/${hash}`,
      `/blobs/room/..%2f${hash}`,
      `//blobs/room/${hash}`,
      '/metrics',
      '/ws/room',
    ]) {
      expect(codeOf(await ask('GET', `${at.url}${path}${search}`)), path).toBe('404 not-found');
    }
    for (const method of ['POST', 'DELETE', 'PROPFIND']) {
      const refused = await ask(method, await getUrl(at));
      expect([codeOf(refused), refused.headers.allow]).toEqual([
        '405 method-not-allowed',
        'GET, HEAD, PUT, PATCH, OPTIONS',
      ]);
    }
  });

  it('[BL6] lets pages of any origin use a link, with nothing of the browser’s own', async () => {
    const at = await blobAddress();
    const asking = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'PUT' };
    const { status, headers } = await ask('OPTIONS', `${at.url}/blobs/room/${hash}`, asking);
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, PUT, PATCH',
      'access-control-allow-headers': 'Content-Type, If-None-Match, If-Range, Range, Upload-Offset',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const refused = await ask('GET', `${at.url}/blobs/room/${hash}`);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, '*']);
    expect(codeOf(await ask('OPTIONS', `${at.url}/other`))).toBe('404 not-found');
  });
});
