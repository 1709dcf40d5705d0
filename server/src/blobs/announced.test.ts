/** Uploads by links, and what a peer is told when it announces them: over a real socket, listener and store. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { ManualClock } from '@weft/core/testing';
import { WebSocket } from 'ws';
import { startServer } from '../server.js';
import { ask, hashOf } from '../testing/blob-address.js';
import { createBlobLinks } from './links.js';

type Frame = Readonly<Record<string, unknown>>;

interface Uploader {
  readonly clock: ManualClock;
  /** Sends a frame, and resolves with the first of these types that comes behind. */
  ask(frame: object, ...types: readonly string[]): Promise<Frame>;
  /** Link to upload a blob by. */
  link(hash: string, size: number, more?: object): Promise<string>;
}

async function uploader(): Promise<Uploader> {
  const [store, clock] = [memoryStore(), new ManualClock()];
  const blobLinks = createBlobLinks({ store, clock });
  const host = createHost({ store, blobUrls: blobLinks });
  const server = await startServer({ host, listen: '127.0.0.1:0', blobLinks, blobListen: '127.0.0.1:0' });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  const socket = new WebSocket(server.url.replace('<room>', 'room'));
  await once(socket, 'open');
  const answerTo = async (frame: object, ...types: readonly string[]): Promise<Frame> => {
    const answer = new Promise<Frame>((resolve) => {
      const heard = (text: Buffer): void => {
        const got = JSON.parse(String(text)) as Frame;
        if (!types.includes(String(got['type']))) return;
        socket.off('message', heard);
        resolve(got);
      };
      socket.on('message', heard);
    });
    socket.send(JSON.stringify(frame));
    return answer;
  };
  await answerTo({ type: 'hello' }, 'welcome');
  return {
    clock,
    ask: answerTo,
    async link(hash, size, more = {}) {
      const granted = await answerTo({ type: 'request-upload', hash, size, ...more }, 'upload-granted');
      return String(granted['url']);
    },
  };
}

describe('an upload that is announced', () => {
  const bytes = randomBytes(1000);
  const hash = hashOf(bytes);
  const announced = ({ ask: send }: Uploader) =>
    send({ type: 'blob-uploaded', hash }, 'blob-available', 'upload-rejected');

  it('[BL11] is available, and read as of the type that it was uploaded as', async () => {
    const peer = await uploader();
    const url = await peer.link(hash, bytes.length, { content_type: 'text/plain; charset=utf-8' });
    expect((await ask('PUT', url, {}, bytes)).status).toBe(201);
    expect(await announced(peer)).toEqual({ type: 'blob-available', hashes: [hash] });
    const { redirects } = (await peer.ask({ type: 'blob-request', hashes: [hash] }, 'blob-redirect')) as unknown as {
      readonly redirects: readonly { readonly url: string }[];
    };
    for (const method of ['GET', 'HEAD']) {
      const got = await ask(method, redirects[0]!.url);
      expect([got.status, got.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect([got.headers['content-disposition'], got.headers['x-content-type-options']]).toEqual([
        'attachment',
        'nosniff',
      ]);
    }
  });

  it('[BL11] says that other bytes came, more of them, or none in time', async () => {
    const peer = await uploader();
    expect(await announced(peer)).toEqual({ type: 'upload-rejected', hash, reason: 'not-found' });
    const url = await peer.link(hash, bytes.length);
    expect(await announced(peer)).toEqual({ type: 'upload-rejected', hash, reason: 'not-found' });
    expect((await ask('PUT', url, {}, randomBytes(1000))).status).toBe(422);
    expect(await announced(peer)).toEqual({ type: 'upload-rejected', hash, reason: 'hash-mismatch' });
    expect((await ask('PUT', url, {}, randomBytes(1001))).status).toBe(413);
    expect(await announced(peer)).toEqual({ type: 'upload-rejected', hash, reason: 'too-large' });
    expect((await ask('PUT', url, {}, randomBytes(999))).status).toBe(409);
    expect(await announced(peer)).toEqual({ type: 'upload-rejected', hash, reason: 'hash-mismatch' });
    const late = await peer.link(hash, bytes.length);
    peer.clock.advance(900_000);
    expect((await ask('PUT', late, {}, bytes)).status).toBe(403);
    expect(await announced(peer)).toEqual({ type: 'upload-rejected', hash, reason: 'expired' });
    const again = await peer.link(hash, bytes.length);
    expect((await ask('PUT', again, {}, bytes)).status).toBe(201);
    expect(await announced(peer)).toEqual({ type: 'blob-available', hashes: [hash] });
  });

  it('[BL6] is of no other type than its link says', async () => {
    const peer = await uploader();
    const url = await peer.link(hash, bytes.length, { content_type: 'text/plain' });
    for (const changed of [
      url.replace('text%2Fplain', 'text%2Fhtml'),
      url.replace(/&type=[^&]*/, ''),
      `${url}&type=a%2Fb`,
    ])
      expect((await ask('PUT', changed, {}, bytes)).status).toBe(changed.endsWith('b') ? 201 : 403);
    // The first of two counts, which is the one that was signed.
    await announced(peer);
    const untyped = await peer.link(hash, bytes.length);
    expect((await ask('PUT', `${untyped}&type=text%2Fhtml`, {}, bytes)).status).toBe(403);
  });
});
