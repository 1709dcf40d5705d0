/** Blobs: inline in frames, or moved by links past the room's socket. Rules BL1 to BL12. */
import { z } from 'zod';
import type { Globs } from '../access/glob.js';
import { type BlobHash, parseBlobHash } from '../codec/blob-hash.js';
import { BlobError, type BlobStore } from '../ports/blob-store.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { Bytes, BytesFromPeer, Count, Hex, UnixTime } from '../wire/scalars.js';
import { type Effect, command } from './define.js';

/** Blobs that one frame names. */
const AT_ONCE = 1024;
/** The largest that is moved by a link. */
const MOST_BYTES = 5 * 1024 ** 3;
/** Of a frame, for what stands beside the bytes. */
const FRAME_SHARE = 0.7;

const Hash = z.string().describe('SHA-256 of the bytes, 64 hex characters.');
const Available = z.object({ hashes: z.array(Hex).describe('Blobs that the room has now.') });
const hashOf = (text: string): BlobHash | undefined => parseBlobHash(text.toLowerCase());

export const blobUpload = command({
  type: 'blob-upload',
  summary: 'Store blobs that fit a frame. What is not what its hash says is refused by itself; the rest are stored.',
  in: z.object({
    blobs: z
      .array(z.object({ hash: Hash, data_b64: BytesFromPeer.optional(), data: BytesFromPeer.optional() }))
      .max(AT_ONCE)
      .describe('Each with its bytes as `data_b64`, or `data`.'),
  }),
  out: { 'blob-available': Available },
  refuses: ['invalid-payload', 'blob-refused'],
}).run(async ({ tenancy, blobs, limits, refuse, broadcast }, input) => {
  const effects: Effect[] = [];
  const stored: string[] = [];
  for (const { hash: text, data_b64, data = data_b64 } of input.blobs) {
    try {
      const hash = hashOf(text);
      if (!hash || !data)
        throw new Rejection('blob-refused', `blob ${text.slice(0, 64)}: ${hash ? 'no data' : 'bad hash'}`);
      await blobs.put(hash, once(data), limits.frameBytes);
      await blobs.link(tenancy.room.id, hash);
      stored.push(hash);
    } catch (error) {
      effects.push(refuse(refusalOf(text, error)));
    }
  }
  if (stored.length > 0) effects.push(broadcast('blob-available', { hashes: stored }, 'all'));
  return effects;
});

