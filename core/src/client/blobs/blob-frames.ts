/** Frames of a server about blobs, as a client reads them. */
import { fromBase64 } from '../../codec/bytes/bytes.js';
import { listOf, objectOf, text } from '../../codec/sieve.js';

/** Base64 in a frame of JSON, themselves in one of MessagePack. */
const bytes = (value: unknown): Uint8Array => (value instanceof Uint8Array ? value : fromBase64(text(value)));

export const blobPack = objectOf({ blobs: listOf(objectOf({ data: bytes })), too_large: listOf(text) });
export const blobRedirect = objectOf({ redirects: listOf(objectOf({ url: text })) });
export const blobAvailable = objectOf({ hashes: listOf(text) });
export const uploadGranted = objectOf({ url: text });
/** Body of `upload-denied` and `upload-rejected`; reasons that this version does not know are for good. */
export const uploadRefused = objectOf({ reason: text });
