/** Notices of forges: a door whose callers have no token, but sign what they send. */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { ForgeDesk } from '../../operations/kernel/forge-desk.js';
import { tooLarge } from '../entry/body.js';

/** Path of the notices about one repository. */
export const HOOK_PATH = /^\/studio\/hooks\/[^/]+$/;
/** A notice names what it is about; a larger one is looked for without it. */
export const NOTICE_BYTES = 5 << 20;

export async function heedHook(
  desk: Pick<ForgeDesk, 'heed'>,
  repositoryId: string,
  request: Request,
  incoming: IncomingMessage | Http2ServerRequest | undefined,
): Promise<{ readonly heard: boolean }> {
  const body = incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? [];
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Both give bytes.
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > NOTICE_BYTES) throw tooLarge(NOTICE_BYTES);
    pieces.push(piece);
  }
  return { heard: (await desk.heed(repositoryId, request.headers, Buffer.concat(pieces))) === 'new' };
}
