import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { operationTable } from '../operations/table.js';
import { openTestLedger } from '../testing/record/test-ledger.js';
import { startTestStudio, testTokens } from '../testing/test-studio.js';
import { createFront } from './front.js';
import { TokenBook } from './entry/token-book.js';
import { REST_BODY, TOOL_BODY } from './entry/body.js';
import { createGuard } from './entry/guard.js';
import { testShared } from '../testing/record/test-shared.js';
import { NOTICE_BYTES } from './webhooks/forge-hooks.js';

const LIST = '/studio/repositories';
const refused = (status: number, code: string) => ({ status, json: { code, requestId: expect.any(String) as string } });

describe('what every request passes', () => {
  it('lets a token of each scope in, and admin and operate do what read may', async () => {
    const studio = await startTestStudio();
    for (const as of ['read', 'operate', 'admin'] as const) {
      expect(await studio.call('GET', LIST, { as })).toMatchObject({ status: 200, json: [] });
    }
  });

  it('answers 401 without a token, with a wrong one, and with another scheme', async () => {
    const studio = await startTestStudio();
    const wrong = [
      {},
      { authorization: 'Bearer nope' },
      { authorization: `Basic ${testTokens.admin}` },
      { authorization: 'Bearer' },
    ];
    for (const headers of wrong) {
      const answer = await studio.call('GET', LIST, { as: undefined, headers });
      expect(answer).toMatchObject(refused(401, 'reject.unauthenticated'));
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  it('needs a token for all but what is the same for everybody, and what carries a proof of its own', async () => {
    const studio = await startTestStudio();
    const routes = operationTable.flatMap(({ rest }) => (rest ? [[rest.method, rest.path] as const] : []));
    const others = [
      ...['/mcp', '/mcp/internal', '/mcp/agent', '/v1/rooms', '/studio/codes'].map((path) => ['POST', path] as const),
      ...[['GET', '/mcp'] as const, ['DELETE', '/mcp'] as const, ['GET', '/v1/rooms'] as const],
      ['DELETE', '/studio/page'] as const,
      ['GET', '/studio/none'] as const,
    ];
    expect(routes.length).toBeGreaterThan(100);
    const statusOf = async (method: string, path: string): Promise<number> => {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      return (await studio.call(method, path.replaceAll(/\{\w+\}/g, 'x'), { as: undefined, ...body })).status;
    };
    for (const [method, path] of [...routes, ...others])
      expect(await statusOf(method, path), `${method} ${path}`).toBe(401);
    for (const path of ['/', '/studio', '/studio/health', '/studio/docs', '/studio/openapi.json'])
      expect(await statusOf('GET', path), path).toBe(200);
    // A signature that is wrong, and a code that nobody has.
    expect(await studio.call('POST', '/studio/hooks/x', { as: undefined, body: {} })).toMatchObject(
      refused(401, 'reject.hook_signature'),
    );
    expect(await statusOf('POST', `/studio/codes/${'0'.repeat(32)}`)).toBe(401);
  });

  it('reads no more of a notice that nobody has signed than it may have', async () => {
    const studio = await startTestStudio();
    const answer = await studio.call('POST', '/studio/hooks/x', { as: undefined, body: 'x'.repeat(NOTICE_BYTES + 1) });
    expect(answer).toMatchObject(refused(413, 'reject.body_too_large'));
  });

  it('answers 403 when the scope does not reach', async () => {
    const studio = await startTestStudio();
    const answer = await studio.call('POST', LIST, { as: 'read', body: { path: '/x' } });
    expect(answer).toMatchObject(refused(403, 'reject.scope_missing'));
    expect(answer.json).toMatchObject({ details: { needed: 'operate', held: 'read' } });
    for (const as of ['read', 'operate'] as const) {
      expect(await studio.call('POST', '/mcp/internal', { as, body: {} })).toMatchObject(
        refused(403, 'reject.scope_missing'),
      );
    }
  });

  it.each([
    ...['evil.example', 'evil.example:7880', '127.0.0.1.evil.example', '[::2]'].map((host) => ['host', host] as const),
    ...['https://evil.example', 'null', 'http://localhost.evil.example'].map((page) => ['origin', page] as const),
  ])('answers 403 to a request of %s %s, whoever sends it', async (name, value) => {
    const studio = await startTestStudio();
    for (const path of [LIST, '/studio', '/mcp']) {
      const answer = await studio.call('GET', path, { as: 'admin', headers: { [name]: value } });
      expect(answer).toMatchObject(refused(403, `reject.${name}_not_allowed`));
    }
  });

  it('answers 400 in the usual envelope to a host that is no host', async () => {
    const studio = await startTestStudio();
    for (const host of ['localhost@evil.example', 'a b', 'localhost:port']) {
      const answer = await studio.call('GET', LIST, { as: 'admin', headers: { host } });
      expect(answer, host).toMatchObject(refused(400, 'reject.invalid_input'));
    }
  });

  it('lets its own pages in and grants nothing to others', async () => {
    const studio = await startTestStudio();
    const own = await studio.call('GET', LIST, { headers: { origin: studio.origin } });
    expect(own.status).toBe(200);
    const preflight = await studio.call('OPTIONS', LIST, { as: undefined, headers: { origin: studio.origin } });
    for (const answer of [own, preflight]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx', ''])(
    'answers 415 to a body of type "%s"',
    async (type) => {
      const studio = await startTestStudio();
      for (const path of [LIST, '/mcp']) {
        const answer = await studio.call('POST', path, { body: '{"path":"/x"}', headers: { 'content-type': type } });
        expect(answer).toMatchObject(refused(415, 'reject.not_json'));
      }
    },
  );

  it('takes application/json with parameters', async () => {
    const studio = await startTestStudio();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await studio.call('POST', LIST, { body: '{}', headers })).toMatchObject(
      refused(400, 'reject.invalid_input'),
    );
  });

  it.each(['{', 'nonsense', '"text"', '[]'])('answers 400 to the body %s', async (body) => {
    const studio = await startTestStudio();
    expect(await studio.call('POST', LIST, { body })).toMatchObject(refused(400, 'reject.invalid_input'));
  });

  it('answers 400 to a body that is not UTF-8', async () => {
    const studio = await startTestStudio();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${testTokens.operate}`, 'content-type': 'application/json' };
      const outgoing = request(
        { port: studio.port, host: '127.0.0.1', path: LIST, method: 'POST', headers },
        (incoming) => {
          incoming.resume();
          resolve(incoming.statusCode);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(Buffer.from('{"path":"\xff"}', 'latin1'));
    });
    expect(status).toBe(400);
  });

  it('answers 413 to a body announced as too large, without reading it', async () => {
    const studio = await startTestStudio();
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(studio.port, '127.0.0.1');
      socket.on('error', reject);
      socket.once('data', (bytes) => {
        socket.destroy();
        resolve(bytes.toString('utf8'));
      });
      socket.write(
        `POST ${LIST} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${testTokens.operate}\r\n` +
          `content-type: application/json\r\ncontent-length: ${REST_BODY.bytes + 1}\r\n\r\n`,
      );
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('reject.body_too_large');
  });

  it('answers 413 to a body that turns out too large, and takes one of exactly the bound', async () => {
    const studio = await startTestStudio();
    const send = (size: number) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${testTokens.operate}`, 'content-type': 'application/json' };
        const outgoing = request(
          { port: studio.port, host: '127.0.0.1', path: LIST, method: 'POST', headers },
          (incoming) => {
            incoming.resume();
            resolve(incoming.statusCode);
          },
        );
        // The server may hang up while we still write; the answer has come by then or the test fails on its absence.
        outgoing.on('error', (error) => setImmediate(reject, error));
        // No content-length: written in pieces, it goes out chunked.
        outgoing.write('{"path":"');
        outgoing.write('x'.repeat(size - '{"path":""}'.length));
        outgoing.end('"}');
      });
    expect(await send(REST_BODY.bytes)).toBe(400);
    expect(await send(REST_BODY.bytes + 1)).toBe(413);
  });

  it('answers 413 to a body of very many values, and a tool is called with fewer than a route', async () => {
    const studio = await startTestStudio();
    const headers = { accept: 'application/json, text/event-stream' };
    for (const [path, { bytes, values }] of [
      [LIST, REST_BODY],
      ['/mcp', TOOL_BODY],
    ] as const) {
      const many = await studio.call('POST', path, { body: `[${'0,'.repeat(values)}0]`, headers });
      expect(many, path).toMatchObject({ status: 413, json: { details: { mostValues: values } } });
      const large = await studio.call('POST', path, { body: JSON.stringify('x'.repeat(bytes)), headers });
      expect(large, path).toMatchObject({ status: 413, json: { details: { most: bytes } } });
    }
    const noJson = await studio.call('POST', '/mcp', { body: '{', headers });
    expect(noJson).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: { code: -32700 } } });
  });

  it('answers 404 to what no operation answers', async () => {
    const studio = await startTestStudio();
    for (const [method, path] of [
      ['POST', '/'],
      ['GET', '/studio/nothing'],
      ['DELETE', LIST],
      ['PATCH', LIST],
    ] as const) {
      expect(await studio.call(method, path)).toMatchObject(refused(404, 'reject.route_not_found'));
    }
  });

  it('gives every answer the id that its error carries', async () => {
    const studio = await startTestStudio();
    const [ok, error] = [await studio.call('GET', LIST), await studio.call('GET', '/studio/nothing')];
    expect(ok.headers['x-request-id']).toMatch(/^req-[0-9a-f]{16}$/);
    expect(error.json).toMatchObject({ requestId: error.headers['x-request-id'] });
    expect(error.headers['x-request-id']).not.toBe(ok.headers['x-request-id']);
  });
});

