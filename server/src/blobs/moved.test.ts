/** Files that a client moves: over a real socket, a real listener, and a network that breaks. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BlobHash, type Host, type RoomId, createHost } from '@weft/core';
import { type BlobProgress, type RoomClient, generateKeys, keepRoom } from '@weft/core/client';
import { memoryStore } from '@weft/core/memory';
import { WebSocket } from 'ws';
import { startServer } from '../server.js';
import { hashOf } from '../testing/blob-address.js';
import { createBlobLinks } from './links.js';

const bytes = randomBytes(3_000_000);
const hash = hashOf(bytes);

/** Network between clients and the blob address: what it has moved each way, and after how much it breaks once. */
interface Between {
  readonly url: string;
  sent: number;
  received: number;
  breaksAfter: { sent?: number; received?: number };
  broken: number;
}

/** The address of links is named before there is a listener: the network in between is another one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function between(port: number): Promise<Between> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    const cut = (): void => {
      network.broken++;
      network.breaksAfter = {};
      near.destroy();
      far.destroy();
    };
    near.on('data', (chunk) => {
      network.sent += chunk.length;
      far.write(chunk);
      if (network.sent > (network.breaksAfter.sent ?? Infinity)) cut();
    });
    far.on('data', (chunk) => {
      network.received += chunk.length;
      near.write(chunk);
      if (network.received > (network.breaksAfter.received ?? Infinity)) cut();
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const network: Between = { url, sent: 0, received: 0, breaksAfter: {}, broken: 0 };
  return network;
}

interface Site {
  readonly network: Between;
  readonly host: Host;
  readonly folder: string;
  enter(): Promise<RoomClient>;
  /** Cuts the connections of all peers. */
  cut(): void;
  /** Sends all peers to another server of the same store, which gives out no links, and may have lost the blob. */
  leaveLinks(lost?: BlobHash): Promise<void>;
}

async function site({ links = true, blobUrl }: { links?: boolean; blobUrl?: string } = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-moved-'));
  const store = memoryStore();
  const blobLinks = links ? createBlobLinks({ store }) : undefined;
  const host = createHost({ store, ...(blobLinks ? { blobUrls: blobLinks } : {}) });
  const port = await freePort();
  const network = await between(port);
  const server = await startServer({
    host,
    listen: '127.0.0.1:0',
    ...(blobLinks ? { blobLinks, blobListen: `127.0.0.1:${port}`, blobUrl: blobUrl ?? network.url } : {}),
  });
  let { url } = server;
  const clients: RoomClient[] = [];
  const sockets: WebSocket[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.close();
    await server.close();
    await host.close();
    await rm(folder, { recursive: true });
  });
  return {
    network,
    host,
    folder,
    async enter() {
      const open = (): WebSocket => {
        const socket = new WebSocket(url.replace('<room>', 'room'));
        sockets.push(socket);
        return socket;
      };
      const client = keepRoom({ open, keys: generateKeys(), retry: { firstMs: 1, mostMs: 2 } });
      clients.push(client);
      await client.joined;
      return client;
    },
    cut() {
      for (const socket of sockets.splice(0)) socket.terminate();
    },
    async leaveLinks(lost) {
      if (lost) await store.blobs.unlink('room' as RoomId, lost);
      if (lost) await store.blobs.delete(lost);
      const other = createHost({ store });
      const without = await startServer({ host: other, listen: '127.0.0.1:0' });
      onTestFinished(async () => {
        await without.close();
        await other.close();
      });
      url = without.url;
      for (const socket of sockets.splice(0)) socket.terminate();
    },
  };
}

async function* pieces(of: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < of.length; at += 70_000) yield of.subarray(at, at + 70_000);
}

