import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BlobAddress, ask, blobAddress, codeOf, eventually, hashOf, room } from '../testing/blob-address.js';

const bytes = randomBytes(300_000);
const hash = hashOf(bytes);
const putUrl = async ({ links }: BlobAddress): Promise<string> => (await links.forPut(room, hash, bytes.length)).url;
const part = (url: string, from: number, to: number, of: Uint8Array = bytes) =>
  ask('PATCH', url, { 'Upload-Offset': from }, of.subarray(from, to));
const takenBy = async (url: string): Promise<unknown> => (await ask('HEAD', url)).headers['upload-offset'];

/** Begins a part, sends some of it and says no more. */
async function breakOff(url: string, from: number, sent: number): Promise<() => void> {
  const { pathname, search, port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const head = [`Upload-Offset: ${from}`, `Content-Length: ${bytes.length - from}`, 'Host: x'];
  socket.write(`PATCH ${pathname}${search} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
  socket.write(bytes.subarray(from, from + sent));
  return () => void socket.destroy();
}

describe('an upload in parts', () => {
  it('[BL15] is the blob once its last part is there', async () => {
    const at = await blobAddress();
    const url = await putUrl(at);
    expect(await takenBy(url)).toBe('0');
    const first = await part(url, 0, 100_000);
    expect([first.status, first.headers['upload-offset']]).toEqual([204, '100000']);
    expect(await at.store.blobs.isStaged(room, hash)).toBe(false);
    expect((await part(url, 100_000, 200_000)).status).toBe(204);
    expect((await part(url, 200_000, bytes.length)).status).toBe(201);
    expect(await at.store.blobs.isStaged(room, hash)).toBe(true);
    expect(await at.store.blobs.size(hash)).toBe(bytes.length);
    expect([await takenBy(url), await at.incoming(), at.lines]).toEqual(['0', [], []]);
  });

  it('[BL15] goes on where it broke off, also when nobody has noticed yet', async () => {
    const at = await blobAddress();
    const url = await putUrl(at);
    const leave = await breakOff(url, 0, 120_000);
    await eventually(async () => (await at.incoming()).length > 0);
    await eventually(async () => (await at.links.parts.of(new URL(url).searchParams.get('id')!)!.taken) === 120_000);
    expect(await takenBy(url)).toBe('120000');
    leave();
    await breakOff(url, 120_000, 80_000); // this one stays open, and another sender takes its place
    await eventually(async () => at.links.parts.of(new URL(url).searchParams.get('id')!)!.taken === 200_000);
    expect(codeOf(await part(url, 120_000, bytes.length))).toBe('409 wrong-offset');
    expect((await part(url, 200_000, bytes.length)).status).toBe(201);
    expect(at.lines).toEqual([]);
  });

  it('[BL15] of other bytes, of too many, or without saying where it begins is refused', async () => {
    const at = await blobAddress();
    const url = await putUrl(at);
    expect(codeOf(await ask('PATCH', url, {}, bytes))).toBe('400 bad-offset');
    expect(codeOf(await ask('PATCH', url, { 'Upload-Offset': 1 }, bytes))).toBe('413 too-large');
    expect(codeOf(await ask('PATCH', url, { 'Upload-Offset': 0, 'Content-Length': 0 }))).toBe('413 too-large');
    const early = await part(url, 5, 10);
    expect([codeOf(early), early.headers['upload-offset']]).toEqual(['409 wrong-offset', '0']);
    const wrong = Buffer.from(bytes);
    wrong.writeUInt8(wrong.readUInt8(250_000) ^ 1, 250_000);
    expect((await part(url, 0, 200_000, wrong)).status).toBe(204);
    expect(codeOf(await part(url, 200_000, bytes.length, wrong))).toBe('422 hash-mismatch');
    await eventually(async () => (await at.incoming()).length === 0);
    expect([await takenBy(url), await at.store.blobs.size(hash)]).toEqual(['0', undefined]);
  });

  it('[BL15] may end after its link, and no other may begin', async () => {
    const at = await blobAddress();
    const url = await putUrl(at);
    const late = await putUrl(at);
    at.clock.advance(899_000);
    expect((await part(url, 0, 100_000)).status).toBe(204);
    at.clock.advance(2000);
    expect(codeOf(await part(late, 0, 100_000))).toBe('403 link-expired');
    expect((await part(url, 100_000, bytes.length)).status).toBe(201);
    expect(codeOf(await part(url, 0, 100_000))).toBe('403 link-expired');
  });

  it('[BL15] waits a quarter of an hour for its next part, and leaves nothing behind', async () => {
    const at = await blobAddress();
    const url = await putUrl(at);
    expect((await part(url, 0, 100_000)).status).toBe(204);
    expect(await at.incoming()).toHaveLength(1);
    at.clock.advance(15 * 60 * 1000);
    await eventually(async () => (await at.incoming()).length === 0);
    expect(codeOf(await part(url, 100_000, bytes.length))).toBe('403 link-expired');
    expect(at.lines).toEqual([]);
  });

  it('[BL15] leaves room for others: beyond as many as there may be, who has waited longest begins anew', async () => {
    const at = await blobAddress();
    const urls = await Promise.all(Array.from({ length: 257 }, () => putUrl(at)));
    for (const url of urls) expect((await part(url, 0, 1)).status).toBe(204);
    await eventually(async () => (await at.incoming()).length === 256);
    expect([await takenBy(urls[0]!), await takenBy(urls[1]!)]).toEqual(['0', '1']);
  });

  it('[BL15] leaves room for others by how long it has waited, not by when it began', async () => {
    const at = await blobAddress();
    const urls = await Promise.all(Array.from({ length: 257 }, () => putUrl(at)));
    for (const url of urls.slice(0, 256)) expect((await part(url, 0, 1)).status).toBe(204);
    at.clock.advance(1000);
    expect((await part(urls[0]!, 1, 2)).status).toBe(204);
    expect((await part(urls[256]!, 0, 1)).status).toBe(204);
    expect([await takenBy(urls[0]!), await takenBy(urls[1]!)]).toEqual(['2', '0']);
  });

  it('[BL15] ends with the server in the middle of a part, and none begins behind it', async () => {
    const at = await blobAddress();
    const url = await putUrl(at);
    await breakOff(url, 0, 120_000);
    const { parts } = at.links;
    const id = new URL(url).searchParams.get('id')!;
    await eventually(async () => parts.of(id)?.taken === 120_000);
    const { stored } = parts.of(id)!;
    at.links.withdraw();
    await expect(stored).rejects.toThrow('the upload was ended');
    await eventually(async () => (await at.incoming()).length === 0);
    expect([parts.of(id), at.clock.timers]).toEqual([undefined, 0]);
    expect(() => parts.begin({ id, size: 1 }, () => Promise.resolve())).toThrow('the server stops');
  });

  it('[BL15] keeps nobody waiting for a part that its store has let go of', async () => {
    const { clock, links } = await blobAddress();
    let fail: (error: Error) => void = () => undefined;
    const upload = links.parts.begin({ id: 'one', size: 10 }, async (chunks) => {
      await chunks[Symbol.asyncIterator]().next();
      await new Promise((_, reject) => (fail = reject));
    });
    const sent = upload.take({ bytes: endless(), leave: () => undefined });
    await eventually(async () => upload.taken === 1);
    const paused = upload.pause();
    fail(new Error('the disk is full'));
    await expect(sent).rejects.toThrow('the disk is full');
    await paused;
    expect(clock.timers).toBe(0);
  });

  it('[BL15] has no timer once its store has failed between two parts', async () => {
    const { clock, links } = await blobAddress();
    const upload = links.parts.begin({ id: 'one', size: 10 }, () => Promise.reject(new Error('the disk is full')));
    await expect(upload.stored).rejects.toThrow('the disk is full');
    expect(clock.timers).toBe(0);
  });
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array(1);
}
