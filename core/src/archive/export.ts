/**
 * Export of a room as one archive, written from beginning to end: nothing is held in memory but what a chunk holds.
 * [AR2]
 */
import type { Speaker } from '../access/word.js';
import { toHex } from '../codec/bytes/bytes.js';
import { crc32 } from '../codec/bytes/hash.js';
import { sha256Stream } from '../codec/bytes/hash-stream.js';
import {
  BLOB_INDEX,
  MANIFEST,
  MOST_MANIFEST,
  SEGMENT_BYTES,
  SNAPSHOT,
  type SummedEntry,
  faultIn,
  packName,
  segmentName,
} from './entries.js';
import { MOST_BYTES, descriptorOf, directoryOf, headOf, spanOf } from './layout.js';
import { signManifest } from './manifest.js';
import { refused } from './refusal.js';
import type { RoomSource } from './room-source.js';
import { Segments } from './segments.js';

/** Left for what is not blobs. */
const BESIDE = 64 * 1024 * 1024;

export async function* archiveOf(source: RoomSource, speaker: Speaker): AsyncGenerator<Uint8Array> {
  const { about, index } = source;
  if (index.total > MOST_BYTES - BESIDE) throw tooLarge(about.source_room);
  const entries: SummedEntry[] = [];
  let written = 0;
  const add = async function* (name: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield headOf({ name });
    const entry = yield* summed(name, content);
    written += spanOf(entry);
    if (written > MOST_BYTES - BESIDE) throw tooLarge(about.source_room);
    yield descriptorOf(entry);
    entries.push(entry);
  };
  let packs = 0;
  for await (const pack of source.packs()) yield* add(packName(packs++), once(pack));
  const nodes = entries.reduce((sum, { size }) => sum + size, 0);
  yield* add(SNAPSHOT, once(await source.snapshot()));
  yield* add(BLOB_INDEX, once(index.bytes));
  const segments = new Segments(bytesOf(source), SEGMENT_BYTES);
  try {
    for (let number = 0; await segments.hasMore(); number++) yield* add(segmentName(number), segments.next());
  } finally {
    await segments.close();
  }
  const sizes = { nodes, blobs: index.total };
  const manifest = await signManifest({ ...about, sizes, entries }, speaker);
  if (manifest.length > MOST_MANIFEST || faultIn(entries, about.counts, sizes) !== undefined)
    throw tooLarge(about.source_room);
  const last = { name: MANIFEST, size: manifest.length, crc32: crc32(manifest) };
  yield headOf(last);
  yield manifest;
  yield descriptorOf(last);
  yield directoryOf([...entries, last]);
  // Whoever keeps it does so when this ends.
  await source.expectKept();
}

function tooLarge(room: string): Error {
  const remedy = 'take blobs out of the room, or copy the data folder instead';
  return refused('unsupported_format', `room ${room} does not fit an archive, which holds 4 GiB: ${remedy}`);
}

async function* summed(name: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, SummedEntry> {
  const hash = sha256Stream();
  let [size, sum] = [0, 0];
  for await (const chunk of content) {
    hash.update(chunk);
    size += chunk.length;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  return { name, size, crc32: sum, sha256: toHex(hash.digest()) };
}

/** All blobs one after the other, each as long as the list says. */
async function* bytesOf(source: RoomSource): AsyncGenerator<Uint8Array> {
  for await (const { hash, size, bytes } of source.blobs()) {
    let read = 0;
    for await (const chunk of bytes) {
      read += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
    if (read !== size) throw refused('checkpoint_not_found', `blob ${hash} has changed`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
