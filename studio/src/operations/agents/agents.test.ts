import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectRefusal, makeUnit, post, queue, read, statusOf, tool, toolData } from '../../testing/doors/calls.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

interface Spawned {
  readonly agentId: string;
}

async function begun() {
  const studio = await startTestStudio();
  const unit = await makeUnit(studio);
  const given = { agentType: 'worker', workUnitId: unit.workUnitId };
  const spawned = await post<Spawned>(studio, '/agents/spawn', given);
  return { studio, unit, given, spawned, path: `/agents/${spawned.agentId}` };
}

describe('agents', () => {
  it('are taken on for a unit, which has its turn then', async () => {
    const { studio, unit, given, spawned } = await begun();
    expect(spawned).toEqual({ agentId: spawned.agentId, ...given, branchId: unit.branchId });
    expect(await read(studio, `/workunits/${unit.workUnitId}`)).toMatchObject({
      status: 'Queued',
      assignedAgent: spawned.agentId,
    });
    const { goal } = await read<{ goal: string }>(studio, `/workunits/${unit.workUnitId}`);
    const info = { agentId: spawned.agentId, workUnitId: unit.workUnitId, goal, status: 'active' };
    expect(await read(studio, '/agents')).toEqual([info]);
    expect(await read(studio, '/participants')).toEqual([
      { id: spawned.agentId, kind: 'agent', workUnitId: unit.workUnitId, status: 'active' },
    ]);
    expect(await toolData(studio, 'svc_v1_agent_status', { agentId: spawned.agentId })).toEqual({
      agentId: spawned.agentId,
      status: 'active',
    });
  });

  it('that review leave the queue alone', async () => {
    const { studio } = await begun();
    const unit = await makeUnit(studio);
    await post(studio, '/agents/spawn', { agentType: 'reviewer', workUnitId: unit.workUnitId });
    expect(await statusOf(studio, unit)).toBe('Created');
  });

  it('are paused and resumed, and their work with them', async () => {
    const { studio, unit, path } = await begun();
    expect(await post(studio, `${path}/pause`)).toMatchObject({ status: 'paused' });
    expect(await statusOf(studio, unit)).toBe('Waiting');
    await queue(studio, unit);
    expect(await statusOf(studio, unit)).toBe('Waiting');
    expect(await post(studio, `${path}/resume`)).toMatchObject({ status: 'active' });
    expect(await statusOf(studio, unit)).toBe('Queued');
  });

  it('are stopped for good, and their work waits for a person', async () => {
    const { studio, unit, path, spawned } = await begun();
    expect(await toolData(studio, 'svc_v1_agent_stop', { agentId: spawned.agentId })).toMatchObject({
      status: 'stopped',
    });
    expect(await read(studio, '/agents')).toEqual([]);
    expect(await read(studio, '/agents?all=true')).toHaveLength(1);
    expect(await statusOf(studio, unit)).toBe('Waiting');
    await expectRefusal(studio, ['POST', `${path}/resume`], 409, 'wrong_state');
    expect(await read(studio, '/scheduler/awaiting-resume')).toMatchObject([{ parkedReason: 'Resume' }]);
  });

  it('stop when their unit is cancelled', async () => {
    const { studio, unit, path } = await begun();
    await post(studio, `/workunits/${unit.workUnitId}/cancel`);
    expect(await read(studio, `${path}/status`)).toMatchObject({ status: 'stopped' });
  });

  it('are listed by session', async () => {
    const { studio, unit, spawned } = await begun();
    const other = await makeUnit(studio);
    const begin = (rootWorkUnitId: string) =>
      post<{ sessionId: string }>(studio, '/sessions', { rootWorkUnitId, profileIds: ['worker'] });
    const mine = await begin(unit.workUnitId);
    const none = await begin(other.workUnitId);
    expect(await read(studio, `/agents?sessionId=${mine.sessionId}`)).toMatchObject([{ agentId: spawned.agentId }]);
    expect(await read(studio, `/agents?sessionId=${none.sessionId}`)).toEqual([]);
    await expectRefusal(studio, ['GET', '/agents?sessionId=none'], 404, 'session_not_found');
  });

  it('tell as participants what they did', async () => {
    const { studio, spawned } = await begun();
    await post(studio, `/agents/${spawned.agentId}/pause`);
    const events = await toolData<{ events: { eventType: string }[] }>(studio, 'svc_v1_participant_events', {
      id: spawned.agentId,
      limit: 2,
    });
    expect(events).toMatchObject({ participantId: spawned.agentId, count: 2 });
    expect(events.events.at(-1)?.eventType).toBe('AgentPaused');
    expect(await post(studio, `/participants/${spawned.agentId}/stop`)).toEqual({ id: spawned.agentId, stopped: true });
  });

  it('are refused where something that they name is not there or over', async () => {
    const { studio, unit, given } = await begun();
    await expectRefusal(studio, ['POST', '/agents/spawn', { ...given, workUnitId: 'none' }], 404, 'workunit_not_found');
    await expectRefusal(studio, ['POST', '/agents/spawn', { ...given, profileId: 'none' }], 404, 'profile_not_found');
    await expectRefusal(studio, ['POST', '/agents/spawn', {}], 400, 'invalid_input');
    for (const step of ['pause', 'resume', 'stop'])
      await expectRefusal(studio, ['POST', `/agents/none/${step}`], 404, 'agent_not_found');
    await expectRefusal(studio, ['GET', '/agents/none/status'], 404, 'agent_not_found');
    await expectRefusal(studio, ['POST', '/participants/none/stop'], 404, 'agent_not_found');
    await expectRefusal(studio, ['GET', '/participants/none/events'], 404, 'agent_not_found');
    await post(studio, `/workunits/${unit.workUnitId}/cancel`);
    await expectRefusal(studio, ['POST', '/agents/spawn', given], 409, 'wrong_state');
    expect(await tool(studio, 'svc_v1_agent_pause', { agentId: 'none' })).toMatchObject({
      code: 'reject.agent_not_found',
    });
  });
});

