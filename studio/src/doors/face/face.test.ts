/** The face at the studio's door: its files hold nothing of the host, and a link lets a page in once. */
import { gunzipSync } from 'node:zlib';
import { type FaceFile, VIEWS, loadFace } from '@weft/face';
import { expect, it } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const codeOf = (link: string): string => /^http:\/\/127\.0\.0\.1:\d+\/#code=([0-9a-f]{32})$/.exec(link)?.[1] ?? '';

const redeem = (studio: TestStudio, code: string, headers = {}) =>
  studio.call('POST', `/studio/codes/${code}`, { as: undefined, headers });

/** Headers of a page that a link has let in. */
async function entered(studio: TestStudio, link = studio.link()) {
  const answer = await redeem(studio, codeOf(link));
  expect(answer).toMatchObject({ status: 200, json: { scope: 'operate' } });
  const [set = ''] = [answer.headers['set-cookie'] ?? []].flat();
  expect(set).toMatch(/^weft_page_\d+=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800$/);
  const { page } = answer.json as { page: string };
  return { cookie: set.slice(0, set.indexOf(';')), 'x-weft-page': page };
}

const goals = (studio: TestStudio, headers: Readonly<Record<string, string>>) =>
  studio.call('GET', '/studio/goals', { as: undefined, headers });

it('is open at each of its addresses, loads its own files alone, and runs no other script', async () => {
  const studio = await startTestStudio();
  const { html, rooms, files } = await loadFace();
  for (const path of ['/', ...VIEWS.flatMap((view) => [`/${view}`, `/${view}/some-id`])]) {
    const { status, text, headers } = await studio.call('GET', path, { as: undefined });
    expect([status, text]).toEqual([200, html]);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' });
  }
  for (const page of [html, rooms])
    expect(page).not.toMatch(/https?:|<script(?! type="module" src="\/assets\/)|<style| on\w+=/);
  const text = ({ gzip }: FaceFile): string => gunzipSync(Buffer.from(gzip, 'base64')).toString();
  const all = html + rooms + [...files.values()].map(text).join('');
  for (const [name, file] of files) {
    const answer = await studio.call('GET', `/assets/${name}`, { as: undefined });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, text(file), file.type]);
    expect(answer.headers['cache-control']).toContain('immutable');
    expect(all).toContain(name);
  }
  for (const path of ['/assets/none.js', '/assets/..%2f..%2fpackage.json', '/assets/'])
    expect((await studio.call('GET', path)).status).toBe(404);
  expect((await studio.call('GET', '/', { headers: { host: 'rebound.example' } })).status).toBe(403);
  expect((await studio.call('POST', '/inbox', { as: undefined })).status).toBe(404);
});

it('a link lets in whoever opens it first, for ten minutes, and nobody after', async () => {
  const steady = new ManualClock(0);
  const studio = await startTestStudio(undefined, { steady });
  const link = studio.link();
  const headers = await entered(studio, link);
  expect((await goals(studio, headers)).status).toBe(200);
  expect((await redeem(studio, codeOf(link))).status).toBe(401);
  expect((await redeem(studio, '0'.repeat(32))).status).toBe(401);
  const late = codeOf(studio.link());
  steady.jump(600_001);
  expect((await redeem(studio, late)).status).toBe(401);
  expect((await redeem(studio, codeOf(studio.link()), { origin: 'https://example.org' })).status).toBe(403);
  const first = codeOf(studio.link());
  for (let more = 0; more < 20; more++) studio.link();
  expect((await redeem(studio, first)).status).toBe(401);
});

it('what a page shows first comes with the answer that lets it in, as that page may read it, and nothing else', async () => {
  const studio = await startTestStudio();
  const asked = ['/studio/attention', '/studio/agents', '/studio/goals', '/studio/tokens'];
  const query = asked.map((path) => `read=${encodeURIComponent(path)}`).join('&');
  const answer = await redeem(studio, `${codeOf(studio.link())}?${query}`);
  const { page, reads } = answer.json as { page: string; reads: Record<string, string> };
  expect(Object.keys(reads)).toEqual(['/studio/attention', '/studio/agents']);
  const [set = ''] = [answer.headers['set-cookie'] ?? []].flat();
  const headers = { cookie: set.slice(0, set.indexOf(';')), 'x-weft-page': page };
  for (const [path, text] of Object.entries(reads))
    expect(text).toBe((await studio.call('GET', path, { as: undefined, headers })).text);
  expect((await redeem(studio, codeOf(studio.link()))).json).not.toHaveProperty('reads');
  // A code that is no good brings nothing.
  expect(await redeem(studio, `${'0'.repeat(32)}?${query}`)).toMatchObject({
    status: 401,
    json: { code: expect.any(String) },
  });
});

