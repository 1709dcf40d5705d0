/** The server with a certificate of its own: TLS on the addresses of peers and blobs, and nothing else there. */
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { type Connection, type PeerSocket, connectRoom, generateKeys } from '@weft/core';
import { type RunningServer, type ServerOptions, startServer } from '@weft/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transportNames } from '../support/transport-names.js';
import WebSocket from 'ws';
import { type Certificate, selfSigned } from '../support/servers/self-signed.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun } from '../support/programs/weft-run.js';

const MIB = 1024 * 1024;

/** Echo: answers each frame with itself; to `much` it sends until the socket says stop, and goes on when it drains. */
function echo(_room: string, socket: PeerSocket): Connection {
  let left = 0;
  const sendOn = (): void => {
    while (left > 0 && (left--, socket.send(Buffer.alloc(MIB, left))));
  };
  return {
    receive(frame) {
      if (frame === 'bye') return socket.close(4321, 'and good luck');
      if (frame !== 'much') return void socket.send(frame);
      left = 24;
      sendOn();
    },
    drained: sendOn,
    progressed: () => undefined,
    closed: () => undefined,
  };
}

async function start(options: Partial<ServerOptions>): Promise<RunningServer> {
  const server = await startServer({ host: { connect: echo }, listen: '127.0.0.1:0', ...options });
  onTestFinished(() => server.close());
  return server;
}

async function dial({ url }: RunningServer, { pem }: Certificate): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('<room>', 'room'), { ca: pem });
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

function statusOf(port: number, path: string, { pem }: Certificate): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions = { host: '127.0.0.1', port, path, ca: pem };
    request(options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

describe.each(transportNames)('TLS on %s', (transport) => {
  it('carries frames of every size both ways, close codes, and refusals of HTTP', async () => {
    const tls = selfSigned(await tempFolder());
    const server = await start({ transport, tls });
    expect(server.url).toBe(`wss://127.0.0.1:${server.address.port}/ws/<room>`);
    const socket = await dial(server, tls);
    for (const size of [0, 1, 125, 70_000, 3 * MIB]) {
      const sent = Buffer.alloc(size, size);
      socket.send(sent);
      const [back] = (await once(socket, 'message')) as [Buffer];
      expect(back.equals(sent)).toBe(true);
    }
    expect(await statusOf(server.address.port, '/elsewhere', tls)).toBe(404);
    expect(await statusOf(server.address.port, '/ws/room', tls)).toBe(426);
    socket.send('bye');
    const [code, reason]: unknown[] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4321, 'and good luck']);
  });

  it('goes on sending when a slow reader has taken what waited', async () => {
    const tls = selfSigned(await tempFolder());
    const socket = await dial(await start({ transport, tls }), tls);
    socket.pause();
    socket.send('much');
    // Long enough for more to wait than the system's buffers hold.
    await new Promise((resolve) => setTimeout(resolve, 100));
    let frames = 0;
    const all = new Promise<void>((resolve) => socket.on('message', () => ++frames === 24 && resolve()));
    socket.resume();
    await all;
  });

  it('is not spoken to without TLS, nor trusted without its certificate', async () => {
    const folder = await tempFolder();
    const tls = selfSigned(folder);
    const { url, address } = await start({ transport, tls });
    const plain = httpRequest({ host: '127.0.0.1', port: address.port, path: '/ws/room' });
    plain.end();
    const [refused]: unknown[] = await once(plain, 'error');
    expect(refused).toMatchObject({ code: 'ECONNRESET' });
    const stranger = new WebSocket(url.replace('<room>', 'room'), { ca: selfSigned(folder, 'other').pem });
    expect(String((await once(stranger, 'error'))[0])).toMatch(/self.signed|unable to verify/i);
  });

  it('tells peers to go when the server stops', async () => {
    const tls = selfSigned(await tempFolder());
    const server = await start({ transport, tls });
    const socket = await dial(server, tls);
    const closed = once(socket, 'close');
    await server.close();
    const [code]: unknown[] = await closed;
    expect(code).toBe(1001);
  });

  it('shows a certificate that was renewed to whoever connects then, keeps who is here, and keeps the old for half a one', async () => {
    const folder = await tempFolder();
    const tls = selfSigned(folder);
    const said: string[] = [];
    const log: ServerOptions['log'] = ({ message }) => void said.push(message);
    const server = await start({ transport, tls, tlsLookMs: 20, log });
    const before = await dial(server, tls);
    await cp(selfSigned(folder, 'next').cert, tls.cert);
    await expect.poll(() => said).toContain('the certificate could not be renewed');
    await dial(server, tls);
    await cp(join(folder, 'next.key'), tls.key);
    await expect.poll(() => said).toContain('the certificate was renewed');
    const renewed = { ...tls, pem: await readFile(tls.cert, 'utf8') };
    const after = await dial(server, renewed);
    for (const socket of [before, after]) {
      socket.send('still');
      expect(String((await once(socket, 'message'))[0])).toBe('still');
    }
    const stranger = new WebSocket(server.url.replace('<room>', 'room'), { ca: tls.pem });
    expect(String((await once(stranger, 'error'))[0])).toMatch(/self.signed|unable to verify/i);
    expect(await statusOf(server.address.port, '/elsewhere', renewed)).toBe(404);
    const ends = [before, after].map((socket) => once(socket, 'close'));
    await server.close();
    expect((await Promise.all(ends)).map(([code]: unknown[]) => code)).toEqual([1001, 1001]);
  });

  it('refuses files that are no certificate and key, by their names', async () => {
    const folder = await tempFolder();
    const tls = selfSigned(folder);
    await expect(start({ transport, tls: { ...tls, cert: '/nowhere.crt' } })).rejects.toThrow(
      /^--tls-cert: cannot read \/nowhere.crt/,
    );
    await expect(start({ transport, tls: { ...tls, key: selfSigned(folder, 'other').key } })).rejects.toThrow(
      /other\.key are not a certificate and its key/,
    );
    const nonsense = join(folder, 'nonsense');
    await writeFile(nonsense, 'nonsense');
    await expect(start({ transport, tls: { ...tls, cert: nonsense } })).rejects.toThrow(/nonsense and .* are not/);
  });

  it('is what weft serve speaks to rooms and blobs when it is given a certificate', async () => {
    const folder = await tempFolder();
    const { cert, key, pem } = selfSigned(folder);
    const files = ['--tls-cert', cert, '--tls-key', key];
    const address = ['--listen', '127.0.0.1:0', '--blob-addr', '127.0.0.1:0', '--transport', transport];
    const weft = new WeftRun(['serve', '--store', join(folder, 'data'), ...address, ...files]);
    const [, url = ''] = await weft.line(/^(wss:\/\/127\.0\.0\.1:\d+\/ws\/)<room>$/);
    const socket = new WebSocket(`${url}lobby`, { ca: pem });
    const client = await connectRoom({ socket, keys: generateKeys() });
    client.replica.set('greeting', 'hello');
    await client.push();
    client.close();
    expect(await weft.stop()).toBe(0);
    const [, blobPort] = await weft.line(/^blobs: https:\/\/127\.0\.0\.1:(\d+)$/);
    expect(Number(blobPort)).toBeGreaterThan(0);
    const half = new WeftRun(['serve', '--store', 'memory', '--tls-cert', cert]);
    expect(await half.ended).toBe(2);
    expect(half.err[0]).toMatch(/tls-cert and tls-key go together/);
  });
});
