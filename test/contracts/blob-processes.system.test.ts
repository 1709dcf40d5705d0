import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BlobHash, type BlobStore, parseBlobHash, parseRoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { tempFolder } from '../support/temp-folder.js';

const script = fileURLToPath(new URL('put-until-killed.mjs', import.meta.url));
const SIDES = 4;
const ROUNDS = 6;

/** What the process said before it died: sizes of what it had put, and what it had linked. */
interface Acked {
  readonly sizes: Map<BlobHash, number>;
  readonly linked: Set<BlobHash>;
}

const room = parseRoomId('room') ?? raise('not a room id');
function raise(message: string): never {
  throw new Error(message);
}
const hashIn = (text = ''): BlobHash => parseBlobHash(text) ?? raise(`${text} is not a hash`);

async function runAndKill(folder: string, acked: Acked): Promise<void> {
  const child = spawn(process.execPath, [script, folder, String(SIDES)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, hash, size] = line.split(' ');
    if (what === 'open') setTimeout(() => child.kill('SIGKILL'), 20 + Math.random() * 400);
    if (what === 'put') acked.sizes.set(hashIn(hash), Number(size));
    if (what === 'linked') acked.linked.add(hashIn(hash));
  }
  await gone;
}

async function expectWhole(blobs: BlobStore): Promise<Map<BlobHash, number>> {
  const found = new Map<BlobHash, number>();
  for await (const hash of blobs.all()) {
    const { size, bytes } = (await blobs.get(hash)) ?? raise(`${hash} is listed and not there`);
    const digest = createHash('sha256');
    for await (const chunk of bytes) digest.update(chunk);
    expect(digest.digest('hex')).toBe(hash);
    found.set(hash, size);
  }
  return found;
}

describe('blobs in a folder', () => {
  it('[BL5] are whole when they were answered and invisible when not, after SIGKILL in the middle of puts [fault 38]', async () => {
    const folder = await tempFolder();
    const acked: Acked = { sizes: new Map(), linked: new Set() };
    let cutShort = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await runAndKill(folder, acked);
      cutShort += (await readdir(join(folder, 'blobs', 'incoming'))).length;
      const store = levelStore(folder);
      await store.open();
      try {
        const found = await expectWhole(store.blobs);
        for (const [hash, size] of acked.sizes) expect(found.get(hash)).toBe(size);
        for (const hash of acked.linked) expect(await store.blobs.isLinked(room, hash)).toBe(true);
        for await (const hash of store.blobs.linked(room)) expect(found.has(hash)).toBe(true);
        expect(await readdir(join(folder, 'blobs'))).not.toContain('incoming');
      } finally {
        await store.close();
      }
    }
    expect(acked.sizes.size).toBeGreaterThan(ROUNDS);
    expect(cutShort, 'no kill came in the middle of a put').toBeGreaterThan(0);
  });
});
