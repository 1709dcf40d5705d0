import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parseBlobHash } from '@weft/core';
import { blobAddress, raise, room } from '../testing/blob-address.js';

const MIB = 1024 * 1024;

describe('a transfer of 256 MiB', () => {
  it('[BL9] takes a small part of that in memory, both ways', { timeout: 120_000 }, async () => {
    const at = await blobAddress();
    const block = randomBytes(MIB);
    const digest = createHash('sha256');
    for (let i = 0; i < 256; i++) digest.update(block);
    const large = parseBlobHash(digest.digest('hex')) ?? raise('not a hash');
    let most = 0;
    const before = process.memoryUsage().rss;
    const look = (): void => void (most = Math.max(most, process.memoryUsage().rss - before));

    function* blocks(): Generator<Buffer> {
      for (let i = 0; i < 256; i++) {
        look();
        yield block;
      }
    }
    const { url } = await at.links.forPut(room, large, 256 * MIB);
    const upload = httpRequest(url, { method: 'PUT', headers: { 'Content-Length': 256 * MIB } });
    Readable.from(blocks()).pipe(upload);
    const [stored] = (await once(upload, 'response')) as [Readable & { statusCode?: number }];
    stored.resume();
    expect(stored.statusCode).toBe(201);

    await at.store.blobs.link(room, large);
    const again = createHash('sha256');
    const response = await fetch((await at.links.forGet(room, large)).url);
    for await (const chunk of response.body ?? []) {
      again.update(chunk);
      look();
    }
    expect(again.digest('hex')).toBe(large);
    expect(most).toBeLessThan(128 * MIB);
  });
});
