import { request, type IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { RoomId } from '@weft/core';
import type { Transport } from './transport.js';
import { transportsHere } from '../testing/transports-here.js';

let cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups) await cleanup();
  cleanups = [];
});

async function openRoom(transport: Transport): Promise<{ port: number; joined: RoomId[] }> {
  const joined: RoomId[] = [];
  const listening = await transport.listen({
    host: '127.0.0.1',
    port: 0,
    frameBytes: 1024,
    accept: (roomId) => {
      joined.push(roomId);
      return {
        receive: () => undefined,
        drained: () => undefined,
        progressed: () => undefined,
        closed: () => undefined,
      };
    },
  });
  cleanups.push(() => listening.close());
  return { port: listening.port, joined };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** One HTTP request with the path exactly as written, which a URL parser would tidy up. */
function ask(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  sentBody = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, body: '' });
    });
    sent.on('error', reject);
    sent.end(sentBody);
  });
}

describe.each(transportsHere.map((transport) => ({ name: transport.name, transport })))('requests to $name', (row) => {
  const { transport } = row;

  it.each(['a', 'a~b.c-_', '...', '..a', 'x'.repeat(128)])('upgrades for the room id %s', async (id) => {
    const room = await openRoom(transport);
    expect((await ask(room.port, 'GET', `/ws/${id}`, UPGRADE)).status).toBe(101);
    expect(room.joined).toEqual([id]);
  });

  it('decodes the room id once and ignores the query', async () => {
    const room = await openRoom(transport);
    expect((await ask(room.port, 'GET', '/ws/%61%7Eb?room=other', UPGRADE)).status).toBe(101);
    expect(room.joined).toEqual(['a~b']);
  });

  it.each(['', '.', '..', '%2e%2e', '%2F', 'a%2Fb', 'a%20b', '%zz', '%', '%ff', '%2561', 'a:b', 'x'.repeat(129)])(
    'refuses the room id "%s" with 400',
    async (segment) => {
      const room = await openRoom(transport);
      const upgrade = await ask(room.port, 'GET', `/ws/${segment}`, UPGRADE);
      expect(upgrade.status).toBe(400);
      expect(upgrade.body).toContain('bad room id');
      expect((await ask(room.port, 'GET', `/ws/${segment}`)).status).toBe(400);
      expect(room.joined).toEqual([]);
    },
  );

  it.each(['/', '/ws', '/ws/a/b', '/ws/a/', '//ws/a', '/WS/a', '/metrics', '/health'])(
    'answers %s with 404, upgrade or not',
    async (path) => {
      const room = await openRoom(transport);
      expect((await ask(room.port, 'GET', path)).status).toBe(404);
      expect((await ask(room.port, 'GET', path, UPGRADE)).status).toBe(404);
      expect(room.joined).toEqual([]);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])('answers %s /ws/room with 404', async (method) => {
    const room = await openRoom(transport);
    expect((await ask(room.port, method, '/ws/room')).status).toBe(404);
    expect((await ask(room.port, method, '/ws/room', UPGRADE)).status).toBe(404);
    expect(room.joined).toEqual([]);
  });

  it('answers 404 to a request with a body, which it does not read', async () => {
    const room = await openRoom(transport);
    expect((await ask(room.port, 'POST', '/ws/room', {}, '{"a":1}')).status).toBe(404);
    expect((await ask(room.port, 'PUT', '/', {}, 'x'.repeat(10_000))).status).toBe(404);
  });

  it.each([
    ['no upgrade at all', {}],
    ['another protocol', { ...UPGRADE, Upgrade: 'h2c' }],
    ['no Connection: Upgrade', { ...UPGRADE, Connection: 'keep-alive' }],
    ['an old version', { ...UPGRADE, 'Sec-WebSocket-Version': '8' }],
    ['a key that is not 16 bytes', { ...UPGRADE, 'Sec-WebSocket-Key': 'AAAA' }],
    ['a key that is not base64', { ...UPGRADE, 'Sec-WebSocket-Key': '!'.repeat(24) }],
  ])('answers GET /ws/room with 426 when it has %s', async (_, headers) => {
    const room = await openRoom(transport);
    const answer = await ask(room.port, 'GET', '/ws/room', headers);
    expect(answer.status).toBe(426);
    expect(answer.headers.upgrade).toBe('websocket');
    expect(answer.headers['sec-websocket-version']).toBe('13');
    expect(room.joined).toEqual([]);
  });

  it('takes headers up to 16 KiB and answers 431 above', async () => {
    const room = await openRoom(transport);
    expect((await ask(room.port, 'GET', '/ws/room', { ...UPGRADE, cookie: 'x'.repeat(12_000) })).status).toBe(101);
    expect((await ask(room.port, 'GET', '/ws/room', { ...UPGRADE, cookie: 'x'.repeat(20_000) })).status).toBe(431);
  });

  it('negotiates no compression, and the first subprotocol that a client offers [fault 6]', async () => {
    const room = await openRoom(transport);
    const answer = await ask(room.port, 'GET', '/ws/room', {
      ...UPGRADE,
      'Sec-WebSocket-Protocol': 'first, second',
      'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits',
    });
    expect(answer.status).toBe(101);
    expect(answer.headers['sec-websocket-extensions']).toBeUndefined();
    expect(answer.headers['sec-websocket-protocol']).toBe('first');
  });
});