describe('agent profiles', () => {
  const profile = {
    agentProfileId: 'mine',
    name: 'Mine',
    stage: 'Execute',
    systemPrompt: 'work',
    allowedTools: ['task_list'],
    maxIterations: 0,
  };
  const shown = { ...profile, maxIterations: 20, fileScopePatterns: [], injectApiKeyEnv: false };

  it('are there from the start', async () => {
    const studio = await startTestStudio();
    const found = await read<{ agentProfileId: string }[]>(studio, '/agent-profiles');
    const ids = found.map(({ agentProfileId }) => agentProfileId);
    expect(ids).toEqual(['orchestrator', 'planner', 'worker', 'reviewer', 'reconciler']);
    const answer = await studio.call('PUT', '/studio/agent-profiles/worker', { body: { maxIterations: 7 } });
    expect(answer.json).toEqual({ ...found[2], maxIterations: 7 });
    expect(await read(studio, '/agent-profiles')).toEqual(found.with(2, answer.json as { agentProfileId: string }));
  });

  it('are made under the id of the body or of the path, which must not differ', async () => {
    const studio = await startTestStudio();
    expect(await post(studio, '/agent-profiles', profile)).toEqual(shown);
    expect(await read(studio, '/agent-profiles/mine')).toEqual(shown);
    const { agentProfileId: _id, ...rest } = profile;
    expect(await post(studio, '/agent-profiles/other', rest)).toEqual({ ...shown, agentProfileId: 'other' });
    expect(await post(studio, '/agent-profiles/mine', { ...profile, name: 'Ours' })).toEqual({
      ...shown,
      name: 'Ours',
    });
    await expectRefusal(studio, ['POST', '/agent-profiles/other', profile], 400, 'invalid_input');
    await expectRefusal(studio, ['PUT', '/agent-profiles/none', { name: 'x' }], 404, 'profile_not_found');
    await expectRefusal(studio, ['GET', '/agent-profiles/none'], 404, 'profile_not_found');
  });
});

it('observers and executors are listed', async () => {
  const studio = await startTestStudio();
  const observers = await read<{ titlePrefix: string }[]>(studio, '/domain-agents');
  expect(observers.map(({ titlePrefix }) => titlePrefix)).toContain('[SecurityAgent] ');
  const executors = await read<{ name: string }[]>(studio, '/executors');
  expect(executors.map(({ name }) => name)).toEqual(['native', 'claude-code', 'codex', 'acp']);
});

describe('executors', () => {
  const can = async (studio: TestStudio) =>
    Object.fromEntries(
      (await read<{ name: string; capabilities: Record<string, boolean> }[]>(studio, '/executors')).map((one) => [
        one.name,
        Object.keys(one.capabilities).filter((ability) => one.capabilities[ability]),
      ]),
    );
  const line = ['turnTelemetry', 'resume', 'mcp'];
  const all = ['turnTelemetry', 'resume', 'hooks', 'subAgents', 'mcp', 'planningMode'];

  it('are able to do nothing where they cannot be started: without a command, or while a recording answers', async () => {
    expect(await can(await startTestStudio())).toEqual({ native: all, 'claude-code': line, codex: line, acp: [] });
    const named = await startTestStudio(undefined, { models: { commands: { acp: ['an-agent'] } } });
    expect(await can(named)).toMatchObject({ acp: ['turnTelemetry', 'resume', 'hooks', 'mcp'] });
    const replay = join(await tempFolder(), 'recording');
    await writeFile(replay, '{"script":1}\n');
    const replayed = await startTestStudio(undefined, { models: { replay } });
    expect(await can(replayed)).toEqual({ native: all, 'claude-code': [], codex: [], acp: [] });
  });
});
