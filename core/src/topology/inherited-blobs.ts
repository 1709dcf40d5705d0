/**
 * Blobs that a child room began with: those that its parent had then, and no later ones. [TP6]
 *
 * They are listed in a blob that the child's first record names, so a child costs the same however many they are, and children
 * of one moment share the list. The room has them from when it is first opened; it is linked to the list last, which tells
 * that all of them are there.
 */
import { type BlobHash, parseBlobHash } from '../codec/bytes/blob-hash.js';
import { concatBytes, fromHex, toHex } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { BlobRef } from '../crdt/registers.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { Room } from '../room/room.js';

export const INHERITED_BLOBS = '\0blobs';
const HASH_BYTES = 32;

/** Writes down what a room has; undefined when that is nothing. */
export async function listBlobs(room: RoomId, blobs: BlobStore): Promise<BlobRef | undefined> {
  const hashes: Uint8Array[] = [];
  for await (const hash of blobs.linked(room)) hashes.push(fromHex(hash));
  if (hashes.length === 0) return undefined;
  const list = concatBytes(hashes);
  const hash = toHex(sha256(list)) as BlobHash;
  await blobs.put(hash, once(list), list.length);
  return new BlobRef(hash);
}

/** Links the blobs that came along. To be done before anybody reads blobs of the room. */
export async function inheritBlobs(room: Room, blobs: BlobStore): Promise<void> {
  const list = room.get(INHERITED_BLOBS);
  const hash = list instanceof BlobRef ? parseBlobHash(list.hash) : undefined;
  if (!hash || (await blobs.isLinked(room.id, hash))) return;
  for (const inherited of await hashesIn(hash, blobs)) await blobs.link(room.id, inherited);
  await blobs.link(room.id, hash);
}

/** The list of blobs that came along; none where it is not there: the room was brought here by other means, and has what came with it. */
async function hashesIn(list: BlobHash, blobs: BlobStore): Promise<BlobHash[]> {
  const content = await blobs.get(list);
  const chunks: Uint8Array[] = [];
  for await (const chunk of content?.bytes ?? []) chunks.push(chunk.slice());
  const bytes = concatBytes(chunks);
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, n) => {
    return toHex(bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES)) as BlobHash;
  });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
