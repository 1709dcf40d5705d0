/**
 * Image of the record: what collections and feed held at one position of both logs, as bytes. A start reads it, and folds only
 * what the logs have behind it.
 *
 * It is a cache. One that is damaged, of other code, of another host or of other logs is as good as none. It is written from
 * states that nothing changes in place, in turns, so what it says is of one moment however long that takes.
 *
 * Bytes: frames, each a length and JSON: the head, the feed, then each collection with its states behind it, some hundred a
 * frame, which are parsed when somebody asks for one of them. The last eight bytes are the length of all before them and its CRC.
 */
import { crc32 } from 'node:zlib';
import type { Chunk, Kept } from './kept.js';

const FORMAT = 1;
/** Length of a frame before it, in bytes; and the seal at the end. */
const LENGTH = 4;
const SEAL = 8;

/** A place in a log: how many nodes there were, and the last of them. */
export interface LogPosition {
  readonly seq: number;
  readonly nodeId: string | undefined;
}

export interface KeptFeed {
  readonly seqs: readonly number[];
  readonly bySession: readonly (readonly [id: string, numbers: number[]])[];
  readonly byWorkUnit: readonly (readonly [id: string, numbers: number[]])[];
}

/** What both logs had come to. */
export interface Moment {
  readonly workgroup: LogPosition;
  readonly local: LogPosition;
  /** Streams whose events came out of order. */
  readonly uneven: readonly { readonly aggregate: string; readonly id: string }[];
  readonly feed: KeptFeed;
}

export interface Snapshot extends Moment {
  readonly collections: ReadonlyMap<string, Kept>;
}

/** Whose image it is: one of other code or of another host is not read. */
export interface Owner {
  readonly code: string;
  readonly hostId: string;
}

/** Keeps the bytes of the newest image. */
export interface ImageStore {
  /** Names the code that folds: images of other code are not read. */
  readonly code: string;
  /** Events that an image is worth at least. */
  readonly fewest: number;
  read(): Promise<Uint8Array | undefined>;
  /** Replaces the image, whole or not at all. */
  write(pieces: AsyncIterable<Uint8Array>): Promise<void>;
}

interface Head extends Owner, Omit<Moment, 'feed'> {
  readonly format: typeof FORMAT;
}

interface CollectionFrame extends Omit<Kept, 'chunks'> {
  readonly name: string;
  readonly chunks: number;
}

/** Pieces of an image; states are taken a chunk for each turn of the event loop. */
export async function* encodeImage(
  { feed, collections, ...moment }: Snapshot,
  owner: Owner,
): AsyncGenerator<Uint8Array> {
  let [length, crc] = [0, 0];
  for (const content of frames()) {
    const text = JSON.stringify(content);
    const frame = Buffer.allocUnsafe(LENGTH + Buffer.byteLength(text));
    frame.writeUInt32LE(frame.length - LENGTH);
    frame.write(text, LENGTH);
    length += frame.length;
    crc = crc32(frame, crc);
    yield frame;
    if (Array.isArray(content)) await new Promise((resolve) => setImmediate(resolve));
  }
  const seal = Buffer.alloc(SEAL);
  seal.writeUInt32LE(length % 2 ** 32);
  seal.writeUInt32LE(crc, LENGTH);
  yield seal;

  function* frames(): Generator<unknown> {
    yield { format: FORMAT, ...owner, ...moment } satisfies Head;
    yield feed;
    for (const [name, { chunks, ...kept }] of collections) {
      yield { name, ...kept, chunks: chunks.length } satisfies CollectionFrame;
      for (const { states } of chunks) yield states;
    }
  }
}

/** Reads an image; undefined for one that is damaged, or somebody else's. */
export function decodeImage(bytes: Uint8Array, owner: Owner): Snapshot | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isSealed(buffer)) return undefined;
  const frames = framesOf(buffer);
  // The seal vouches for the shapes: what this code wrote for this host, it reads.
  const { format, code, hostId, ...moment } = parsed(frames.next().value) as Head;
  if (format !== FORMAT || code !== owner.code || hostId !== owner.hostId) return undefined;
  const feed = parsed(frames.next().value) as KeptFeed;
  const collections = new Map<string, Kept>();
  for (const frame of frames) {
    const { name, chunks, ...kept } = parsed(frame) as CollectionFrame;
    const states = Array.from({ length: chunks }, () => parsedWhenAsked(frames.next().value));
    collections.set(name, { ...kept, chunks: states });
  }
  return { ...moment, feed, collections };
}

function* framesOf(sealed: Buffer): Generator<Buffer, undefined> {
  for (let at = 0; at < sealed.length - SEAL;) {
    const end = at + LENGTH + sealed.readUInt32LE(at);
    yield sealed.subarray(at + LENGTH, end);
    at = end;
  }
}

function parsed(frame: Buffer | undefined): unknown {
  return JSON.parse(frame?.toString() ?? '');
}

function isSealed(buffer: Buffer): boolean {
  const end = buffer.length - SEAL;
  if (end < LENGTH || buffer.readUInt32LE(end) !== end % 2 ** 32) return false;
  return buffer.readUInt32LE(end + LENGTH) === crc32(buffer.subarray(0, end));
}

function parsedWhenAsked(frame: Buffer | undefined): Chunk {
  let states: readonly unknown[] | undefined;
  return {
    get states() {
      states ??= parsed(frame) as unknown[];
      frame = undefined;
      return states;
    },
  };
}
