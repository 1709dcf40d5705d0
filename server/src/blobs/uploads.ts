/**
 * Uploads that links were given out for, and what became of them: asked when a peer says that it has uploaded and nothing is
 * there. In memory alone, at most 65,536; beyond that those are forgotten that were granted longest ago, and after a restart
 * an upload that has failed is one that never came.
 */
import type { BlobHash, Clock, RoomId, UploadFault } from '@weft/core';

const MOST = 65_536;

export interface GrantedUpload {
  readonly size: number;
  readonly contentType: string | undefined;
  /** Unix seconds. */
  readonly expires: number;
}

interface Known extends GrantedUpload {
  readonly fault?: UploadFault;
}

export class Uploads {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  grant(room: RoomId, hash: BlobHash, upload: GrantedUpload): void {
    const name = nameOf(room, hash);
    this.#known.delete(name); // it is the newest again
    this.#known.set(name, upload);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
  }

  granted(room: RoomId, hash: BlobHash): GrantedUpload | undefined {
    return this.#known.get(nameOf(room, hash));
  }

  fail(room: RoomId, hash: BlobHash, fault: UploadFault): void {
    const known = this.#known.get(nameOf(room, hash));
    if (known) this.#known.set(nameOf(room, hash), { ...known, fault });
  }

  forget(room: RoomId, hash: BlobHash): void {
    this.#known.delete(nameOf(room, hash));
  }

  /** What was wrong with the upload that was granted last, if anything is known to be. */
  faultOf(room: RoomId, hash: BlobHash): UploadFault | undefined {
    const known = this.#known.get(nameOf(room, hash));
    if (!known || known.fault) return known?.fault;
    return known.expires * 1000 <= this.#clock.now() ? 'expired' : undefined;
  }
}

const nameOf = (room: RoomId, hash: BlobHash): string => `${room}/${hash}`;
