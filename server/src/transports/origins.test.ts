/** Web pages of other sites, refused at the upgrade. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { transportNames } from '../../../test/support/transport-names.js';
import { type ServerOptions, startServer } from '../server.js';

async function serving(options: Partial<ServerOptions>): Promise<(headers: Record<string, string>) => Promise<string>> {
  const host = createHost({ store: memoryStore() });
  const server = await startServer({ host, listen: '127.0.0.1:0', ...options });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  return async (headers) => {
    const socket = new WebSocket(server.url.replace('<room>', 'room'), { headers });
    const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
      let body = '';
      for await (const chunk of response as IncomingMessage) body += String(chunk);
      return `${(response as IncomingMessage).statusCode} ${body.trim()}`;
    });
    const verdict = await Promise.race([once(socket, 'open').then(() => 'open'), refused]);
    socket.on('error', () => undefined).terminate();
    return verdict;
  };
}

const REFUSED = '403 this origin may not connect: the operator lets it in with --allow-origin';

describe.each(transportNames)('origins over %s', (transport) => {
  it('[OG1] are none, as of programs, or of a host that the server has', async () => {
    const dial = await serving({ transport });
    expect(await dial({})).toBe('open');
    for (const origin of [
      'http://127.0.0.1',
      'http://127.0.0.1:3000',
      'https://localhost:8443',
      'http://LOCALHOST',
      'http://[::1]:1',
    ])
      expect(await dial({ origin }), origin).toBe('open');
    for (const origin of [
      ...['https://evil.example', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example', 'null'],
      ...[
        'file://',
        'http://evil@127.0.0.1',
        'http://127.0.0.1/path',
        'http://2130706433',
        'ftp://localhost',
        '127.0.0.1',
        '*',
      ],
    ])
      expect(await dial({ origin }), origin).toBe(REFUSED);
    // A name that was bent to this address is in both headers, and is none of the server's.
    expect(await dial({ origin: 'http://evil.example', host: 'evil.example' })).toBe(REFUSED);
  });

  it('[OG1] are those that the operator names, beside its own', async () => {
    const dial = await serving({
      transport,
      publicHosts: ['rooms.example'],
      allowOrigins: ['https://app.example', 'http://dev.example:3000', 'null'],
    });
    for (const origin of [
      'https://rooms.example',
      'https://app.example',
      'https://APP.example',
      'http://dev.example:3000',
      'null',
    ])
      expect(await dial({ origin }), origin).toBe('open');
    for (const origin of [
      'http://app.example',
      'https://app.example:8443',
      'http://dev.example',
      'http://127.0.0.1',
      'https://a.app.example',
    ])
      expect(await dial({ origin }), origin).toBe(REFUSED);
    const open = await serving({ transport, allowOrigins: ['*'] });
    expect([await open({ origin: 'https://evil.example' }), await open({ origin: 'null' })]).toEqual(['open', 'open']);
  });
});
