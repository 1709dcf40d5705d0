import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Connection, type PeerSocket, type RoomId, parseBlobHash, parseRoomId } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { defaultTransport, hasUws, transportNames } from '../../test/support/transport-names.js';
import { createBlobLinks } from './blobs/links.js';
import { createMetrics } from './metrics.js';
import { startServer, type RunningServer, type ServerOptions } from './server.js';

/** The smallest engine: it names the room and echoes. */
const host = {
  connect(roomId: RoomId, socket: PeerSocket): Connection {
    return {
      receive: (frame) => void socket.send(`${roomId}: ${frame.toString()}`),
      drained: () => undefined,
      progressed: () => undefined,
      closed: () => undefined,
    };
  },
};

let running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running) await server.close();
  running = [];
});

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer({ host, listen: '127.0.0.1:0', ...options });
  running.push(server);
  return server;
}

async function talk(url: string): Promise<string> {
  const client = new WebSocket(url);
  await once(client, 'open');
  client.send('hello');
  const [reply] = (await once(client, 'message')) as [Buffer];
  client.terminate();
  return reply.toString();
}

async function takenPort(): Promise<{ port: number; release: () => Promise<void> }> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const release = (): Promise<void> => new Promise((resolve) => holder.close(() => resolve()));
  return { port: (holder.address() as AddressInfo).port, release };
}

