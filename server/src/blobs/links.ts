/**
 * Signed links: the right to move one blob of one room one way, until it expires, and nothing else.
 *
 *   <base>/blobs/<room>/<hash>?size=<bytes>&expires=<unix seconds>&id=<12 characters>[&type=<media type>][&by=<key>]&signature=<43 characters>
 *
 * The signature is HMAC-SHA-256 over `weft-blob-link-v1`, method, room, hash, size, expiry, id, the type if there is one, and `by` and
 * the key for which an upload counts if there is one, joined by NUL, under a key that follows from the server's authority key: links outlive a restart, and there is no second secret to keep.
 * The id keeps links apart that are given out in one second, so that nobody uses up another's.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type BlobHash,
  type BlobPlace,
  type BlobUrl,
  type BlobUrls,
  type Clock,
  LIMITS,
  type Limits,
  type RoomId,
  type Store,
  type Telemetry,
  type UploadDetails,
  type UploadFault,
  systemClock,
  takeBlobSpace,
} from '@weft/core';
import { PartsByLink } from './parts.js';
import { Uploads } from './uploads.js';

const GET_SECONDS = 3600;
const PUT_SECONDS = 900;

/** Method that a link allows; a link for GET allows HEAD as well, one for PUT also HEAD and PATCH. */
export type LinkMethod = 'GET' | 'PUT';

export interface LinkTarget {
  readonly method: LinkMethod;
  readonly room: RoomId;
  readonly hash: BlobHash;
}

/** What a valid link allows. */
export interface Grant extends LinkTarget {
  /** Size of the blob; an upload must bring exactly this many bytes. */
  readonly size: number;
  readonly expires: number;
  /** Identity of the link, different for each one given out. */
  readonly id: string;
  /** Media type that an upload is of. */
  readonly type?: string | undefined;
  /** Whom an upload counts for: a person, or a key. */
  readonly by?: string | undefined;
}

export type Judgement = Grant | 'bad-link' | 'link-expired';

export interface BlobLinksOptions {
  /** The store of the host that gives out the links. */
  readonly store: Store;
  readonly clock?: Clock;
  /** Bounds on what comes by them, as the host has them; the engine's own without. */
  readonly limits?: Limits;
  readonly telemetry?: Telemetry | undefined;
}

/** Signer and judge of links. The host takes it as `blobUrls`; `startServer` tells it where the links point to. */
export function createBlobLinks({
  store,
  clock = systemClock,
  limits = LIMITS,
  telemetry,
}: BlobLinksOptions): BlobLinks {
  return new BlobLinks({ store, clock, limits, telemetry });
}

export class BlobLinks implements BlobUrls {
  readonly store: Store;
  readonly clock: Clock;
  readonly uploads: Uploads;
  readonly parts: PartsByLink;
  readonly #bounds: Pick<BlobPlace, 'limits' | 'telemetry'>;
  #signing: { readonly base: string; readonly key: Uint8Array } | undefined;

  constructor({
    store,
    clock,
    limits,
    telemetry,
  }: BlobLinksOptions & { readonly clock: Clock; readonly limits: Limits }) {
    this.#bounds = { limits, telemetry };
    this.store = store;
    this.clock = clock;
    this.uploads = new Uploads(clock);
    this.parts = new PartsByLink(clock);
  }

  /** Sets the base that links begin with. The store must be open. */
  async pointTo(base: string): Promise<void> {
    const seed = await this.store.authoritySeed();
    const key = new Uint8Array(hkdfSync('sha256', seed, new Uint8Array(0), 'weft-blob-links-v1', 32));
    this.#signing = { base, key };
    this.parts.open();
  }

  /** Takes the base away: no links are given out any more, and what has come in part goes. */
  withdraw(): void {
    this.#signing = undefined;
    this.parts.close();
  }

  /** Space for what comes by a link; answers what ends that. */
  takeSpace({ room, hash, size, by }: Grant): Promise<() => void> {
    return takeBlobSpace({ blobs: this.store.blobs, ...this.#bounds }, { room, hash, size, by });
  }

  async forPut(room: RoomId, hash: BlobHash, size: number, details: UploadDetails = {}): Promise<BlobUrl> {
    const { contentType, by } = details;
    if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`a blob cannot have ${size} bytes`);
    const link = this.#give({ method: 'PUT', room, hash }, { size, seconds: PUT_SECONDS, type: contentType, by });
    this.uploads.grant(room, hash, { size, contentType, expires: link.expiresAtUnix });
    return link;
  }

  /** What is uploaded here is looked at as it comes. */
  async claim(room: RoomId, hash: BlobHash): Promise<UploadFault | undefined> {
    return this.uploads.faultOf(room, hash);
  }

  async forGet(room: RoomId, hash: BlobHash): Promise<BlobUrl> {
    return this.#give({ method: 'GET', room, hash }, { size: 0, seconds: GET_SECONDS });
  }

  /** Judgement of a link. That it has expired is told only if its signature is ours. */
  judge(target: LinkTarget, query: URLSearchParams): Judgement {
    const [size, expires] = [wholeNumber(query.get('size')), wholeNumber(query.get('expires'))];
    const [id, signature] = [query.get('id') ?? '', query.get('signature') ?? ''];
    if (!this.#signing || size === undefined || expires === undefined) return 'bad-link';
    if (!/^[A-Za-z0-9_-]{12}$/.test(id) || !/^[A-Za-z0-9_-]{43}$/.test(signature)) return 'bad-link';
    const type = query.get('type') ?? undefined;
    const by = query.get('by') ?? undefined;
    // Whom an upload counts for could be read as the end of a type.
    if (type?.includes('\0')) return 'bad-link';
    const grant = { ...target, size, expires, id, type, by };
    const expected = sign(this.#signing.key, grant);
    if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) return 'bad-link';
    // What was begun in time may come to its end.
    if (expires * 1000 <= this.clock.now() && !(target.method === 'PUT' && this.parts.has(id))) return 'link-expired';
    return grant;
  }

  #give(
    target: LinkTarget,
    { size, seconds, type, by }: Pick<Grant, 'size' | 'type' | 'by'> & { readonly seconds: number },
  ): BlobUrl {
    if (!this.#signing) throw new Error('no blob listener is running: start the server with blobListen');
    const { base, key } = this.#signing;
    const expires = Math.floor(this.clock.now() / 1000) + seconds;
    const id = randomBytes(9).toString('base64url');
    const signature = sign(key, { ...target, size, expires, id, type, by }).toString('base64url');
    const typed = type === undefined ? '' : `&type=${encodeURIComponent(type)}`;
    const counted = by === undefined ? '' : `&by=${by}`;
    const query = `size=${size}&expires=${expires}&id=${id}${typed}${counted}&signature=${signature}`;
    return { url: `${base}/blobs/${target.room}/${target.hash}?${query}`, expiresAtUnix: expires };
  }
}

/** HMAC of a link's fields, joined by NUL: no field may hold one, so none can reach into the next. */
function sign(key: Uint8Array, { method, room, hash, size, expires, id, type, by }: Grant): Buffer {
  const fields = ['weft-blob-link-v1', method, room, hash, size, expires, id];
  const typed = type === undefined ? fields : [...fields, type];
  const message = (by === undefined ? typed : [...typed, 'by', by]).join('\0');
  return createHmac('sha256', key).update(message).digest();
}

/** Whole number in its only accepted spelling. */
export function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
}
