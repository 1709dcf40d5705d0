import { once } from 'node:events';
import { createHost, type EntryRequest } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { transportNames } from '../../../test/support/transport-names.js';
import { startServer } from '../server.js';
import { cameBy, plainAddress } from './entry-request.js';

describe('entry requests', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['0000:0000:0000:0000:0000:ffff:0a00:0001', '10.0.0.1'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '::1'],
    ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('write %s as %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain);
  });

  it('join what came several times', () => {
    const headers = [
      ['Cookie', 'a=1'],
      ['X-Other', '1'],
      ['cookie', 'b=2'],
      ['x-other', '2'],
    ] as const;
    expect(cameBy('::1', headers)).toEqual({ address: '::1', headers: { cookie: 'a=1; b=2', 'x-other': '1, 2' } });
  });

  it.each(transportNames)('[AU10] reach the hook over %s: address, headers and room', async (transport) => {
    const heard: EntryRequest[] = [];
    const host = createHost({
      store: memoryStore(),
      entry: { authenticate: (request) => (heard.push(request), { deny: 'not you' }) },
    });
    const server = await startServer({ host, listen: '127.0.0.1:0', transport });
    onTestFinished(async () => {
      await server.close();
      await host.close();
    });
    const headers = { cookie: 'session=abc', 'x-forwarded-for': '203.0.113.9' };
    const socket = new WebSocket(server.url.replace('<room>', 'room'), { headers });
    await once(socket, 'open');
    socket.send('{"type":"hello"}');
    await once(socket, 'close');
    expect(heard).toEqual([{ room: 'room', address: '127.0.0.1', headers: expect.objectContaining(headers) }]);
  });
});