/** What is wrong with the bytes is told; a store that fails is not the peer's fault. */
function refusalOf(hash: string, error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  if (error instanceof BlobError) return new Rejection('blob-refused', `blob ${hash}: ${error.fault}`);
  throw error;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const blobRequest = command({
  type: 'blob-request',
  summary: 'Ask for blobs of this room: by links where that was negotiated, in the answer otherwise.',
  in: z.object({ hashes: z.array(Hash).max(AT_ONCE) }),
  out: {
    'blob-redirect': z.object({
      redirects: z.array(z.object({ hash: Hex, url: z.string(), expires_at_unix: UnixTime })),
    }),
    'blob-pack': z.object({
      blobs: z.array(z.object({ hash: Hex, data: Bytes })),
      requested: z.array(z.string()).describe('What was asked for and not redirected.'),
      missing: z.array(z.string()).describe('Of these, what the room does not have.'),
      too_large: z.array(Hex).describe('Of these, what did not fit this frame: ask again for fewer, or by link.'),
    }),
  },
  refuses: ['invalid-payload'],
}).run(async (context, { hashes }) => {
  const { tenancy, rights, blobs, blobUrls, caps, limits, reply } = context;
  const wanted = [...new Set(hashes)];
  const held = await heldOf(wanted, tenancy.room, blobs, rights.read);
  const missing = wanted.filter((text) => !held.includes(text.toLowerCase() as BlobHash));
  if (blobUrls && caps.has('supports_direct_blob_io')) {
    const redirects = await Promise.all(held.map((hash) => redirectTo(hash, tenancy.room, blobUrls)));
    const redirected = redirects.length > 0 ? [reply('blob-redirect', { redirects })] : [];
    if (missing.length === 0) return redirected;
    return [...redirected, reply('blob-pack', { blobs: [], requested: missing, missing, too_large: [] })];
  }
  const inline = await inlineOf(held, blobs, limits.frameBytes * FRAME_SHARE);
  return [reply('blob-pack', { ...inline, requested: wanted, missing })];
});

async function redirectTo(hash: BlobHash, { id }: Room, urls: BlobUrls) {
  const { url, expiresAtUnix } = await urls.forGet(id, hash);
  return { hash, url, expires_at_unix: expiresAtUnix };
}

/** Those that the room has, and that a peer may read who may read these keys alone. [SB3] */
async function heldOf(
  texts: readonly string[],
  room: Room,
  blobs: BlobStore,
  readable: Globs | undefined,
): Promise<BlobHash[]> {
  const visible = readable && room.blobsUnder(readable);
  const held: BlobHash[] = [];
  for (const text of texts) {
    const hash = hashOf(text);
    if (hash && (visible?.has(hash) ?? true) && (await blobs.isLinked(room.id, hash))) held.push(hash);
  }
  return held;
}

async function inlineOf(hashes: readonly BlobHash[], store: BlobStore, most: number) {
  const blobs: { hash: string; data: Uint8Array }[] = [];
  const tooLarge: string[] = [];
  let left = most;
  for (const hash of hashes) {
    const size = (await store.size(hash)) ?? Number.POSITIVE_INFINITY;
    // In base64.
    const content = (size * 4) / 3 <= left ? await store.get(hash) : undefined;
    if (!content) {
      tooLarge.push(hash);
      continue;
    }
    const data = new Uint8Array(size);
    let at = 0;
    for await (const chunk of content.bytes) {
      data.set(chunk, at);
      at += chunk.length;
    }
    left -= (size * 4) / 3;
    blobs.push({ hash, data });
  }
  return { blobs, too_large: tooLarge };
}

export const requestUpload = command({
  type: 'request-upload',
  summary: 'Ask for a link to upload a blob by.',
  needs: 'supports_direct_blob_io',
  in: z.object({
    hash: Hash,
    size: Count.default(0).describe('Of the blob, in bytes: exactly so many are taken.'),
    content_type: z.string().max(255).optional(),
  }),
  out: {
    'upload-granted': z.object({ hash: Hex, url: z.string(), expires_at_unix: UnixTime }),
    'upload-denied': z.object({ hash: Hex, reason: z.enum(['use-ws', 'too-large']) }),
  },
  refuses: ['not-negotiated', 'invalid-payload'],
}).run(async ({ tenancy, blobUrls, reply }, { hash: text, size, content_type: contentType }) => {
  const hash = named('request-upload', text);
  if (!blobUrls) return [reply('upload-denied', { hash, reason: 'use-ws' })];
  if (size > MOST_BYTES) return [reply('upload-denied', { hash, reason: 'too-large' })];
  const { url, expiresAtUnix } = await blobUrls.forPut(tenancy.room.id, hash, size, contentType);
  return [reply('upload-granted', { hash, url, expires_at_unix: expiresAtUnix })];
});

export const blobUploaded = command({
  type: 'blob-uploaded',
  summary: 'Say that a blob was uploaded by its link: it becomes readable in the room.',
  needs: 'supports_direct_blob_io',
  in: z.object({ hash: Hash }),
  out: {
    'blob-available': Available,
    'upload-rejected': z.object({ hash: Hex, reason: z.enum(['not-found']) }),
  },
  refuses: ['not-negotiated', 'invalid-payload'],
}).run(async ({ tenancy, blobs, blobUrls, reply, broadcast }, { hash: text }) => {
  const hash = named('blob-uploaded', text);
  const { id } = tenancy.room;
  if (!(await blobs.isStaged(id, hash))) await blobUrls?.claim?.(id, hash);
  // The store has hashed the bytes on their way in: what is staged is what its name says.
  const isThere = (await blobs.isStaged(id, hash)) && (await blobs.link(id, hash));
  return [
    isThere
      ? broadcast('blob-available', { hashes: [hash] }, 'all')
      : reply('upload-rejected', { hash, reason: 'not-found' }),
  ];
});

function named(type: string, text: string): BlobHash {
  const hash = hashOf(text);
  if (!hash) throw new Rejection('invalid-payload', `${type}: bad hash`);
  return hash;
}
