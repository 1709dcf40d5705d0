import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeUnit, post } from '../../testing/doors/calls.js';
import { initialize, isOpen, openRaw, rawRequest, sessionOf } from '../../testing/doors/raw-session.js';
import { openTestFront } from '../../testing/doors/test-front.js';
import { everyClient, sessionClients } from '../../testing/doors/session-clients.js';
import { type TestStudio, startTestStudio, testTokens } from '../../testing/test-studio.js';
import { operationTable } from '../../operations/table.js';
import { createFront } from '../front.js';
import { createGuard } from '../entry/guard.js';
import { TokenBook } from '../entry/token-book.js';
import type { ToolSessionLimits } from './tool-sessions.js';

const soon = { timeout: 20_000 };

function studioWith(sessionLimits: Partial<ToolSessionLimits>): Promise<TestStudio> {
  return startTestStudio(undefined, { toolSessionLimits: sessionLimits });
}

async function madeToken(studio: TestStudio): Promise<{ tokenId: string; secret: string }> {
  const { json } = await studio.call('POST', '/studio/tokens', {
    as: 'admin',
    body: { label: 'a program', scope: 'operate' },
  });
  return json as { tokenId: string; secret: string };
}

/** The stream over which a session is told something; it ends with the test. */
async function streamOf(studio: TestStudio, session: string, token = testTokens.operate): Promise<Response> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  return rawRequest(studio, { method: 'GET', session, token, signal: abort.signal });
}

describe.each(everyClient)('%s', (_name, connect) => {
  it('is told that what it asked about has changed, and of nothing else', async () => {
    const studio = await startTestStudio();
    const [one, other] = [await makeUnit(studio), await makeUnit(studio)];
    const part = await makeUnit(studio, { parentWorkUnitId: one.workUnitId });
    const client = await connect(studio);
    const uris = [`weft://goals/${one.workUnitId}`, `weft://workunits/${part.workUnitId}/timeline`];
    await client.listen(...uris);
    await post(studio, `/workunits/${other.workUnitId}/cancel`);
    await post(studio, `/workunits/${part.workUnitId}/cancel`);
    await vi.waitFor(() => expect(new Set(client.changed)).toEqual(new Set(uris)), soon);
  });

  it('is told once of much that happens at once', async () => {
    const studio = await startTestStudio();
    const [{ workUnitId }, last] = [await makeUnit(studio), await makeUnit(studio)];
    for (let n = 0; n < 10; n++) await makeUnit(studio, { parentWorkUnitId: workUnitId });
    const client = await connect(studio);
    const [goal, after] = [`weft://goals/${workUnitId}`, `weft://goals/${last.workUnitId}`];
    await client.listen(goal, after);
    // All of its parts are cancelled with it.
    await post(studio, `/workunits/${workUnitId}/cancel`);
    await vi.waitFor(() => expect(client.changed).toContain(goal), soon);
    await post(studio, `/workunits/${last.workUnitId}/cancel`);
    await vi.waitFor(() => expect(client.changed).toContain(after), soon);
    expect(client.changed.filter((uri) => uri === goal).length).toBeLessThan(5);
  });

  it('is refused what it could not read, and more than one may be told of', async () => {
    const studio = await studioWith({ mostSubscribed: 1 });
    const units = [await makeUnit(studio), await makeUnit(studio)];
    const client = await connect(studio);
    await expect(client.listen('weft://goals/none')).rejects.toThrow('no goal is called none');
    await expect(client.listen('file:///etc/passwd')).rejects.toThrow();
    const uris = units.map(({ workUnitId }) => `weft://goals/${workUnitId}`);
    await expect(client.listen(...uris)).rejects.toThrow('at most 1 resources');
  });

  it('does not hold up a studio that stops', async () => {
    const studio = await startTestStudio();
    const { workUnitId } = await makeUnit(studio);
    await post(studio, '/clarifications/request', { workUnitId, question: 'which?' });
    // Its person never says anything.
    const client = await connect(studio, { says: () => new Promise(() => undefined) });
    await client.listen(`weft://goals/${workUnitId}`);
    const asking = client.call('svcs_v1_goal_status', { goalId: workUnitId }).catch(() => undefined);
    await vi.waitFor(() => expect(client.asked).toHaveLength(1), soon);
    await studio.close();
    void asking;
  });
});

describe.each(sessionClients)('a session of %s', (_name, connect) => {
  it('ends when the client says so', async () => {
    const studio = await startTestStudio();
    const client = await connect(studio);
    const session = client.session() ?? '';
    expect(await isOpen(studio, session)).toBe(true);
    await client.end();
    expect(await isOpen(studio, session)).toBe(false);
  });

  it('is gone when the host was started again; then one begins anew', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    const first = await startTestStudio(host);
    const client = await connect(first);
    await client.call('svcs_v1_goal_list', {});
    await first.close();
    const again = await startTestStudio(host, { listen: `127.0.0.1:${first.port}` });
    await expect(client.call('svcs_v1_goal_list', {})).rejects.toThrow(/Session not found|404/);
    const anew = await connect(again);
    expect(await anew.call('svcs_v1_goal_list', {})).toMatchObject({ contractVersion: 'v1' });
  });
});

