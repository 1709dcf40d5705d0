/** Files of a room, through its socket. [CL7] */
import { equalBytes, fromHex, toHex } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { sift } from '../../codec/sieve.js';
import { Rejection } from '../../rejection.js';
import type { Frame } from '../../wire/frame.js';
import { blobAvailable, blobPack } from './frames.js';
import type { IsAnswer } from './requests.js';

/** Part of a frame that a blob may take, in base64 and with what stands beside. */
const FRAME_SHARE = 0.7;

/** How blobs reach the server. */
export interface BlobLink {
  readonly frameBytes: number;
  ask(frame: Frame, isAnswer?: IsAnswer): Promise<Frame>;
}

/** Resolves with the blob's name once it is stored. */
export async function putBlob(link: BlobLink, data: Uint8Array): Promise<string> {
  if ((data.length * 4) / 3 > link.frameBytes * FRAME_SHARE)
    throw new Rejection('blob-too-large', `a blob of ${data.length} bytes does not fit a frame`);
  const hash = toHex(sha256(data));
  // Everybody is told what is stored; who has sent it gets no other answer, but refusals.
  await link.ask({ type: 'blob-upload', blobs: [{ hash, data }] }, (frame) => {
    return frame.type === 'blob-available' && sift(blobAvailable, frame)?.hashes.includes(hash) === true;
  });
  return hash;
}

/** Fetches a blob; undefined when the room has no such one. What comes is what its name says. */
export async function getBlob(link: BlobLink, hash: string): Promise<Uint8Array | undefined> {
  const answer = await link.ask({ type: 'blob-request', hashes: [hash] });
  const pack = sift(blobPack, answer);
  if (!pack) throw new Rejection('out-of-step', 'the server sent an answer that cannot be read');
  if (pack.too_large.length > 0) throw new Rejection('blob-too-large', `blob ${hash} does not fit a frame`);
  const [blob] = pack.blobs;
  if (blob && !equalBytes(sha256(blob.data), fromHex(hash)))
    throw new Rejection('blob-refused', `what came is not blob ${hash}`);
  return blob?.data;
}
