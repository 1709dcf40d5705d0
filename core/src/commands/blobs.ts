/** Blobs: inline in frames, or moved by links past the room's socket. Rules BL1 to BL16. */
import { z } from 'zod';
import type { Globs } from '../access/glob.js';
import { type BlobHash, parseBlobHash } from '../codec/bytes/blob-hash.js';
import { toBase64 } from '../codec/bytes/bytes.js';
import { command } from '../contract/command.js';
import type { CommandContext } from '../contract/context.js';
import type { Effect } from '../contract/effect.js';
import type { Frames } from '../contract/frames.js';
import { type HostContext, hostCommand, hostEvents } from '../contract/host-command.js';
import { BlobError, type BlobStore } from '../ports/blob-store.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import { ComeBack, Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import type { FrameFor } from '../tenancy/tenancy.js';
import { Bytes, BytesFromPeer, Count, Hex, UnixTime } from '../wire/scalars.js';

/** Blobs that one frame names. */
const AT_ONCE = 1024;
/** The largest that is moved by a link. */
const MOST_BYTES = 5 * 1024 ** 3;
/** Part of a frame that bytes may take, for what stands beside them. */
const FRAME_SHARE = 0.7;

const Hash = z.string().describe('SHA-256 of the bytes, 64 hex characters.');
const Available = z.object({ hashes: z.array(Hex).describe('Blobs that the room has now.') });
const Redirect = z.object({ hash: Hex, url: z.string(), expires_at_unix: UnixTime });
const Denied = z.object({
  hash: Hex,
  reason: z.enum(['use-ws', 'too-large', 'forbidden', 'full']),
  retry_ms: Count.optional().describe('After so many milliseconds it may be granted.'),
});
const NotUploaded = z.object({
  hash: Hex,
  reason: z.enum(['not-found', 'hash-mismatch', 'too-large', 'expired', 'full', 'forbidden']),
});
/** Media type with its parameters, as a header takes it: nothing in it ends a line. */
const MediaType = z
  .string()
  .regex(/^(?=.{3,255}$)[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; *[ -~]*)?$/, 'must be a media type such as text/plain')
  .describe('Type that the blob is served with, to whoever reads it by a link; without one it is mere bytes.');
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
  refuses: ['invalid-payload', 'write-forbidden', 'blob-refused', 'blobs-full', 'read-only'],
}).run(async (context, input) => {
  const { tenancy, blobs, limits, refuse } = context;
  if (!context.mayWrite()) throw new Rejection('write-forbidden', 'blob-upload: you may write nothing in this room');
  context.expectDisk();
  const effects: Effect[] = [];
  const stored: string[] = [];
  for (const { hash: text, data_b64, data = data_b64 } of input.blobs) {
    try {
      const hash = hashOf(text);
      if (!hash || !data)
        throw new Rejection('blob-refused', `blob ${text.slice(0, 64)}: ${hash ? 'no data' : 'bad hash'}`);
      const leave = await context.takeBlobSpace(hash, data.length);
      try {
        await blobs.put(hash, once(data), limits.frameBytes);
        await blobs.link(tenancy.room.id, hash, context.bringer);
      } finally {
        leave();
      }
      stored.push(hash);
    } catch (error) {
      effects.push(refuse(refusalOf(text, error)));
    }
  }
  if (input.blobs.length === 0) return [context.reply('blob-available', { hashes: [] })];
  return stored.length > 0 ? [...effects, ...available(context, stored)] : effects;
});

/** Effects of new blobs: the answer to whoever brought them, and a broadcast to those who may read what names them. [SB3] */
function available(
  {
    tenancy,
    reply,
    frame,
  }: Pick<CommandContext & Frames<{ 'blob-available': typeof Available }>, 'tenancy' | 'reply' | 'frame'>,
  hashes: string[],
): Effect[] {
  const frameFor: FrameFor = (readable) => {
    const visible = readable && tenancy.room.past.present.blobsUnder(readable);
    const heard = visible ? hashes.filter((hash) => visible.has(hash)) : hashes;
    return heard.length > 0 ? frame('blob-available', { hashes: heard }) : undefined;
  };
  return [reply('blob-available', { hashes }), { kind: 'broadcast-readable', frameFor }];
}

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
    'blob-redirect': z.object({ redirects: z.array(Redirect) }),
    'blob-pack': z.object({
      blobs: z.array(z.object({ hash: Hex, data: Bytes })),
      requested: z.array(z.string()).describe('What was asked for and not redirected.'),
      missing: z.array(z.string()).describe('Hashes asked for that the room does not have.'),
      too_large: z.array(Hex).describe('Hashes of blobs that did not fit this frame: ask again for fewer, or by link.'),
    }),
  },
  refuses: ['invalid-payload'],
}).run(async ({ tenancy, rights, blobs, blobUrls, caps, limits, reply }, { hashes }) => {
  const urls = caps.has('supports_direct_blob_io') ? blobUrls : undefined;
  const most = limits.frameBytes * FRAME_SHARE;
  const { redirects, pack } = await answerTo(hashes, { room: tenancy.room, blobs, urls, readable: rights.read, most });
  return [
    ...(redirects.length > 0 ? [reply('blob-redirect', { redirects })] : []),
    ...(pack ? [reply('blob-pack', pack)] : []),
  ];
});

