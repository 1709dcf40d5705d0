/**
 * An archive as it lies in a store, read by its directory. [AR2] [AR3]
 *
 * Its frame is made again from what the manifest says and compared, so that not a bit of it can be other than it was written;
 * each entry's hash is in the signed manifest, and what is taken into memory is hashed before anybody looks at it.
 */
import { concatBytes, equalBytes, toHex } from '../codec/bytes/bytes.js';
import { crc32 } from '../codec/bytes/hash.js';
import { sha256Stream } from '../codec/bytes/hash-stream.js';
import type { ArchiveFile } from '../ports/archive-store.js';
import { BlobIndex } from './blob-index.js';
import { BLOB_INDEX, MANIFEST, MOST_MANIFEST, SEGMENT_BYTES, SNAPSHOT, type SummedEntry } from './entries.js';
import {
  DESCRIPTOR_BYTES,
  END_BYTES,
  MOST_BYTES,
  descriptorOf,
  directoryOf,
  headOf,
  lastSizeOf,
  offsetsOf,
  readEnd,
} from './layout.js';
import { type Trust, type Unsigned, readManifest } from './manifest.js';
import { refused } from './refusal.js';
import { piecesOf } from './segments.js';
import type { ArchivedBlob, ArchiveSource } from './source.js';

const MOST_DIRECTORY = 4 * 1024 * 1024;

interface PlacedEntry extends SummedEntry {
  /** Offset at which its content begins. */
  readonly at: number;
}

export class FileSource implements ArchiveSource {
  readonly about: Unsigned;
  readonly #file: ArchiveFile;
  readonly #entries: readonly PlacedEntry[];

  private constructor(file: ArchiveFile, manifest: Unsigned, offsets: readonly number[]) {
    this.about = manifest;
    this.#file = file;
    this.#entries = manifest.entries.map((entry, number) => ({ ...entry, at: offsets[number]! }));
  }

  /** Throws a `Rejection` for anything but an archive that somebody who is trusted has made; what it holds is not read. */
  static async open(file: ArchiveFile, trust: Trust): Promise<FileSource> {
    const { directory, bytes } = await readManifestBytes(file);
    const manifest = await readManifest(bytes, trust);
    const entries = [...manifest.entries, { name: MANIFEST, size: bytes.length, crc32: crc32(bytes) }];
    if (!equalBytes(directory, directoryOf(entries))) throw broken('its directory is not that of its manifest');
    const source = new FileSource(file, manifest, offsetsOf(entries));
    await source.#checkFrame(MANIFEST, file.size - directory.length - DESCRIPTOR_BYTES - bytes.length, entries.at(-1)!);
    return source;
  }

  async *packs(): AsyncGenerator<Uint8Array> {
    for (const entry of this.#entries) {
      if (entry.name === SNAPSHOT) return;
      yield await this.#whole(entry);
    }
  }

  snapshot(): Promise<Uint8Array> {
    return this.#whole(this.#entryNamed(SNAPSHOT));
  }

  /** Their bytes are given as they lie there: whoever takes them hashes them. */
  async *blobs(): AsyncGenerator<ArchivedBlob> {
    const index = BlobIndex.read(await this.#whole(this.#entryNamed(BLOB_INDEX)));
    if (
      !index.isSorted ||
      index.total !== this.about.sizes.blobs ||
      index.digest !== this.about.payload_digest_set.blobs
    )
      throw refused('digest_mismatch', 'the list of blobs is not what the manifest says');
    for (const { hash, size, at } of index.rows()) yield { hash, size, bytes: this.#bytesOf(at, at + size) };
  }

  /** Reads all of the archive, and throws where it is not what the manifest says. */
  async checkEntries(): Promise<void> {
    for (const entry of this.#entries) {
      await this.#checkFrame(entry.name, entry.at, entry);
      const hash = sha256Stream();
      for await (const chunk of this.#file.read(entry.at, entry.at + entry.size)) hash.update(chunk);
      expectDigest(entry, toHex(hash.digest()));
    }
  }

  /** Bytes of all blobs one after the other, from `from` up to `to`. */
  async *#bytesOf(from: number, to: number): AsyncGenerator<Uint8Array> {
    const segments = this.#entries.slice(this.#entries.findIndex(({ name }) => name === BLOB_INDEX) + 1);
    for (const piece of piecesOf(from, to, SEGMENT_BYTES)) {
      const { at } = segments[piece.segment]!;
      yield* this.#file.read(at + piece.from, at + piece.to);
    }
  }

  #entryNamed(wanted: string): PlacedEntry {
    return this.#entries.find(({ name }) => name === wanted)!; // the manifest was checked
  }

  async #whole(entry: PlacedEntry): Promise<Uint8Array> {
    const bytes = await readAll(this.#file, entry.at, entry.at + entry.size);
    const hash = sha256Stream();
    hash.update(bytes);
    expectDigest(entry, toHex(hash.digest()));
    return bytes;
  }

  /** What stands before and behind a content. */
  async #checkFrame(name: string, at: number, entry: { name: string; size: number; crc32: number }): Promise<void> {
    const head = headOf({ name });
    const before = await readAll(this.#file, at - head.length, at);
    const behind = await readAll(this.#file, at + entry.size, at + entry.size + DESCRIPTOR_BYTES);
    if (!equalBytes(before, head) || !equalBytes(behind, descriptorOf(entry)))
      throw broken(`the frame of ${name} is not what the manifest says`);
  }
}

/** The directory with the end behind it, and what the last entry holds. */
async function readManifestBytes(file: ArchiveFile): Promise<{ directory: Uint8Array; bytes: Uint8Array }> {
  const { size } = file;
  if (size > MOST_BYTES || size < END_BYTES) throw broken('it is no archive');
  const end = readEnd(await readAll(file, size - END_BYTES, size));
  if (!end || end.directory > size - END_BYTES || size - end.directory > MOST_DIRECTORY)
    throw broken('it is no archive');
  const directory = await readAll(file, end.directory, size);
  const length = lastSizeOf(directory.subarray(0, -END_BYTES), MANIFEST);
  const to = end.directory - DESCRIPTOR_BYTES;
  if (length === undefined || length > MOST_MANIFEST || length > to) throw broken('it has no manifest');
  return { directory, bytes: await readAll(file, to - length, to) };
}

async function readAll(file: ArchiveFile, from: number, to: number): Promise<Uint8Array> {
  if (from < 0) throw broken('it is cut short');
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read(from, to)) chunks.push(chunk.slice());
  return concatBytes(chunks);
}

function expectDigest({ name, sha256 }: SummedEntry, found: string): void {
  if (found !== sha256) throw refused('digest_mismatch', `${name} is not what the manifest says`);
}

function broken(why: string): Error {
  return refused('manifest_invalid', `the archive cannot be read: ${why}`);
}
