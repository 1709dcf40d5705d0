import { createHost } from '@weft/core';
import type { Room } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, vi } from 'vitest';
import { toolList } from '../../doors/tools/tools.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { operationTable } from '../table.js';
import { type Call, type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import { toolClient } from '../../testing/doors/tool-client.js';

const TOKENS = '/studio/tokens';
const UNITS = '/studio/workunits';
const refused = (status: number, code: string) => ({ status, json: { code } });

interface Made {
  readonly tokenId: string;
  readonly secret?: string;
}

async function made(studio: TestStudio, body: object, call: Call = {}): Promise<Made> {
  const answer = await studio.call('POST', TOKENS, { as: 'admin', body: { label: 'for a test', ...body }, ...call });
  expect(answer.status).toBe(200);
  return answer.json as Made;
}

async function textOf(room: Room): Promise<string> {
  const found: unknown[] = [];
  for await (const entry of room.history()) found.push(entry.writes);
  return JSON.stringify(found);
}

describe('a token that was made', () => {
  it('lets in as far as its scope reaches, and says in the record who it was', async () => {
    const studio = await startTestStudio();
    const { secret = '', tokenId } = await made(studio, { scope: 'operate' });
    expect((await studio.call('POST', UNITS, { token: secret, body: { goal: 'x' } })).status).toBe(200);
    expect(await studio.call('GET', TOKENS, { token: secret })).toMatchObject(refused(403, 'reject.scope_missing'));
    expect(await textOf(await studio.host.room('~studio.workgroup'))).toContain(`"by":"${tokenId}"`);
    const reader = await made(studio, { scope: 'read' });
    expect(await studio.call('POST', UNITS, { token: reader.secret ?? '', body: { goal: 'x' } })).toMatchObject(
      refused(403, 'reject.scope_missing'),
    );
  });

  it('reaches the internal tools only with the right to them', async () => {
    const studio = await startTestStudio();
    for (const [body, status] of [
      [{ scope: 'operate' }, 403],
      [{ scope: 'operate', internal: true }, 200],
      [{ scope: 'admin' }, 200],
    ] as const) {
      const { secret = '' } = await made(studio, body);
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const headers = { accept: 'application/json, text/event-stream' };
      const answer = await studio.call('POST', '/mcp/internal', { token: secret, body: list, headers });
      expect(answer.status, JSON.stringify(body)).toBe(status);
    }
  });

  it('is listed without its secret, which is stored nowhere', async () => {
    const studio = await startTestStudio();
    const { secret = '', ...rest } = await made(studio, { scope: 'read' });
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const list = await studio.call('GET', TOKENS, { as: 'admin' });
    expect(list.json).toEqual([rest]);
    expect(rest).toMatchObject({ label: 'for a test', scope: 'read', internal: false, madeBy: 'admin' });
    for (const name of ['~studio.workgroup', '~studio.local'] as const) {
      expect(await textOf(await studio.host.room(name))).not.toContain(secret);
    }
    expect(JSON.stringify(studio.log)).not.toContain(secret);
  });

  it('is made once for a request that is repeated, and shown once', async () => {
    const studio = await startTestStudio();
    const headers = { 'idempotency-key': 'one' };
    const first = await made(studio, { scope: 'read' }, { headers, body: { label: 'x', scope: 'read' } });
    const again = await made(studio, { scope: 'read' }, { headers, body: { label: 'x', scope: 'read' } });
    expect(first.secret).toBeDefined();
    const { secret: _secret, ...rest } = first;
    expect(again).toEqual(rest);
    expect((await studio.call('GET', TOKENS, { as: 'admin' })).json).toHaveLength(1);
  });

  it('is refused from the moment when it is revoked, and when its time is over', async () => {
    const studio = await startTestStudio();
    const { secret = '', tokenId } = await made(studio, { scope: 'read', expiresInHours: 1 });
    const ask = () => studio.call('GET', UNITS, { token: secret });
    expect((await ask()).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_001 });
    try {
      expect(await ask()).toMatchObject(refused(401, 'reject.unauthenticated'));
    } finally {
      vi.useRealTimers();
    }
    expect((await ask()).status).toBe(200);
    const revoke = () => studio.call('DELETE', `${TOKENS}/${tokenId}`, { as: 'admin' });
    expect((await revoke()).json).toEqual({ tokenId });
    expect(await ask()).toMatchObject(refused(401, 'reject.unauthenticated'));
    expect(await revoke()).toMatchObject(refused(404, 'reject.token_not_found'));
    expect((await studio.call('GET', TOKENS, { as: 'admin' })).json).toEqual([]);
  });

  it('works after a restart', async () => {
    const folder = await tempFolder();
    const before = createHost({ store: levelStore(folder) });
    const first = await startTestStudio(before);
    const { secret = '' } = await made(first, { scope: 'read' });
    await first.close();
    await before.close();
    const after = createHost({ store: levelStore(folder) });
    const second = await startTestStudio(after);
    expect((await second.call('GET', UNITS, { token: secret })).status).toBe(200);
    await second.close();
    await after.close();
  });
});