describe.each([...transportNames, 'auto' as const])('startServer with transport %s', (transport) => {
  it('gives the names under which it is dialled, IPv6 addresses in brackets', async () => {
    let names: readonly string[] = [];
    const naming: ServerOptions['host'] = {
      connect(roomId, socket, audiences = []) {
        names = audiences;
        return host.connect(roomId, socket);
      },
    };
    const given = ['Weft.Example', 'a.example:443', '::1', '[::2]', '[::3]:80'];
    const told = ['weft.example:PORT', 'a.example:443', '[::1]:PORT', '[::2]:PORT', '[::3]:80'];
    for (const [publicHosts, expected] of [
      [undefined, ['127.0.0.1:PORT', 'localhost:PORT']],
      [given, told],
    ] as const) {
      const server = await start({ host: naming, transport, ...(publicHosts ? { publicHosts } : {}) });
      await talk(server.url.replace('<room>', 'room'));
      expect(names).toEqual(expected.map((name) => name.replace('PORT', String(server.address.port))));
    }
  });

  it('puts the engine on the address that it reports', async () => {
    const lines: string[] = [];
    const server = await start({ transport, log: ({ message }) => lines.push(message) });
    expect(server.transport).toBe(transport === 'auto' ? defaultTransport : transport);
    expect(server.address.port).toBeGreaterThan(0);
    expect(server.url).toBe(`ws://127.0.0.1:${server.address.port}/ws/<room>`);
    expect(server.metricsUrl).toBeUndefined();
    expect(await talk(server.url.replace('<room>', 'a~b'))).toBe('a~b: hello');
    expect(lines).toEqual(transport === 'auto' && !hasUws ? [expect.stringContaining('the slower ws transport')] : []);
  });

  it('listens on IPv6', async () => {
    const server = await start({ transport, listen: '[::1]:0' });
    expect(server.url).toBe(`ws://[::1]:${server.address.port}/ws/<room>`);
    expect(await talk(server.url.replace('<room>', 'six'))).toBe('six: hello');
  });

  it('serves metrics on their own address only', async () => {
    const metrics = createMetrics();
    metrics.telemetry.record('rooms', 4);
    const server = await start({ transport, metrics, metricsAddr: '127.0.0.1:0' });
    const scrape = await fetch(server.metricsUrl ?? '');
    expect(scrape.status).toBe(200);
    expect(scrape.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await scrape.text()).toContain('weft_rooms 4\n');
    expect((await fetch(`http://127.0.0.1:${server.address.port}/metrics`)).status).toBe(404);
  });

  it('answers nothing but GET /metrics on the metrics address', async () => {
    const server = await start({ transport, metrics: createMetrics(), metricsAddr: '127.0.0.1:0' });
    const url = server.metricsUrl ?? '';
    expect((await fetch(`${url}?x=1`)).status).toBe(200);
    for (const path of ['/', '/ws/room', '/metrics/', '/healthz']) {
      expect((await fetch(new URL(path, url))).status).toBe(404);
    }
    for (const method of ['POST', 'HEAD', 'DELETE']) {
      const refused = await fetch(url, { method });
      expect(refused.status).toBe(405);
      expect(refused.headers.get('allow')).toBe('GET');
    }
  });

  it('releases both addresses on close, which may be called again', async () => {
    const server = await start({ transport, metrics: createMetrics(), metricsAddr: '127.0.0.1:0' });
    const listen = `127.0.0.1:${server.address.port}`;
    const metricsAddr = new URL(server.metricsUrl ?? '').host;
    await fetch(server.metricsUrl ?? '');
    const client = new WebSocket(server.url.replace('<room>', 'room'));
    await once(client, 'open');
    const closed = once(client, 'close');
    await server.close();
    await server.close();
    expect((await closed)[0]).toBe(1001);
    const again = await start({ transport, listen, metrics: createMetrics(), metricsAddr });
    expect(await talk(again.url.replace('<room>', 'room'))).toBe('room: hello');
  });

  it('leaves nothing open when the metrics address is taken', async () => {
    const [peers, scrapes] = [await takenPort(), await takenPort()];
    await peers.release();
    const listen = `127.0.0.1:${peers.port}`;
    const metrics = createMetrics();
    await expect(start({ transport, listen, metrics, metricsAddr: `127.0.0.1:${scrapes.port}` })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${scrapes.port}: address already in use; choose another with --metrics-addr`,
    );
    await scrapes.release();
    expect((await start({ transport, listen })).address.port).toBe(peers.port);
  });

  it('moves blobs on their own address, which goes with the server', async () => {
    const store = memoryStore();
    const blobLinks = createBlobLinks({ store });
    const server = await start({ transport, blobLinks, blobListen: '127.0.0.1:0' });
    const room = parseRoomId('room');
    const hash = parseBlobHash('ab'.repeat(32));
    if (!room || !hash) throw new Error('bad names');
    const { url } = await blobLinks.forGet(room, hash);
    expect(url.startsWith(`${server.blobUrl}/blobs/room/`)).toBe(true);
    expect((await fetch(url)).status).toBe(404);
    const { pathname } = new URL(url);
    expect((await fetch(`http://127.0.0.1:${server.address.port}${pathname}`)).status).toBe(404);
    await server.close();
    await expect(fetch(url)).rejects.toThrow();
    await expect(blobLinks.forGet(room, hash)).rejects.toThrow('no blob listener is running');
  });

  it('leaves nothing open when the blob address is taken, or its store is not there', async () => {
    const [peers, blobs] = [await takenPort(), await takenPort()];
    await peers.release();
    const listen = `127.0.0.1:${peers.port}`;
    const blobLinks = createBlobLinks({ store: memoryStore() });
    await expect(start({ transport, listen, blobLinks, blobListen: `127.0.0.1:${blobs.port}` })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${blobs.port}: address already in use; choose another with --blob-addr`,
    );
    await blobs.release();
    const unread = { ...memoryStore(), authoritySeed: () => Promise.reject(new Error('the key is damaged')) };
    const blobListen = `127.0.0.1:${blobs.port}`;
    await expect(
      start({ transport, listen, blobLinks: createBlobLinks({ store: unread }), blobListen }),
    ).rejects.toThrow('the key is damaged');
    expect((await start({ transport, listen, blobLinks, blobListen })).address.port).toBe(peers.port);
  });

  it('says how links are reached, and refuses to give out what nobody can reach', async () => {
    const blobLinks = createBlobLinks({ store: memoryStore() });
    const at = (blobListen: string, blobUrl?: string): Promise<RunningServer> =>
      start({ transport, blobLinks, blobListen, ...(blobUrl === undefined ? {} : { blobUrl }) });
    expect((await at('0.0.0.0:0', 'https://blobs.example/of/ours/')).blobUrl).toBe('https://blobs.example/of/ours');
    for (const every of ['0.0.0.0:0', '[::]:0']) await expect(at(every)).rejects.toThrow('say with --blob-url');
    for (const url of [
      'blobs.example',
      'ftp://blobs.example',
      'https://x/?a=b',
      'https://x/#a',
      'https://u:p@x/',
      '',
    ]) {
      await expect(at('127.0.0.1:0', url)).rejects.toThrow(`bad blob URL '${url}'`);
    }
    await expect(start({ transport, blobUrl: 'https://x' })).rejects.toThrow('give --blob-addr too');
    await expect(start({ transport, blobListen: '127.0.0.1:0' })).rejects.toThrow('blobListen needs blobLinks');
  });

  it('refuses bad addresses before it opens anything', async () => {
    await expect(start({ transport, listen: 'nowhere' })).rejects.toThrow("bad address 'nowhere': no port");
    const metrics = createMetrics();
    await expect(start({ transport, metrics, metricsAddr: ':9100' })).rejects.toThrow("bad address ':9100': no host");
    await expect(start({ transport, metricsAddr: '127.0.0.1:0' })).rejects.toThrow('metricsAddr needs metrics');
  });
});
