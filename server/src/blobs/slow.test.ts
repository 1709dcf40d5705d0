import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BlobAddress, blobAddress, eventually, hashOf, room } from '../testing/blob-address.js';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

async function dial({ port }: BlobAddress): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}
/** However it ends: `once` would take a reset for a failure. */
const gone = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
};
const headOf = (method: string, url: string, ...headers: string[]): string => {
  const { pathname, search } = new URL(url);
  return `${[`${method} ${pathname}${search} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
};
const bytes = randomBytes(100_000);
const hash = hashOf(bytes);
const uploadHead = async ({ links }: BlobAddress, size: number): Promise<string> =>
  headOf('PUT', (await links.forPut(room, hash, size)).url, `Content-Length: ${size}`);

/** Sends a byte now and then until the other side has had enough. */
async function drip(socket: Socket, everyMs: number): Promise<void> {
  socket.resume();
  const timer = setInterval(() => socket.write('x'), everyMs);
  onTestFinished(() => clearInterval(timer));
  await gone(socket);
  clearInterval(timer);
}

describe('the blob address is not held up by', () => {
  it('[BL9] who never finishes the headers', async () => {
    const at = await blobAddress({ headersMs: 300 });
    const silent = await dial(at);
    silent.resume();
    const dripping = await dial(at);
    dripping.write('GET / HTTP/1.1\r\nX-Slow: ');
    await Promise.all([gone(silent), drip(dripping, 20)]);
  });

  it('[BL9] who announces a gigabyte and never sends it [fault 34]', async () => {
    const at = await blobAddress({ idleMs: 1000 });
    const allocated = (['alloc', 'allocUnsafe', 'allocUnsafeSlow'] as const).map((name) => vi.spyOn(Buffer, name));
    onTestFinished(() => void vi.restoreAllMocks());
    const sockets = await Promise.all(Array.from({ length: 20 }, () => dial(at)));
    for (const socket of sockets) socket.resume().write(await uploadHead(at, GIB));
    await eventually(async () => (await at.incoming()).length > 0);
    await Promise.all(sockets.map(gone));
    await eventually(async () => (await at.incoming()).length === 0);
    expect(Math.max(0, ...allocated.flatMap(({ mock }) => mock.calls.map(([size]) => size)))).toBeLessThan(MIB);
    expect(await at.store.blobs.size(hash)).toBeUndefined();
    expect(at.lines).toEqual([]);
  });

  it('[BL9] who sends a body byte by byte', async () => {
    const at = await blobAddress({ slackMs: 300, bytesPerSecond: MIB });
    const socket = await dial(at);
    socket.write(await uploadHead(at, bytes.length));
    await drip(socket, 20);
    await eventually(async () => (await at.incoming()).length === 0);
    expect(await at.store.blobs.size(hash)).toBeUndefined();
  });

  it('[BL9] who asks for much and reads nothing', async () => {
    const at = await blobAddress({ slackMs: 300, bytesPerSecond: 100 * MIB });
    const large = await at.give(Buffer.alloc(32 * MIB, 'x'));
    const socket = await dial(at);
    socket.pause();
    expect(await connections(at)).toBe(1);
    socket.write(headOf('GET', (await at.links.forGet(room, large)).url));
    await eventually(async () => (await connections(at)) === 0);
  });

  it('[BL9] more connections than it takes', async () => {
    const at = await blobAddress();
    const sockets = await Promise.all(Array.from({ length: 300 }, () => dial(at)));
    for (const socket of sockets) socket.resume();
    await eventually(() => sockets.filter((socket) => !socket.closed).length === 256);
    for (const socket of sockets) socket.destroy();
    await at.give(bytes);
    const { url } = await at.links.forGet(room, hash);
    await eventually(async () => (await fetch(url).catch(() => undefined))?.status === 200);
  });
});

/** Connections that the server holds, by its own account of open sockets. */
async function connections({ port }: BlobAddress): Promise<number> {
  const table = await readFile('/proc/net/tcp', 'utf8');
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').filter((line) => line.trim().split(/\s+/)[1] === local && / 01 /.test(line)).length;
}
