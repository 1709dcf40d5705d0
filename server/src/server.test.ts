import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Connection, PeerSocket, RoomId } from '@weft/core';
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

describe.each(['uws', 'ws', 'auto'] as const)('startServer with transport %s', (transport) => {
  it('puts the engine on the address that it reports', async () => {
    const lines: string[] = [];
    const server = await start({ transport, log: (line) => lines.push(line) });
    expect(server.transport).toBe(transport === 'auto' ? 'uws' : transport);
    expect(server.address.port).toBeGreaterThan(0);
    expect(server.url).toBe(`ws://127.0.0.1:${server.address.port}/ws/<room>`);
    expect(server.metricsUrl).toBeUndefined();
    expect(await talk(server.url.replace('<room>', 'a~b'))).toBe('a~b: hello');
    expect(lines).toEqual([]);
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

  it('refuses bad addresses before it opens anything', async () => {
    await expect(start({ transport, listen: 'nowhere' })).rejects.toThrow("bad address 'nowhere': no port");
    const metrics = createMetrics();
    await expect(start({ transport, metrics, metricsAddr: ':9100' })).rejects.toThrow("bad address ':9100': no host");
    await expect(start({ transport, metricsAddr: '127.0.0.1:0' })).rejects.toThrow('metricsAddr needs metrics');
  });
});