/** Which keys name the blobs that somebody may read. */
type Readable = Pick<Globs, 'matches'>;

interface Shelf {
  readonly room: Room;
  readonly blobs: BlobStore;
  /** Absent: the bytes themselves are answered, so many at most. */
  readonly urls: BlobUrls | undefined;
  readonly most: number;
  /** Absent: all of the room's. */
  readonly readable: Readable | undefined;
}

/** Links where there are links, bytes otherwise, and in the latter's answer what is not there. */
async function answerTo(hashes: readonly string[], { room, blobs, urls, readable, most }: Shelf) {
  const wanted = [...new Set(hashes)];
  const held = await heldOf(wanted, room, blobs, readable);
  const missing = wanted.filter((text) => !held.includes(text.toLowerCase() as BlobHash));
  if (!urls) return { redirects: [], pack: { ...(await inlineOf(held, blobs, most)), requested: wanted, missing } };
  const redirects = await Promise.all(held.map((hash) => redirectTo(hash, room, urls)));
  return {
    redirects,
    pack:
      missing.length > 0 || wanted.length === 0 ? { blobs: [], requested: missing, missing, too_large: [] } : undefined,
  };
}

async function redirectTo(hash: BlobHash, { id }: Room, urls: BlobUrls) {
  const { url, expiresAtUnix } = await urls.forGet(id, hash);
  return { hash, url, expires_at_unix: expiresAtUnix };
}

/** Blobs that the room has, and that a peer may read who may read these keys alone. [SB3] */
async function heldOf(
  texts: readonly string[],
  room: Room,
  blobs: BlobStore,
  readable: Readable | undefined,
): Promise<BlobHash[]> {
  const visible = readable && room.past.present.blobsUnder(readable);
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
    size: Count.describe('Size of the blob in bytes: exactly so many are taken.'),
    content_type: MediaType.optional(),
  }),
  out: {
    'upload-granted': Redirect,
    'upload-denied': Denied,
  },
  refuses: ['not-negotiated', 'invalid-payload', 'read-only'],
}).run(async (context, { hash: text, size, content_type: contentType }) => {
  const { tenancy, blobUrls, mayWrite, expectDisk, bringer: by, reply } = context;
  const hash = named('request-upload', text);
  if (!mayWrite()) return [reply('upload-denied', { hash, reason: 'forbidden' })];
  expectDisk();
  if (!blobUrls) return [reply('upload-denied', { hash, reason: 'use-ws' })];
  if (size > MOST_BYTES) return [reply('upload-denied', { hash, reason: 'too-large' })];
  try {
    // What comes by the link takes its own: granted is not sent.
    (await context.takeBlobSpace(hash, size))();
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const when = error instanceof ComeBack ? { retry_ms: error.retryMs } : {};
    return [reply('upload-denied', { hash, reason: 'full', ...when })];
  }
  const { url, expiresAtUnix } = await blobUrls.forPut(tenancy.room.id, hash, size, { contentType, by });
  return [reply('upload-granted', { hash, url, expires_at_unix: expiresAtUnix })];
});

export const blobUploaded = command({
  type: 'blob-uploaded',
  summary: 'Say that a blob was uploaded by its link: it becomes readable in the room.',
  needs: 'supports_direct_blob_io',
  in: z.object({ hash: Hash }),
  out: {
    'blob-available': Available,
    'upload-rejected': NotUploaded,
  },
  refuses: ['not-negotiated', 'invalid-payload'],
}).run(async (context, { hash: text }) => {
  const { tenancy, blobs, blobUrls, reply } = context;
  const hash = named('blob-uploaded', text);
  if (!context.mayWrite()) return [reply('upload-rejected', { hash, reason: 'forbidden' })];
  const { id } = tenancy.room;
  const { bringer: by } = context;
  const fault = (await blobs.isStaged(id, hash)) ? undefined : await blobUrls?.claim(id, hash, by);
  // The store has hashed the bytes on their way in: what is staged is what its name says.
  const isThere = (await blobs.isStaged(id, hash)) && (await blobs.link(id, hash, by));
  return isThere ? available(context, [hash]) : [reply('upload-rejected', { hash, reason: fault ?? 'not-found' })];
});

function named(type: string, text: string): BlobHash {
  const hash = hashOf(text);
  if (!hash) throw new Rejection('invalid-payload', `${type}: bad hash`);
  return hash;
}

const Namespace = z.string().min(1).describe('Its blobs are those that a key `namespace/…` names.');
const Named = { namespace: z.string(), hash: z.string() };

