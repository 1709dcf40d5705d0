/** A blob listener on a free port over a store in a folder of its own. All of it goes with the test. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BlobHash, type RoomId, type Store, parseBlobHash, parseRoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { ManualClock } from '@weft/core/testing';
import type { Times } from '../blobs/exchange.js';
import { type BlobLinks, createBlobLinks } from '../blobs/links.js';
import type { Log } from '../log.js';
import { listenBlobs } from '../blobs/listener.js';

export const room = parseRoomId('room') ?? raise('not a room id');
export const otherRoom = parseRoomId('other') ?? raise('not a room id');

export function raise(message: string): never {
  throw new Error(message);
}

export function hashOf(bytes: Uint8Array): BlobHash {
  return parseBlobHash(createHash('sha256').update(bytes).digest('hex')) ?? raise('not a hash');
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface BlobAddress {
  readonly store: Store;
  readonly links: BlobLinks;
  readonly clock: ManualClock;
  readonly port: number;
  readonly url: string;
  /** Lines that the operator was told. */
  readonly lines: string[];
  /** Names of uploads that are under way, or were left behind. */
  incoming(): Promise<string[]>;
  /** Puts the blob into the store and lets the room read it. */
  give(bytes: Uint8Array, to?: RoomId): Promise<BlobHash>;
}

export async function blobAddress(times: Partial<Times> = {}): Promise<BlobAddress> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-blob-address-'));
  const store = levelStore(folder);
  await store.open();
  const clock = new ManualClock();
  const links = createBlobLinks({ store, clock });
  const lines: string[] = [];
  const log: Log = ({ error }) => void lines.push(error instanceof Error ? error.message : String(error));
  const listening = await listenBlobs({ host: '127.0.0.1', port: 0, links, log, times });
  onTestFinished(async () => {
    await listening.close();
    await store.close();
    await rm(folder, { recursive: true });
  });
  const incoming = join(folder, 'blobs', 'incoming');
  return {
    store,
    links,
    clock,
    lines,
    port: listening.port,
    url: listening.url,
    incoming: async () => (existsSync(incoming) ? readdir(incoming) : []),
    async give(bytes, to = room) {
      const hash = hashOf(bytes);
      await store.blobs.put(hash, one(bytes), bytes.length);
      await store.blobs.link(to, hash);
      return hash;
    },
  };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function ask(
  method: string,
  url: string,
  headers: Readonly<Record<string, string | number>> = {},
  body?: Uint8Array,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

export function codeOf({ status, body }: Reply): string {
  const { code } = JSON.parse(body.toString()) as { code: string };
  return `${status} ${code}`;
}

/** Waits until `check` holds, for a few seconds at most. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never came');
}