describe('an agent with a token', () => {
  it('may do what is dispatched to agents, until it is revoked or its time is over', async () => {
    const studio = await startTestStudio();
    const whole = (await studio.call('POST', UNITS, { body: { goal: 'whole' } })).json;
    const { workUnitId: parentWorkUnitId } = whole as { readonly workUnitId: string };
    const { secret, revoke } = studio.mintAgentToken('agent-1');
    const create = () => studio.call('POST', UNITS, { token: secret, body: { goal: 'x', parentWorkUnitId } });
    expect((await create()).status).toBe(200);
    expect(await textOf(await studio.host.room('~studio.workgroup'))).toContain('"by":"agent:agent-1"');
    revoke();
    expect(await create()).toMatchObject(refused(401, 'reject.unauthenticated'));
    const over = studio.mintAgentToken('agent-1', { lifetimeMs: 0 });
    expect(await studio.call('GET', UNITS, { token: over.secret })).toMatchObject(
      refused(401, 'reject.unauthenticated'),
    );
  });

  it('sees exactly the tools that are dispatched, and is refused the others', async () => {
    const studio = await startTestStudio();
    const { secret } = studio.mintAgentToken('agent-1');
    const tools = await toolClient(studio, '/mcp/internal', secret);
    const dispatched = toolList(operationTable, 'dispatched').map(({ name }) => name);
    expect(dispatched).toContain('svc_v1_workunit_create');
    expect(await tools.names()).toEqual(dispatched);
    expect(await studio.call('POST', '/studio/stop-all', { token: secret })).toMatchObject(
      refused(403, 'reject.human_only'),
    );
    expect(await studio.call('GET', `${UNITS}/wu-1/children`, { token: secret })).toMatchObject(
      refused(403, 'reject.scope_missing'),
    );
  });

  it('of a work unit may do there what its token names, and nothing when its lease has ended', async () => {
    let begun = (): void => undefined;
    const working = new Promise<void>((resolve) => (begun = resolve));
    // A model that never answers: the agent works for as long as it is let.
    const turn = (_request: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
      begun();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    };
    const models = () => ({ model: 'm', provider: { name: 'm', turn } });
    const studio = await startTestStudio(undefined, { agents: { models } });
    const make = async (): Promise<string> => {
      const { json } = await studio.call('POST', UNITS, { body: { goal: 'x' } });
      return (json as { workUnitId: string }).workUnitId;
    };
    const [workUnitId, other] = [await make(), await make()];
    const body = { agentType: 'worker', workUnitId, profileId: 'worker' };
    const { agentId } = (await studio.call('POST', '/studio/agents/spawn', { body })).json as { agentId: string };
    await working;
    const tools = ['artifact_record', 'workunit_read'];
    const { secret: token } = studio.mintAgentToken(agentId, { workUnitId, tools });
    const record = (about: string) =>
      studio.call('POST', '/studio/artifacts', {
        token,
        body: { workUnitId: about, type: 'Research', title: 't', body: 'b' },
      });
    expect(await record(workUnitId)).toMatchObject({ status: 200 });
    expect(await record(other)).toMatchObject(refused(403, 'reject.not_your_work'));
    expect(await studio.call('POST', UNITS, { token, body: { goal: 'x' } })).toMatchObject(
      refused(403, 'reject.tool_not_allowed'),
    );
    expect(await studio.call('GET', '/studio/goals', { token })).toMatchObject({ status: 403 });
    expect(await studio.call('POST', '/studio/stop-all', { token })).toMatchObject(refused(403, 'reject.human_only'));
    await studio.call('POST', `${UNITS}/${workUnitId}/cancel`);
    expect(await record(workUnitId)).toMatchObject(refused(401, 'reject.unauthenticated'));
  });

  it('that tries what is for people is refused, and people are told once in a while', async () => {
    const studio = await startTestStudio();
    const { json } = await studio.call('POST', UNITS, { body: { goal: 'x' } });
    const { workUnitId } = json as { workUnitId: string };
    const { secret } = studio.mintAgentToken('agent-1');
    const cancel = () => studio.call('POST', `${UNITS}/${workUnitId}/cancel`, { token: secret });
    for (let n = 0; n < 3; n++) expect(await cancel()).toMatchObject(refused(403, 'reject.human_only'));
    const room = await studio.host.room('~studio.workgroup');
    const key = 'studio/attempt/agent-1%2Fworkunit.cancel';
    expect(room.get(`${key}/0`)).toMatchObject({
      type: 'HumanOnlyRefused',
      v: 1,
      operation: 'workunit.cancel',
      agentId: 'agent-1',
      workUnitId,
      meta: { by: 'agent:agent-1', workUnitId },
    });
    expect(room.get(`${key}/1`)).toBeUndefined();
    expect((await studio.call('GET', `${UNITS}/${workUnitId}`)).json).toMatchObject({ status: 'Created' });
  });

  it('that goes for a branch of others is refused, and people find that it tried', async () => {
    const { studio } = await studioWith();
    const { secret } = studio.mintAgentToken('agent-1');
    const tools = await toolClient(studio, '/mcp/internal', secret);
    const write = { branchId: 'main', path: 'a', content: 'mine' };
    expect(await tools.refused('svc_v1_workspace_write', write)).toBe('reject.branch_of_others');
    const { json } = await studio.call('GET', '/studio/findings');
    const [found, ...others] = json as { title: string; supportingDataJson: string }[];
    expect(others).toEqual([]);
    expect(found).toMatchObject({ status: 'Open', title: 'An agent tried what it may not: workspace.write' });
    expect(JSON.parse(found?.supportingDataJson ?? '')).toMatchObject({
      agentId: 'agent-1',
      target: 'branchId main, path a',
    });
  });
});
