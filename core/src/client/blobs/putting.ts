/**
 * Blobs on their way to a room: small ones in a frame, others by a link where the server gives out links, in parts that go on
 * where they broke off. Loaded when the first is sent. [CL7]
 */
import { sift } from '../../codec/sieve.js';
import type { Frame } from '../../wire/frame.js';
import { blobAvailable, uploadGranted, uploadRefused } from './blob-frames.js';
import {
  type BlobLink,
  type BlobSource,
  Broken,
  MOST_ATTEMPTS,
  type PutOptions,
  askAgain,
  fetchWithin,
  fitsFrame,
  reasonOf,
  refused,
  transfer,
  untilWhole,
} from './blob-link.js';
import { nameOf, readAgain } from './source.js';

/** Up to which a blob goes in a frame, though there be links: it does not hold up the room, and takes one round trip. */
const FRAME_BYTES = 64 * 1024;
/** Parts of an upload: as long as they take little time they become larger. */
const LEAST_PART = 256 * 1024;
const MOST_PART = 8 * 1024 * 1024;
const SHORT_MS = 500;
/** After which a part counts as lost. */
const PART_MS = 60_000;

/** Resolves with the blob's name once it is stored and readable in the room. */
export function putBlob(link: BlobLink, source: BlobSource, options: PutOptions = {}): Promise<string> {
  return transfer(link, options.signal, async (signal) => {
    const blob = await readAgain(source, signal);
    const { size } = blob;
    const told = (stage: 'reading' | 'sending') => (bytes: number) => options.onProgress?.({ stage, bytes, size });
    const hash = await nameOf(blob, signal, told('reading'));
    const sent = told('sending');
    const isStored = size > FRAME_BYTES && (await new Upload(link, blob, hash, options.type, signal, sent).run());
    if (!isStored) await putInFrame(link, blob, hash, signal);
    sent(size);
    return hash;
  });
}

async function putInFrame(link: BlobLink, blob: Blob, hash: string, signal: AbortSignal): Promise<void> {
  if (!fitsFrame(link, blob.size))
    throw refused(
      'blob-too-large',
      `a blob of ${blob.size} bytes does not fit a frame, and the server gives out no links: start it with --blob-addr`,
    );
  const data = new Uint8Array(await blob.arrayBuffer());
  await askAgain(link, { type: 'blob-upload', blobs: [{ hash, data }] }, signal, names(hash));
}

/** Everybody is told what is stored; who has sent it gets no other answer, but refusals. */
const names =
  (hash: string) =>
  (frame: Frame): boolean =>
    frame.type === 'blob-available' && sift(blobAvailable, frame)?.hashes.includes(hash) === true;

/** One upload by link. */
class Upload {
  #url: string | undefined;
  #sent = 0;
  #part = LEAST_PART;

  constructor(
    readonly link: BlobLink,
    readonly blob: Blob,
    readonly hash: string,
    readonly type: string | undefined,
    readonly signal: AbortSignal,
    readonly told: (bytes: number) => void,
  ) {}

  /** False where it should go in a frame: there are no links, or nobody answers at them. */
  async run(): Promise<boolean> {
    if (!(await this.#askForLink())) return false;
    try {
      await untilWhole(
        this.link,
        this.signal,
        {
          moved: () => this.#sent,
          most: () => (this.#sent === 0 && fitsFrame(this.link, this.blob.size) ? 2 : MOST_ATTEMPTS),
        },
        () => this.#send(),
      );
    } catch (error) {
      const isUnreachable = reasonOf(error) === 'unreachable' && this.#sent === 0;
      if (!isUnreachable || !fitsFrame(this.link, this.blob.size)) throw error;
      return false;
    }
    return true;
  }

  async #askForLink(): Promise<boolean> {
    const { blob, hash } = this;
    const { type = blob.type } = this;
    const frame = { type: 'request-upload', hash, size: blob.size, ...(type === '' ? {} : { content_type: type }) };
    const answer = await askAgain(this.link, frame, this.signal).catch((error: unknown) => {
      if (reasonOf(error) === 'not-negotiated') return undefined;
      throw error;
    });
    if (answer?.type === 'upload-granted') {
      this.#url = sift(uploadGranted, answer)?.url;
      return this.#url !== undefined;
    }
    const reason = answer && sift(uploadRefused, answer)?.reason;
    if (reason === undefined || reason === 'use-ws') return false;
    throw refused(reason === 'too-large' ? 'blob-too-large' : 'blob-refused', `blob ${hash}: ${reason}`);
  }

  async #send(): Promise<void> {
    if (this.#url === undefined) await this.#askForLink();
    const taken = await this.#takenByServer();
    if (taken === undefined) await this.#request('PUT', 0, this.blob.size);
    else for (let at = taken; at < this.blob.size;) at = await this.#sendPart(at);
    const { hash } = this;
    const answer = await askAgain(this.link, { type: 'blob-uploaded', hash }, this.signal, names(hash));
    const reason = sift(uploadRefused, answer)?.reason;
    if (reason === undefined) return;
    if (reason !== 'not-found' && reason !== 'expired') throw refused('blob-refused', `blob ${hash}: ${reason}`);
    throw new Broken(`the server has no such upload: ${reason}`);
  }

  /** Bytes that the server holds of it already; undefined where it takes no parts, as a bucket's own links do not. */
  async #takenByServer(): Promise<number | undefined> {
    const { status, offset } = await this.#ask('HEAD').catch((error: unknown) => {
      // Not every place lets a page ask: whether it can be reached at all is seen by what follows.
      if (error instanceof Broken && this.#sent === 0) return { status: 0, offset: null };
      throw error;
    });
    if (offset !== null) return Number(offset);
    if (this.#sent > 0) return this.#retry(status);
    return undefined;
  }

  async #sendPart(at: number): Promise<number> {
    const to = Math.min(this.blob.size, at + this.#part);
    const { clock } = this.link;
    const began = clock.now();
    try {
      await this.#request('PATCH', at, to);
    } catch (error) {
      this.#part = Math.max(LEAST_PART, this.#part / 2);
      throw error;
    }
    if (clock.now() - began < SHORT_MS) this.#part = Math.min(MOST_PART, this.#part * 2);
    return to;
  }

  async #request(method: 'PUT' | 'PATCH', from: number, to: number): Promise<void> {
    const answer = await this.#ask(method, from, to);
    if (answer.status !== 201 && answer.status !== 204 && answer.status !== 200)
      this.#retry(answer.status, answer.said);
    this.#sent = Math.max(this.#sent, to);
    this.told(to);
  }

  #ask(method: string, from?: number, to?: number): Promise<{ status: number; offset: string | null; said: string }> {
    const headers: Record<string, string> = method === 'PATCH' ? { 'Upload-Offset': String(from) } : {};
    const body = from === undefined ? null : this.blob.slice(from, to);
    const fetching = { signal: this.signal, silenceMs: PART_MS };
    const init = { method, headers, body };
    return fetchWithin(this.link, fetching, this.#url!, init, async (response, within) => ({
      status: response.status,
      offset: response.headers.get('Upload-Offset'),
      said: method === 'HEAD' ? '' : (await within(response.text())).slice(0, 500),
    }));
  }

  /** What is wrong with the bytes is for good; a link that does not hold any more is asked for anew. */
  #retry(status: number, said = ''): never {
    if (status === 413 || status === 422 || status === 507)
      throw refused('blob-refused', `blob ${this.hash} was not taken (${status}): ${said}`);
    if (status === 403 || status === 429) this.#url = undefined;
    throw new Broken(`the server answers ${status} ${said}`);
  }
}