describe('a session', () => {
  it('is open until DELETE', async () => {
    const studio = await startTestStudio();
    const session = await sessionOf(studio);
    expect(await isOpen(studio, session)).toBe(true);
    expect((await rawRequest(studio, { method: 'DELETE', session })).status).toBe(200);
    expect(await isOpen(studio, session)).toBe(false);
    const gone = await rawRequest(studio, { session, body: { id: 3, method: 'tools/list' } });
    expect([gone.status, await gone.json()]).toMatchObject([404, { error: { code: -32_001 } }]);
    expect((await rawRequest(studio, { method: 'GET', session })).status).toBe(404);
  });

  it('is not needed: who names none is answered request by request', async () => {
    const studio = await startTestStudio();
    await sessionOf(studio);
    const answer = await rawRequest(studio, { body: { id: 2, method: 'tools/list' } });
    expect(await answer.text()).toContain('svcs_v1_goal_run');
    expect((await rawRequest(studio, { method: 'GET' })).status).toBe(405);
    const call = { name: 'svcs_v1_goal_status', arguments: { goalId: 'none' } };
    const missing = await (await rawRequest(studio, { body: { id: 4, method: 'tools/call', params: call } })).text();
    expect(missing).toContain('reject.goal_not_found');
    expect(missing).not.toContain('notifications/message');
    const { workUnitId } = await makeUnit(studio);
    const params = { uri: `weft://goals/${workUnitId}` };
    const refused = await rawRequest(studio, { body: { id: 3, method: 'resources/subscribe', params } });
    expect(await refused.text()).toContain('begin with initialize');
  });

  it('is unknown to every other token, and at the other endpoint', async () => {
    const studio = await startTestStudio();
    const session = await sessionOf(studio);
    for (const token of [testTokens.admin, testTokens.read, (await madeToken(studio)).secret]) {
      expect(await isOpen(studio, session, { token })).toBe(false);
      expect((await rawRequest(studio, { method: 'GET', session, token })).status).toBe(404);
      expect((await rawRequest(studio, { method: 'DELETE', session, token })).status).toBe(404);
    }
    expect(await isOpen(studio, session, { token: 'not a token' })).toBe(false);
    expect(await isOpen(studio, session)).toBe(true);
    const internal = await sessionOf(studio, { token: testTokens.admin, endpoint: '/mcp/internal' });
    expect(await isOpen(studio, internal, { token: testTokens.admin })).toBe(false);
    expect(await isOpen(studio, internal, { token: testTokens.admin, endpoint: '/mcp/internal' })).toBe(true);
  });

  it('tells nothing once its token is revoked', async () => {
    const studio = await startTestStudio();
    const { tokenId, secret: token } = await madeToken(studio);
    const { workUnitId } = await makeUnit(studio);
    const session = await sessionOf(studio, { token });
    const stream = await streamOf(studio, session, token);
    const params = { uri: `weft://goals/${workUnitId}` };
    await (await rawRequest(studio, { token, session, body: { id: 2, method: 'resources/subscribe', params } })).text();
    await studio.call('DELETE', `/studio/tokens/${tokenId}`, { as: 'admin' });
    await post(studio, `/workunits/${workUnitId}/cancel`);
    expect(await stream.text()).toBe('');
  });

  it('ends with its token', async () => {
    const studio = await studioWith({ idleMs: 1000 });
    const { tokenId, secret: token } = await madeToken(studio);
    const stream = await streamOf(studio, await sessionOf(studio, { token }), token);
    await studio.call('DELETE', `/studio/tokens/${tokenId}`, { as: 'admin' });
    expect(await stream.text()).toBe('');
  });

  it('ends when it is idle for long, and not while a stream is open', async () => {
    const studio = await studioWith({ idleMs: 500 });
    const open = await sessionOf(studio);
    const stream = await streamOf(studio, open);
    const idle = await sessionOf(studio);
    // To ask is to use it, so it is asked rarely.
    await vi.waitFor(async () => expect(await isOpen(studio, idle)).toBe(false), { ...soon, interval: 800 });
    expect(await isOpen(studio, open)).toBe(true);
    await stream.body?.cancel();
    await vi.waitFor(async () => expect(await isOpen(studio, open)).toBe(false), { ...soon, interval: 800 });
  });

  it('makes room for a newer one of its token when it is the one that was idle longest', async () => {
    const studio = await studioWith({ mostOfToken: 2 });
    const [first, second] = [await sessionOf(studio), await sessionOf(studio)];
    const others = await sessionOf(studio, { token: testTokens.admin });
    expect(await isOpen(studio, first)).toBe(true);
    const third = await sessionOf(studio);
    expect(await isOpen(studio, second)).toBe(false);
    for (const left of [first, third]) expect(await isOpen(studio, left)).toBe(true);
    expect(await isOpen(studio, others, { token: testTokens.admin })).toBe(true);
  });

  it('is not opened when all that there may be are in use', async () => {
    const studio = await studioWith({ most: 2 });
    const sessions = [await sessionOf(studio), await sessionOf(studio, { token: testTokens.admin })];
    const streams = [await streamOf(studio, sessions[0]!), await streamOf(studio, sessions[1]!, testTokens.admin)];
    const refused = await openRaw(studio);
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'reject.too_many_sessions' }]);
    await streams[0]?.body?.cancel();
    await vi.waitFor(() => sessionOf(studio), soon);
    expect(await isOpen(studio, sessions[0]!)).toBe(false);
  });

  it('has so many streams and no more', async () => {
    const studio = await studioWith({ mostStreams: 1 });
    const session = await sessionOf(studio);
    const stream = await streamOf(studio, session);
    const refused = await rawRequest(studio, { session, body: { id: 2, method: 'tools/list' } });
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'reject.too_many_sessions' }]);
    // What ends something is always heard.
    const params = { requestId: 9 };
    const notice = await rawRequest(studio, { session, body: { method: 'notifications/cancelled', params } });
    expect(notice.status).toBe(202);
    await stream.body?.cancel();
    await vi.waitFor(async () => expect(await isOpen(studio, session)).toBe(true), soon);
  });

  it('loses a stream that nobody reads, and can have another', async () => {
    const { shared, records } = await openTestFront();
    const guard = createGuard(new TokenBook(testTokens, records.tokens, shared.now), []);
    const limit = { perSecond: 1e9, burst: 1e9 };
    const sessions = { mostWaiting: 300, mostStreams: 1 };
    const front = createFront({ table: operationTable, shared, guard, limit, toolSessionLimits: sessions });
    onTestFinished(() => front.close());
    const ask = async (path: string, body?: object, more: Record<string, string> = {}) =>
      front.fetch(
        new Request(`http://localhost${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            host: 'localhost',
            authorization: `Bearer ${testTokens.operate}`,
            ...more,
            accept: body === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
            'content-type': 'application/json',
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
    const made = (await (await ask('/studio/workunits', { goal: 'fly' })).json()) as { workUnitId: string };
    const { workUnitId } = made;
    const opened = await ask('/mcp', initialize);
    await opened.text();
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const params = { uri: `weft://workunits/${workUnitId}` };
    const subscribed = await ask('/mcp', { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params }, session);
    expect(await subscribed.text()).toContain('"result":{}');
    const stream = await ask('/mcp', undefined, session);
    expect(stream.status).toBe(200);
    expect((await ask('/mcp', undefined, session)).status).toBe(429);
    const again = async () => {
      await (await ask('/studio/clarifications/request', { workUnitId, question: 'which?' })).text();
      const next = await ask('/mcp', undefined, session);
      expect(next.status).toBe(200);
      return next;
    };
    const next = await vi.waitFor(again, { ...soon, interval: 120 });
    await expect(stream.text()).rejects.toThrow('more waits for the reader');
    await next.body?.cancel();
  });

  it('lets a request do what its token may, and no more', async () => {
    const studio = await startTestStudio();
    const session = await sessionOf(studio, { token: testTokens.read });
    const params = { name: 'svcs_v1_goal_run', arguments: { goal: 'fly' } };
    const body = { id: 2, method: 'tools/call', params };
    const refused = await rawRequest(studio, { token: testTokens.read, session, body });
    expect(await refused.text()).toContain('reject.scope_missing');
  });
});

describe('who listens without a session', () => {
  const connect = everyClient.at(-1)![1];

  it('has so many streams and no more', async () => {
    const studio = await studioWith({ mostStreams: 1 });
    const uri = `weft://goals/${(await makeUnit(studio)).workUnitId}`;
    const client = await connect(studio);
    await client.listen(uri);
    await expect(client.listen(uri)).rejects.toThrow(/429|too_many_sessions/);
    await (await connect(studio, { token: testTokens.admin })).listen(uri);
  });

  it('is told nothing once its token is revoked', async () => {
    const studio = await startTestStudio();
    const { tokenId, secret: token } = await madeToken(studio);
    const { workUnitId } = await makeUnit(studio);
    const [client, other] = [await connect(studio, { token }), await connect(studio)];
    for (const one of [client, other]) await one.listen(`weft://goals/${workUnitId}`);
    await studio.call('DELETE', `/studio/tokens/${tokenId}`, { as: 'admin' });
    await post(studio, `/workunits/${workUnitId}/cancel`);
    await vi.waitFor(() => expect(other.changed).toHaveLength(1), soon);
    expect(client.changed).toEqual([]);
  });
});
