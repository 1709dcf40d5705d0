/** One peer that uploads very many blobs, and another that writes meanwhile. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { BlobStore, Store } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { altered } from '@weft/core/testing';
import { expect } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { Peer } from './peer.js';
import { serveHere, type transports } from './serving.js';
import { push, replicaOf } from './writer.js';

/** Most blobs that one frame may name. */
const AT_ONCE = 1024;

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
export const uploadOf = (blobs: readonly Uint8Array[]): object => {
  return { type: 'blob-upload', blobs: blobs.map((bytes) => ({ hash: hashOf(bytes), data_b64: base64(bytes) })) };
};

/** Store that counts the most blobs ever stored at the same time. */
function watched(store: Store): { readonly store: Store; readonly most: { readonly atOnce: number } } {
  const most = { atOnce: 0 };
  let under = 0;
  const put: BlobStore['put'] = (...blob) => {
    most.atOnce = Math.max(most.atOnce, ++under);
    return store.blobs.put(...blob).finally(() => under--);
  };
  const changes = {
    get blobs() {
      return altered(store.blobs, { put }); // there once the store is open
    },
  };
  return { store: altered(store, changes), most };
}

/** Flood of `count` blobs: a multiple of what one frame may name, or less than that. */
export async function floodOfBlobs(transport: (typeof transports)[number], count: number): Promise<void> {
  const { store, most } = watched(levelStore(join(await tempFolder(), 'data')));
  const { url } = await serveHere(transport, { store });
  const [flooder, writer] = [await Peer.enter(url), await Peer.dial(url)];
  const replica = await replicaOf((await writer.join()).welcome);
  const blobOf = (number: number): Uint8Array => Buffer.from(`blob ${number}`);
  const atOnce = Math.min(AT_ONCE, count);
  let pushed = 0;
  for (let from = 0; from < count; from += atOnce) {
    flooder.send(uploadOf(Array.from({ length: atOnce }, (_, i) => blobOf(from + i))));
    for (let answered = false; !answered;) {
      replica.set('k', pushed++);
      expect(await push(writer, replica)).toMatchObject({ accepted_count: 1 });
      answered = flooder.frames.some(({ type }) => type === 'blob-available');
    }
    expect((await flooder.nextOf('blob-available'))['hashes']).toHaveLength(atOnce);
  }
  expect(most.atOnce).toBe(1);
  // Each frame of blobs takes far longer than a push: none of these waited for it.
  expect(pushed).toBeGreaterThan((2 * count) / atOnce);
  flooder.send({ type: 'blob-request', hashes: [hashOf(blobOf(0)), hashOf(blobOf(count - 1)), hashOf(blobOf(count))] });
  const { blobs, missing } = await flooder.nextOf('blob-pack');
  expect([blobs, missing]).toMatchObject([[{}, {}], [hashOf(blobOf(count))]]);

  flooder.send({ type: 'blob-upload', blobs: Array.from({ length: AT_ONCE + 1 }, () => ({ hash: 'x' })) });
  expect((await flooder.nextOf('error'))['code']).toBe('invalid-payload');
}
