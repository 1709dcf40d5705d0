import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio, testTokens } from '../../testing/test-studio.js';

const UNITS = '/studio/workunits';
const refused = (status: number, code: string) => ({ status, json: { code } });

function post(studio: TestStudio, key: string | undefined, body: object = { goal: 'build it' }, more: object = {}) {
  const headers = key === undefined ? more : { 'idempotency-key': key, ...more };
  return studio.call('POST', UNITS, { body, headers: { ...headers } });
}

async function units(studio: TestStudio): Promise<{ workUnitId: string; status: string }[]> {
  return (await studio.call('GET', UNITS)).json as { workUnitId: string; status: string }[];
}

describe('a request that names itself', () => {
  it('is answered the same again, and happens once', async () => {
    const studio = await startTestStudio();
    const first = await post(studio, 'one');
    const again = await post(studio, 'one');
    expect(first.status).toBe(200);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await post(studio, 'two')).text).not.toBe(first.text);
    expect(await units(studio)).toHaveLength(2);
  });

  it('is the same under the other name of the header, and whatever the order of its fields', async () => {
    const studio = await startTestStudio();
    const first = await post(studio, 'one', { goal: 'a', owner: 'b', referenceFiles: [] });
    const again = await studio.call('POST', UNITS, {
      body: '{"owner":"b","referenceFiles":[],"goal":"a"}',
      headers: { 'x-command-id': 'one' },
    });
    expect(again.text).toBe(first.text);
  });

  it('happens once when it is sent many times at once', async () => {
    const studio = await startTestStudio();
    const all = await Promise.all(Array.from({ length: 8 }, () => post(studio, 'one')));
    for (const answer of all) expect([answer.status, answer.text]).toEqual([200, all[0]?.text]);
    expect(await units(studio)).toHaveLength(1);
  });

  it('is answered as far as its answer is shown, the second time as the first', async () => {
    const studio = await startTestStudio();
    const path = join(await tempFolder(), 'new');
    const send = () =>
      studio.call('POST', '/studio/repositories', { body: { path }, headers: { 'idempotency-key': 'one' } });
    const first = await send();
    expect(Object.keys(first.json as object)).toEqual(['repositoryId', 'path']);
    expect((await send()).text).toBe(first.text);
  });

  it('is refused with another body or for another operation, also when it had nothing to change', async () => {
    const studio = await startTestStudio();
    await post(studio, 'one');
    const reused = refused(422, 'reject.idempotency_key_reused');
    expect(await post(studio, 'one', { goal: 'another' })).toMatchObject(reused);
    const path = join(await tempFolder(), 'new');
    const register = (headers: Record<string, string>) =>
      studio.call('POST', '/studio/repositories', { body: { path }, headers });
    expect(await register({ 'idempotency-key': 'one' })).toMatchObject(reused);
    await register({});
    expect((await register({ 'idempotency-key': 'two' })).status).toBe(200);
    expect(await post(studio, 'two')).toMatchObject(reused);
  });

  it('is forgotten when it was refused', async () => {
    const studio = await startTestStudio();
    expect((await post(studio, 'one', { goal: 'x', parentWorkUnitId: 'wu-none' })).status).toBe(404);
    expect((await post(studio, 'one')).status).toBe(200);
  });

  it('means something else under another token', async () => {
    const studio = await startTestStudio();
    const first = await post(studio, 'one');
    const other = await studio.call('POST', UNITS, {
      as: 'admin',
      body: { goal: 'build it' },
      headers: { 'idempotency-key': 'one' },
    });
    expect(other.status).toBe(200);
    expect(other.text).not.toBe(first.text);
  });

  it('means nothing when it reads', async () => {
    const studio = await startTestStudio();
    const read = () => studio.call('GET', UNITS, { headers: { 'idempotency-key': 'one' } });
    expect((await read()).json).toEqual([]);
    await post(studio, 'one');
    expect((await read()).json).toHaveLength(1);
  });

  it.each(['', 'x'.repeat(257)])('needs a name that is neither empty nor long', async (key) => {
    const studio = await startTestStudio();
    expect(await post(studio, key)).toMatchObject(refused(400, 'reject.invalid_input'));
    expect(await units(studio)).toEqual([]);
  });

  it('is answered the same after a restart, and nobody who follows the events sees the bookkeeping', async () => {
    const folder = await tempFolder();
    const before = createHost({ store: levelStore(folder) });
    const first = await startTestStudio(before);
    const answer = await post(first, 'one');
    await first.close();
    await before.close();

    const after = createHost({ store: levelStore(folder) });
    const second = await startTestStudio(after);
    expect((await post(second, 'one')).text).toBe(answer.text);
    expect(await post(second, 'one', { goal: 'another' })).toMatchObject(refused(422, 'reject.idempotency_key_reused'));
    expect(await units(second)).toHaveLength(1);
    await second.close();
    await after.close();
  });

  it('may be a tool call', async () => {
    const studio = await startTestStudio();
    const client = new Client({ name: 'outside', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
    onTestFinished(() => client.close());
    const headers = { authorization: `Bearer ${testTokens.admin}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${studio.origin}/mcp/internal`), { requestInit: { headers } }),
    );
    const create = (id: unknown, goal = 'build it') =>
      client.callTool({ name: 'svc_v1_workunit_create', arguments: { goal }, _meta: { 'weft/commandId': id } });
    const first = await create('one');
    expect((await create('one')).structuredContent).toEqual(first.structuredContent);
    expect(await units(studio)).toHaveLength(1);
    expect(JSON.stringify((await create('one', 'another')).content)).toContain('reject.idempotency_key_reused');
    await expect(create(7)).rejects.toThrow('weft/commandId in _meta must be a string');
  });

  it('fault 34: that is dropped on its way and made again from another connection has one effect', async () => {
    const studio = await startTestStudio();
    const headers = { authorization: `Bearer ${testTokens.admin}` };
    const connected = async (): Promise<Client> => {
      const client = new Client({ name: 'outside', version: '1.0.0' });
      onTestFinished(() => client.close());
      const address = new URL(`${studio.origin}/mcp/internal`);
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
      return client;
    };
    const call = { name: 'svc_v1_workunit_create', arguments: { goal: 'x' }, _meta: { 'weft/commandId': 'c-1' } };
    for (let round = 0; round < 10; round++) {
      const stop = new AbortController();
      const dropped = (await connected()).callTool(call, { signal: stop.signal });
      // Somewhere between being sent and being answered.
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      await dropped.catch(() => undefined);
    }
    const answers = await Promise.all([connected(), connected()].map(async (client) => (await client).callTool(call)));
    // Two at once: one of them may be told to ask again.
    const repeated = answers.some(({ isError }) => isError !== true);
    expect(repeated).toBe(true);
    expect(await units(studio)).toHaveLength(1);
  });
});

