import { once } from 'node:events';
import { createHost, type EntryRequest } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { transportNames } from '../../../test/support/transport-names.js';
import { startServer } from '../server.js';
import { Proxies, cameBy, networkOf, plainAddress, throughProxies } from './entry-request.js';

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

  it.each([
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', 'made up, 198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', 'nonsense', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2', '10.0.0.1'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ])('[LM10] from %s that say they are forwarded for %j are of %s', (address, forwarded, caller) => {
    const request = cameBy(address, [['X-Forwarded-For', forwarded]]);
    expect(throughProxies(request, new Proxies(['10.0.0.1', '10.0.0.2'])).address).toBe(caller);
  });

  it.each([
    ['10.42.7.1', '203.0.113.9', '203.0.113.9'],
    ['10.42.255.255', '203.0.113.9, 10.42.0.3', '203.0.113.9'],
    ['::ffff:10.42.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.43.0.1', '203.0.113.9', '10.43.0.1'],
    ['fd00::7', '2001:db8::1, fd00::8', '2001:db8::1'],
    ['fd01::7', '2001:db8::1', 'fd01::7'],
  ])('[LM10] from %s, of a network of proxies or not, forwarded for %j are of %s', (address, forwarded, caller) => {
    const request = cameBy(address, [['X-Forwarded-For', forwarded]]);
    expect(throughProxies(request, new Proxies(['10.42.0.0/16', 'fd00::/64'])).address).toBe(caller);
  });

  it.each(['', '10.0.0', '10.0.0.0/33', '10.0.0.0/0', 'fd00::/129', 'fd00::/0', 'proxy', '10.0.0.0/8/8', '10.0.0.0/'])(
    '[LM10] take %j for no network of proxies',
    (text) => {
      expect(networkOf(text)).toBeUndefined();
    },
  );

  it.each(transportNames)(
    '[LM10] count for their caller over %s, also where a proxy brings them',
    async (transport) => {
      const host = createHost({ store: memoryStore(), limits: { addressConnections: 1 } });
      const trustProxies = ['127.0.0.1'];
      const server = await startServer({ host, listen: '127.0.0.1:0', transport, trustProxies });
      onTestFinished(async () => {
        await server.close();
        await host.close();
      });
      const dial = async (caller: string): Promise<string> => {
        const headers = { 'x-forwarded-for': caller };
        const socket = new WebSocket(server.url.replace('<room>', 'room'), { headers });
        onTestFinished(() => socket.terminate());
        const said = once(socket, 'message'); // who is refused is told so as soon as it is there
        await once(socket, 'open');
        socket.send('{"type":"hello"}');
        const [first] = (await said) as [Buffer];
        return String((JSON.parse(String(first)) as { type: string; code?: string }).code ?? 'welcome');
      };
      expect(await dial('203.0.113.1')).toBe('welcome');
      expect(await dial('203.0.113.2')).toBe('welcome');
      expect(await dial('203.0.113.1')).toBe('too-many-connections');
    },
  );

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