describe('a front that drains', () => {
  it('answers 503 to everyone, and says that a later call may succeed', async () => {
    const opened = await openTestLedger();
    const shared = await testShared(opened);
    const book = new TokenBook(testTokens, opened.records.tokens, () => '2024-05-06T07:08:09.000Z');
    const front = createFront({
      table: operationTable,
      shared,
      guard: createGuard(book, []),
      limit: { perSecond: 1, burst: 1 },
    });
    const ask = () => front.fetch(new Request('http://localhost/studio/health', { headers: { host: 'localhost' } }));
    expect((await ask()).status).toBe(200);
    front.drain();
    const answer = await ask();
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'reject.stopping', retryable: true });
    await front.close();
  });
});

describe('what stands outside the table', () => {
  it('tells everyone where things are and that it is alive', async () => {
    const studio = await startTestStudio();
    const front = await studio.call('GET', '/studio', { as: undefined });
    expect(front).toMatchObject({ status: 200, json: { name: 'Weft Studio', version: '0.1.0' } });
    const health = await studio.call('GET', '/studio/health', { as: undefined });
    expect(health).toMatchObject({ status: 200, json: { ok: true, contractVersion: 'v1' } });
    const { links } = front.json as { links: Record<string, string> };
    for (const path of Object.values(links)) {
      expect((await studio.call('GET', path, { as: 'admin' })).status, path).not.toBe(404);
    }
  });

  it('shows its description to everybody', async () => {
    const studio = await startTestStudio();
    expect((await studio.call('GET', '/studio/openapi.json', { as: undefined })).json).toMatchObject({
      openapi: '3.1.0',
    });
  });
});