describe('a change that names what it changes', () => {
  async function unit(studio: TestStudio): Promise<string> {
    const { json } = await post(studio, undefined);
    return `${UNITS}/${(json as { workUnitId: string }).workUnitId}`;
  }
  const cancel = (studio: TestStudio, path: string, match: string) =>
    studio.call('POST', `${path}/cancel`, { headers: { 'if-match': match } });

  it('is made when that is what stands, and answers what stands then', async () => {
    const studio = await startTestStudio();
    const path = await unit(studio);
    const { etag } = (await studio.call('GET', path)).headers;
    expect(etag).toBe('"1"');
    const answer = await cancel(studio, path, String(etag));
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).toBe((await studio.call('GET', path)).headers['etag']);
    expect(answer.headers['etag']).not.toBe(etag);
  });

  it.each(['*', '"1"', '"0", "1"', '"0" ,\t"1"'])('is made for %s', async (match) => {
    const studio = await startTestStudio();
    expect((await cancel(studio, await unit(studio), match)).status).toBe(200);
  });

  it.each(['"0"', '"2"', 'W/"1"', '1', '', '"1', '"01"', '"-1"', '"1"x'])('is refused for %s', async (match) => {
    const studio = await startTestStudio();
    const path = await unit(studio);
    const answer = await cancel(studio, path, match);
    expect(answer).toMatchObject(refused(412, 'reject.changed_meanwhile'));
    expect(answer.json).toMatchObject({ details: { etag: '"1"' } });
    expect(await units(studio)).toMatchObject([{ status: 'Created' }]);
  });

  it('is refused where nothing is, whatever it names, and where nothing is named', async () => {
    const studio = await startTestStudio();
    expect(await cancel(studio, `${UNITS}/none`, '*')).toMatchObject(refused(412, 'reject.changed_meanwhile'));
    expect(await post(studio, undefined, { goal: 'x' }, { 'if-match': '*' })).toMatchObject(
      refused(400, 'reject.invalid_input'),
    );
  });

  it('wins exactly once, however many are sent with one tag', async () => {
    const studio = await startTestStudio();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 12 }), async (many) => {
        const path = await unit(studio);
        const all = await Promise.all(Array.from({ length: many }, () => cancel(studio, path, '"1"')));
        expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(many - 1).fill(412)]);
      }),
      { numRuns: 10 },
    );
  });
});