export const blobSet = hostCommand({
  variant: 'BlobSet',
  event: 'BlobValueStored',
  summary: 'Store a blob and name it by the key `namespace/hash`; answers when both are durable.',
  in: z.object({ namespace: Namespace, hash: Hash, data_b64: z.string() }),
  out: z.object({ ...Named, stored: z.boolean() }),
}).run(async ({ tenancy, ask }, { namespace, hash: text, data_b64 }) => {
  await ask(blobUpload, { blobs: [{ hash: text, data_b64 }] });
  const hash = named('BlobSet', text);
  await tenancy.room.setBlob(`${namespace}/${hash}`, hash);
  return { namespace, hash, stored: true };
});

export const blobGet = hostCommand({
  variant: 'BlobGet',
  event: 'BlobValueRead',
  summary: 'Read a blob of a namespace.',
  in: z.object({ namespace: Namespace, hash: Hash }),
  out: z.object({ ...Named, found: z.boolean(), data_b64: z.string().optional() }),
}).run(async (context, { namespace, hash }) => {
  const { pack } = await answerTo([hash], { ...shelfOf(context, namespace), urls: undefined });
  const [blob] = inBase64(pack?.blobs);
  return { namespace, hash, found: blob !== undefined, ...(blob ? { data_b64: blob.data_b64 } : {}) };
});

const InBase64 = z.array(z.object({ hash: Hex, data_b64: z.string() }));

export const blobGetMany = hostCommand({
  variant: 'BlobGetMany',
  event: 'BlobValuesRead',
  summary: 'Read some blobs of a namespace.',
  in: z.object({ namespace: Namespace, hashes: z.array(Hash).max(AT_ONCE) }),
  out: z.object({ namespace: z.string(), entries: InBase64, missing: z.array(z.string()) }),
}).run(async (context, { namespace, hashes }) => {
  const { pack } = await answerTo(hashes, { ...shelfOf(context, namespace), urls: undefined });
  const { missing = [], too_large: lost = [] } = pack ?? {}; // of what is too large only what has gone is left
  return { namespace, entries: inBase64(pack?.blobs), missing: [...missing, ...lost] };
});

export const hostBlobRequest = hostEvents({
  variant: 'BlobRequest',
  summary: 'Ask for blobs of a namespace: by links where the host has them, in the answer otherwise.',
  in: z.object({ namespace: Namespace, hashes: z.array(Hash).max(AT_ONCE) }),
  out: {
    BlobRedirectPrepared: z.object({ namespace: z.string(), redirects: z.array(Redirect) }),
    BlobPackPrepared: z.object({
      namespace: z.string(),
      blobs: InBase64,
      requested: z.array(z.string()).describe('What was asked for and not redirected.'),
    }),
  },
}).run(async (context, { namespace, hashes }) => {
  const { redirects, pack } = await answerTo(hashes, shelfOf(context, namespace));
  const { event } = context;
  return [
    ...(redirects.length > 0 ? [event('BlobRedirectPrepared', { namespace, redirects })] : []),
    ...(pack ? [event('BlobPackPrepared', { namespace, blobs: inBase64(pack.blobs), requested: pack.requested })] : []),
  ];
});

export const hostRequestUpload = hostEvents({
  variant: 'RequestUpload',
  summary: requestUpload.summary,
  in: z.object({
    namespace: Namespace,
    hash: Hash,
    size_bytes: Count.describe('Size of the blob in bytes: exactly so many are taken.'),
    content_type: MediaType.optional(),
  }),
  out: { UploadGranted: Redirect, UploadDenied: Denied },
}).run(async ({ ask, event }, { hash, size_bytes: size, content_type }) => {
  const [answer] = await ask(requestUpload, { hash, size, content_type });
  return answer?.type === 'upload-granted'
    ? [event('UploadGranted', Redirect.parse(answer))]
    : [event('UploadDenied', Denied.parse(answer))];
});

export const hostBlobUploaded = hostEvents({
  variant: 'BlobUploaded',
  summary: 'Say that a blob was uploaded by its link: it is named by the key `namespace/hash`, and becomes readable.',
  in: z.object({ namespace: Namespace, hash: Hash }),
  out: { BlobAvailable: z.object(Named), UploadRejected: NotUploaded },
}).run(async ({ tenancy, ask, event }, { namespace, hash: text }) => {
  const [answer] = await ask(blobUploaded, { hash: text });
  if (answer?.type === 'upload-rejected') return [event('UploadRejected', NotUploaded.parse(answer))];
  const hash = named('BlobUploaded', text);
  await tenancy.room.setBlob(`${namespace}/${hash}`, hash);
  return [event('BlobAvailable', { namespace, hash })];
});

/** Shelf of blobs in process, where there is no frame to be filled. */
function shelfOf({ tenancy, blobs, blobUrls }: HostContext, namespace: string): Shelf {
  const readable = { matches: (key: string) => key.startsWith(`${namespace}/`) };
  return { room: tenancy.room, blobs, urls: blobUrls, readable, most: Number.POSITIVE_INFINITY };
}

const inBase64 = (blobs: readonly { hash: string; data: Uint8Array }[] = []) =>
  blobs.map(({ hash, data }) => ({ hash, data_b64: toBase64(data) }));
