/** The proxy, spoken to as programs do, over sockets of this machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect, createServer as createNetServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Addresses } from './addresses.js';
import { hostsNamed } from './allowed.js';
import { EgressProxy, type ProxyLimits } from './egress-proxy.js';
import type { Refused } from './way.js';

async function begun(limits: Partial<ProxyLimits> = {}) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      heard.push(`${request.method} ${request.headers.host} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
      response.end('x'.repeat(Number(request.headers['x-wanted'] ?? 1)));
    });
  });
  const raw = createNetServer((socket) => {
    socket.on('data', (bytes) => heard.push(`raw ${bytes.length}`));
    socket.on('error', () => undefined);
  });
  const [plain, secret] = [await at(server), await at(raw)];
  const addresses = new Addresses(() => Promise.resolve(['127.0.0.1']));
  const allowed = hostsNamed([`http://plain.test:${plain}`, `secret.test:${secret}`]);
  addresses.allow(allowed);
  const proxy = new EgressProxy(addresses, limits);
  onTestFinished(() => proxy.close());
  const refused: Refused[] = [];
  const { port } = await proxy.open(0, { allowed, onRefused: (one) => refused.push(one) });
  const open = async (): Promise<Socket> => {
    const socket = connect(port!, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  /** All that the proxy answers to some lines. */
  const said = async (lines: string): Promise<string> => {
    const socket = await open();
    let text = '';
    socket.on('data', (bytes) => (text += bytes.toString()));
    socket.write(lines.replaceAll('\n', '\r\n'));
    // What is cut off may also end with a reset.
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  };
  return { heard, plain, secret, refused, said, open, proxy };
}

async function at(server: ReturnType<typeof createNetServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Connection led to a server, after the proxy's answer. */
async function led(socket: Socket, target: string): Promise<Socket> {
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

describe('a request over http', () => {
  it('names the server that the list lets through, whatever its own headers say, and passes no header of the proxy on', async () => {
    const { said, plain, heard } = await begun();
    const head = 'Host: evil.test\nProxy-Authorization: Basic x\nConnection: close, X-Own\nX-Own: 1\nAccept: a\n\n';
    expect(await said(`GET http://plain.test:${plain}/a?b HTTP/1.1\n${head}`)).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nx$/,
    );
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatch(new RegExp(`^GET plain\\.test:${plain} /a\\?b `));
    expect(heard[0]).not.toMatch(/evil|proxy|x-own/i);
  });

  it('passes a body on as a body: it is no request to another host', async () => {
    const { said, plain, heard } = await begun();
    const inner = 'GET /inner HTTP/1.1\r\nHost: evil.test\r\n\r\n';
    const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    await said(
      `GET http://plain.test:${plain}/a HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\nConnection: close\n\n${chunk.replaceAll('\r\n', '\n')}`,
    );
    expect(heard).toHaveLength(1);
    expect(heard[0]).toContain('GET /inner');
  });

  it('also follows a CONNECT, and leads to that server alone', async () => {
    const { open, plain, heard, refused } = await begun();
    const socket = await led(await open(), `plain.test:${plain}`);
    socket.write('GET /b HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(heard[0]).toMatch(new RegExp(`^GET plain\\.test:${plain} /b `));
    expect(refused).toEqual([]);
  });

  it.each([
    ['GET https://plain.test/ HTTP/1.1\nHost: x\n\n', 400, /https goes through CONNECT/],
    ['GET /x HTTP/1.1\nHost: plain.test\n\n', 400, /takes a whole address/],
    ['GET http://x@plain.test/ HTTP/1.1\nHost: x\n\n', 400, /takes a whole address/],
    ['GET http://plain.test/ HTTP/1.1\nHost: x\n\n', 403, /plain\.test:80 is not among/],
    ['GET http://a.test/ HTTP/1.1\nHost: x\nUpgrade: websocket\nConnection: upgrade\n\n', 501, /upgrades/],
  ])('%j is refused with %i', async (lines, status, text) => {
    const answer = await (await begun()).said(lines);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} weft: `));
    expect(answer).toMatch(text);
  });

  it('is refused where the server is allowed over https alone', async () => {
    const { said, secret, heard, refused } = await begun();
    expect(await said(`GET http://secret.test:${secret}/ HTTP/1.1\nHost: x\n\n`)).toMatch(/403[^\n]*over https alone/);
    expect([heard, refused.map(({ target }) => target)]).toEqual([[], [`http://secret.test:${secret}`]]);
  });
});

describe('a tunnel', () => {
  const greeted = async (servername: string) => {
    const it = await begun();
    const socket = await led(await it.open(), `secret.test:${it.secret}`);
    const tls = connectTls({ socket, servername, rejectUnauthorized: false });
    tls.on('error', () => undefined);
    return { ...it, socket };
  };

  it('is for the server that its greeting names', async () => {
    const { heard } = await greeted('secret.test');
    await expect.poll(() => heard.length).toBe(1);
    expect(heard[0]).toMatch(/^raw \d{3,}/);
  });

  it('to another server at the same address sends not one byte, and is told', async () => {
    const { heard, socket, refused, secret } = await greeted('other.test');
    await once(socket, 'close');
    expect(heard).toEqual([]);
    expect(refused).toEqual([
      { target: `secret.test:${secret} as other.test`, why: 'what it sent there was meant for another server' },
    ]);
  });

  it.each(['SSH-2.0-x\r\n', 'GET / HTTP/1.1\r\nHost: evil\r\n\r\n', '\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00'])(
    'carries nothing else than TLS: %j',
    async (bytes) => {
      const { open, secret, heard } = await begun();
      const socket = await led(await open(), `secret.test:${secret}`);
      socket.write(Buffer.from(bytes, 'latin1'));
      await once(socket, 'close');
      expect(heard).toEqual([]);
    },
  );
});

describe('bounds', () => {
  it('of connections at once: one more is told, and others come in when one has ended', async () => {
    const { open, said, plain } = await begun({ ofOne: 2 });
    const [first] = [await open(), await open()];
    const line = `GET http://plain.test:${plain}/ HTTP/1.1\nHost: x\nConnection: close\n\n`;
    expect(await said(line)).toMatch(/^HTTP\/1\.1 503 /);
    first.destroy();
    await expect.poll(() => said(line)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of bytes: a program that has had all is cut off', async () => {
    const { said, plain, refused } = await begun({ received: 50_000 });
    const line = `GET http://plain.test:${plain}/ HTTP/1.1\nHost: x\nX-Wanted: 100000\nConnection: close\n\n`;
    await said(line);
    expect(refused.map(({ target }) => target)).toEqual(['more than it may']);
  });

  it('of what is told: twenty names, each once', async () => {
    const { said, refused } = await begun();
    for (let n = 0; n < 45; n++) await said(`CONNECT h${n % 30}.test:443 HTTP/1.1\nHost: x\n\n`);
    expect(refused).toHaveLength(20);
    expect(new Set(refused.map(({ target }) => target)).size).toBe(20);
  });

  it('of a head that never ends', async () => {
    const { said } = await begun();
    expect(await said(`GET http://a.test/ HTTP/1.1\nX: ${'x'.repeat(70_000)}\n\n`)).not.toMatch(/200/);
  });
});