it('neither half of a page opens anything alone, or from another site', async () => {
  const studio = await startTestStudio();
  const page = await entered(studio);
  const other = await entered(studio);
  const { cookie, 'x-weft-page': shown } = page;
  for (const headers of [
    { cookie },
    { 'x-weft-page': shown },
    { cookie: other.cookie, 'x-weft-page': shown },
    { cookie: cookie.replace(/_\d+=/, '='), 'x-weft-page': shown },
  ])
    expect((await goals(studio, headers)).status).toBe(401);
  for (const site of ['cross-site', 'same-site', 'none'])
    expect((await goals(studio, { ...page, 'sec-fetch-site': site })).status).toBe(403);
  expect((await goals(studio, { ...page, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
});

it('a page is a token that people see and revoke, and leaves by itself', async () => {
  const studio = await startTestStudio();
  const [first, second] = [await entered(studio), await entered(studio)];
  const tokens = (await studio.call('GET', '/studio/tokens', { as: 'admin' })).json as {
    tokenId: string;
    scope: string;
  }[];
  expect(tokens).toMatchObject([{ scope: 'operate' }, { scope: 'operate' }]);
  await studio.call('DELETE', `/studio/tokens/${tokens[0]?.tokenId}`, { as: 'admin' });
  expect((await goals(studio, first)).status).toBe(401);
  const left = await studio.call('DELETE', '/studio/page', { as: undefined, headers: second });
  expect([left.status, left.headers['set-cookie']]).toEqual([204, [expect.stringContaining('Max-Age=0')]]);
  expect((await goals(studio, second)).status).toBe(401);
  // The token of the host is not a page, and stays.
  expect((await studio.call('DELETE', '/studio/page')).status).toBe(204);
  expect((await studio.call('GET', '/studio/goals')).status).toBe(200);
});

it('links are made by whoever has a token, for as much as that token may do', async () => {
  const studio = await startTestStudio();
  const linked = (query: string, as: 'read' | 'operate') => studio.call('POST', `/studio/codes${query}`, { as });
  expect(await linked('?scope=operate', 'read')).toMatchObject({ status: 403, json: { code: 'reject.scope_missing' } });
  expect(await linked('?scope=all', 'operate')).toMatchObject({ status: 400 });
  const { code } = (await linked('?scope=read', 'operate')).json as { code: string };
  expect(await redeem(studio, code)).toMatchObject({ status: 200, json: { scope: 'read' } });
  const agent = studio.mintAgentToken('agent-1');
  expect(await studio.call('POST', '/studio/codes', { token: agent.secret })).toMatchObject({
    status: 403,
    json: { code: 'reject.human_only' },
  });
});

it('ends the oldest of a hundred pages, and forgets those whose time is over', async () => {
  const wall = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const studio = await startTestStudio(undefined, { wall });
  const first = await entered(studio);
  const second = await entered(studio);
  for (let more = 2; more <= 100; more++) await entered(studio);
  expect([(await goals(studio, first)).status, (await goals(studio, second)).status]).toEqual([401, 200]);
  wall.jump(8 * 86_400_000);
  expect((await goals(studio, second)).status).toBe(401);
  await entered(studio);
  const tokens = (await studio.call('GET', '/studio/tokens', { as: 'admin' })).json as unknown[];
  expect(tokens).toHaveLength(1);
});

it('words about rooms are handed on from people of scope admin alone, as they were sent', async () => {
  const asked: object[] = [];
  const studio = await startTestStudio(undefined, {
    rooms: ({ method, path, fields }) => {
      asked.push({ method, path, fields });
      return Promise.resolve({ status: 409, body: { error: 'a rule says no', code: 'refused' } });
    },
  });
  const body = { key: 'a/b' };
  for (const as of [undefined, 'read', 'operate'] as const)
    expect((await studio.call('POST', '/v1/rooms/a%2Fb/why', { as, body })).status).toBe(as === undefined ? 401 : 403);
  expect(asked).toEqual([]);
  expect(await studio.call('POST', '/v1/rooms/a%2Fb/why', { as: 'admin', body })).toMatchObject({
    status: 409,
    json: { error: 'a rule says no' },
  });
  await studio.call('GET', '/v1/rooms', { as: 'admin' });
  expect(asked).toEqual([
    { method: 'POST', path: '/v1/rooms/a%2Fb/why', fields: body },
    { method: 'GET', path: '/v1/rooms', fields: {} },
  ]);
  expect((await studio.call('DELETE', '/v1/rooms', { as: 'admin' })).status).toBe(404);
  expect(
    (await studio.call('POST', '/v1/rooms/a/why', { as: 'admin', headers: { host: 'x.example' }, body })).status,
  ).toBe(403);
  expect((await (await startTestStudio()).call('GET', '/v1/rooms', { as: 'admin' })).status).toBe(404);
});