describe('a file', () => {
  it('[CL7] goes by link in parts, from a file, and comes as it was', async () => {
    const at = await site();
    const [one, other] = [await at.enter(), await at.enter()];
    const path = join(at.folder, 'film');
    await writeFile(path, bytes);
    const told: BlobProgress[] = [];
    const name = await one.putBlob(await openAsBlob(path), { onProgress: (progress) => told.push(progress) });
    expect(name).toBe(hash);
    expect([at.network.sent > bytes.length, at.network.sent < bytes.length + 10_000]).toEqual([true, true]);
    const sizes = (stage: string) =>
      told.filter((progress) => progress.stage === stage).map((progress) => progress.bytes);
    for (const stage of ['reading', 'sending']) {
      expect(sizes(stage)).toEqual(sizes(stage).toSorted((a, b) => a - b));
      expect(sizes(stage).at(-1)).toBe(bytes.length);
    }
    expect(sizes('sending').length).toBeGreaterThan(2);
    expect(await other.getBlob(hash)).toEqual(new Uint8Array(bytes));
    expect(await other.getBlob('00'.repeat(32))).toBeUndefined();
    expect(await other.readBlob('00'.repeat(32))).toBeUndefined();
  });

  it('[CL7] goes on where the network broke, both ways', async () => {
    const at = await site();
    const client = await at.enter();
    at.network.breaksAfter = { sent: 1_500_000 };
    expect(await client.putBlob(pieces(bytes))).toBe(hash);
    expect(at.network.broken).toBe(1);
    // Bytes that were on their way when the network broke are sent again; no more.
    expect(at.network.sent).toBeLessThan(bytes.length + 1_100_000);
    at.network.breaksAfter = { received: at.network.received + 1_500_000 };
    const got: number[] = [];
    expect(await client.getBlob(hash, { onProgress: (size) => got.push(size) })).toEqual(new Uint8Array(bytes));
    expect(at.network.broken).toBe(2);
    expect(got).toEqual(got.toSorted((a, b) => a - b));
  });

  it('[CL7] goes on in a frame where the links are gone when the network broke', async () => {
    const at = await site();
    const client = await at.enter();
    await client.putBlob(bytes);
    at.network.breaksAfter = { received: at.network.received + 1_500_000 };
    let left: Promise<void> | undefined;
    const onProgress = (): void => void (left ??= at.leaveLinks());
    const got = client.getBlob(hash, { onProgress });
    expect(await got).toEqual(new Uint8Array(bytes));
    await left;
    expect(at.network.broken).toBe(1);
  });

  it('[CL7] of which a part has come ends with an error where the room has it no more', async () => {
    const at = await site();
    const client = await at.enter();
    await client.putBlob(bytes);
    at.network.breaksAfter = { received: at.network.received + 1_500_000 };
    let left: Promise<void> | undefined;
    const onProgress = (): void => void (left ??= at.leaveLinks(hash));
    const stream = await client.readBlob(hash, { onProgress });
    const read = async (): Promise<void> => {
      for await (const chunk of stream!) expect(chunk.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow('the room has let go of blob');
    await left;
  });

  it('[CL7] is stored over connections of the room that break', async () => {
    const at = await site();
    const client = await at.enter();
    const put = client.putBlob(new Blob([bytes]), {
      onProgress: ({ stage, bytes: moved }) => stage === 'sending' && moved > 1_000_000 && at.cut(),
    });
    expect(await put).toBe(hash);
    at.cut();
    expect(await client.getBlob(hash)).toEqual(new Uint8Array(bytes));
  });

  it('[CL7] that is read piece by piece is held up by its reader, and ends with him', async () => {
    const at = await site();
    const client = await at.enter();
    await client.putBlob(bytes);
    const before = at.network.received;
    const reader = (await client.readBlob(hash))!.getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value!).equals(bytes.subarray(0, value!.length))).toBe(true);
    await reader.cancel();
    let length = 0;
    for await (const chunk of (await client.readBlob(hash))!) length += chunk.length;
    expect(length).toBe(bytes.length);
    expect(at.network.received - before).toBeLessThan(2 * bytes.length + 20_000);
  });

  it('[CL7] that nobody waits for any more is not sent to its end', async () => {
    const at = await site();
    const client = await at.enter();
    const ended = new AbortController();
    const onProgress = ({ stage }: BlobProgress): void =>
      void (stage === 'sending' && ended.abort(new Error('enough')));
    await expect(client.putBlob(bytes, { signal: ended.signal, onProgress })).rejects.toThrow('enough');
    expect(at.network.sent).toBeLessThan(bytes.length);
    await expect(client.getBlob(hash, { signal: ended.signal })).rejects.toThrow('enough');
    const late = client.putBlob(bytes);
    client.close();
    await expect(late).rejects.toMatchObject({ reason: 'disconnected' });
  });

  it('[CL7] goes in a frame where nobody answers at the links', async () => {
    const at = await site({ blobUrl: 'http://127.0.0.1:9' });
    const client = await at.enter();
    expect(await client.putBlob(bytes)).toBe(hash);
    expect(at.network.sent).toBe(0);
  });

  it('[CL7] that fits no frame needs links, and the refusal says so', async () => {
    const at = await site({ links: false });
    const client = await at.enter();
    await expect(client.putBlob(new Uint8Array(13 * 1024 * 1024))).rejects.toMatchObject({
      reason: 'blob-too-large',
      message: expect.stringContaining('--blob-addr') as string,
    });
    expect(await client.putBlob(bytes)).toBe(hash);
    expect(await client.getBlob(hash)).toEqual(new Uint8Array(bytes));
  });

  it('[CL7] of a stream that is too long to be held is refused, with what to do', async () => {
    const at = await site();
    const client = await at.enter();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(8 * 1024 * 1024);
    }
    await expect(client.putBlob(endless())).rejects.toThrow(/fs\.openAsBlob/);
  });
});
