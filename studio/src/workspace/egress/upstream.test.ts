/** Proxy of the machine itself: what goes through it, and what it is told. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect, createServer as createNetServer } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Addresses } from './addresses.js';
import { hostsNamed } from './allowed.js';
import { EgressProxy } from './egress-proxy.js';
import { upstreamOf } from './upstream.js';

async function at(server: ReturnType<typeof createNetServer> | TlsServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Proxy of a company: it notes what it is asked, and answers tunnels with what it was sent. */
async function company(answer = 'HTTP/1.1 200 OK\r\nVia: c\r\n\r\n') {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    response.end('from the world');
  });
  server.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
    socket.on('error', () => undefined);
    // In two pieces, the second with what the server says first.
    socket.write(answer.slice(0, 9));
    setImmediate(() => socket.write(`${answer.slice(9)}hello `));
    socket.on('data', (bytes) => socket.end(`echo ${bytes.length}`));
  });
  return { asked, port: await at(server) };
}

async function proxied(environment: Record<string, string>, names: readonly string[]) {
  // No name is known on this side.
  const addresses = new Addresses(() => Promise.reject(new Error('unknown here')));
  const allowed = hostsNamed(names);
  addresses.allow(allowed);
  const proxy = new EgressProxy(addresses, {}, upstreamOf(environment));
  onTestFinished(() => proxy.close());
  const { port } = await proxy.open(0, { allowed, onRefused: () => undefined });
  const said = async (...pieces: readonly (string | Buffer)[]): Promise<string> => {
    const socket = connect(port!, '127.0.0.1');
    socket.on('error', () => undefined);
    let text = '';
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const piece of pieces) {
      socket.write(typeof piece === 'string' ? piece.replaceAll('\n', '\r\n') : piece);
      if (piece !== pieces.at(-1)) text += String((await once(socket, 'data'))[0]);
    }
    socket.on('data', (bytes) => (text += bytes.toString()));
    await closed;
    return text;
  };
  return { said };
}

/** Greeting of TLS for a name. */
function greeting(name: string): Buffer {
  const host = Buffer.from(name);
  const short = (value: number): number[] => [value >> 8, value & 255];
  const list = [0, ...short(host.length), ...host];
  const extension = [0, 0, ...short(list.length + 2), ...short(list.length), ...list];
  const hello = [3, 3, ...Buffer.alloc(32), 0, 0, 2, 0x13, 1, 1, 0, ...short(extension.length), ...extension];
  const handshake = [1, 0, ...short(hello.length), ...hello];
  return Buffer.from([22, 3, 1, ...short(handshake.length), ...handshake]);
}

describe('the proxy of this machine', () => {
  it('is asked for what lies beyond it, with a login that the program never sees, and looks names up itself', async () => {
    const { asked, port } = await company();
    const { said } = await proxied(
      { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${port}`, http_proxy: `127.0.0.1:${port}` },
      ['far.test', 'http://plain.test'],
    );
    const hello = greeting('far.test');
    const answer = await said('CONNECT far.test:443 HTTP/1.1\nHost: x\n\n', hello);
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\n/);
    expect(answer).toContain(`hello echo ${hello.length}`);
    expect(
      await said('GET http://plain.test/a?b HTTP/1.1\nProxy-Authorization: Basic own\nConnection: close\nHost: x\n\n'),
    ).toContain('from the world');
    const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(asked).toEqual([`CONNECT far.test:443 ${login}`, 'GET http://plain.test:80/a?b undefined']);
  });

  it('hears nothing of servers that are not on the list, nor of a greeting for another one', async () => {
    const { asked, port } = await company();
    const { said } = await proxied({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, ['far.test']);
    expect(await said('CONNECT evil.test:443 HTTP/1.1\nHost: x\n\n')).toMatch(/^HTTP\/1\.1 403/);
    expect(asked).toEqual([]);
    const answer = await said('CONNECT far.test:443 HTTP/1.1\nHost: x\n\n', greeting('evil.test'));
    expect(answer).not.toContain('echo');
  });

  it('that refuses is named, and its password is not', async () => {
    const { port } = await company('HTTP/1.1 407 Who are you\r\n\r\n');
    const { said } = await proxied({ HTTPS_PROXY: `http://me:secret@127.0.0.1:${port}` }, ['far.test']);
    const answer = await said('CONNECT far.test:443 HTTP/1.1\nHost: x\n\n');
    expect(answer).toMatch(
      /^HTTP\/1\.1 502 weft: the proxy of this machine \(127\.0\.0\.1:\d+\): far\.test:443 was not/,
    );
    expect(answer).toContain('it answered 407');
    expect(answer).not.toMatch(/secret|c2VjcmV0/);
  });

  it('that is not there is named', async () => {
    const { said } = await proxied({ HTTPS_PROXY: 'http://127.0.0.1:1' }, ['far.test']);
    expect(await said('CONNECT far.test:443 HTTP/1.1\nHost: x\n\n')).toContain('it could not be reached');
  });

  it('may fall silent: what waits for it is ended', async () => {
    const silent = await at(createNetServer((socket) => void socket.on('error', () => undefined).resume()));
    const addresses = new Addresses(() => Promise.resolve([]));
    const upstream = upstreamOf({ HTTPS_PROXY: `http://127.0.0.1:${silent}` });
    const proxy = new EgressProxy(addresses, { connectMs: 20 }, upstream);
    onTestFinished(() => proxy.close());
    const { port } = await proxy.open(0, { allowed: hostsNamed(['far.test']), onRefused: () => undefined });
    const socket = connect(port!, '127.0.0.1');
    socket.write('CONNECT far.test:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 502 .*did not answer in time/);
  });
});

describe('servers that are reached without it', () => {
  const via = upstreamOf({
    HTTPS_PROXY: 'https://proxy.corp',
    NO_PROXY: 'own.corp,.inside.corp, *.wild.corp 10.0.0.0/8,fd00::/8,ported.corp:8443',
  });
  it.each([
    ['far.test', 443, true],
    ['own.corp', 443, false],
    ['a.own.corp', 443, false],
    ['notown.corp', 443, true],
    ['a.inside.corp', 443, false],
    ['a.wild.corp', 443, false],
    ['10.1.2.3', 443, false],
    ['11.1.2.3', 443, true],
    ['fd00::1', 443, false],
    ['ported.corp', 8443, false],
    ['ported.corp', 443, true],
    ['localhost', 443, false],
    ['127.0.0.1', 443, false],
    ['::1', 443, false],
  ])('%s:%i', (host, port, isThrough) => {
    expect(via('https', { host, port }) !== undefined).toBe(isThrough);
    expect(via('http', { host, port })).toBeUndefined();
  });

  it('are all where NO_PROXY says so, and where none is named', () => {
    const target = { host: 'far.test', port: 443 };
    expect(upstreamOf({ HTTPS_PROXY: 'http://p', NO_PROXY: '*' })('https', target)).toBeUndefined();
    expect(upstreamOf({ HTTPS_PROXY: '' })('https', target)).toBeUndefined();
    expect(upstreamOf({ ALL_PROXY: 'http://p:1' })('https', target)).toMatchObject({ host: 'p', port: 1 });
  });

  it.each(['socks5://127.0.0.1:1080', 'http://', ':::'])('%s is no proxy, which is said at the start', (value) => {
    expect(() => upstreamOf({ HTTPS_PROXY: value })).toThrow(/^HTTPS_PROXY names no proxy that speaks http/);
  });
});
