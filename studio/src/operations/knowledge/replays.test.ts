import { describe, expect, it } from 'vitest';
import { callTool } from '../../testing/doors/call-tool.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const PATH = '/studio/replay';
const refused = (status: number, code: string) => ({ status, json: { code } });

interface Entry {
  readonly eventId: string;
  readonly kind: string;
}

async function unit(studio: TestStudio, body: object = {}): Promise<string> {
  const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'build it', ...body } });
  return (json as { workUnitId: string }).workUnitId;
}

const kinds = (json: unknown): string[] => (json as Entry[]).map(({ kind }) => kind);

describe('replay', () => {
  it('tells everything, oldest first, a page at a time', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    await studio.call('POST', `/studio/workunits/${workUnitId}/cancel`);
    const all = await studio.call('GET', `${PATH}/timeline`, { as: 'read' });
    expect(kinds(all.json)).toEqual(['WorkUnitCreated', 'GoalCreated', 'WorkUnitStatusChanged', 'GoalStatusChanged']);
    expect((all.json as Entry[])[2]).toMatchObject({
      eventId: 'ev-3',
      entity: 'work-unit',
      entityId: workUnitId,
      workUnitId,
      by: 'operate',
      payload: { workUnitId, previousStatus: 'Created', newStatus: 'Cancelled' },
    });
    const first = await studio.call('GET', `${PATH}/timeline?limit=3`);
    const cursor = String(first.headers['x-next-cursor']);
    expect(kinds((await studio.call('GET', `${PATH}/timeline?cursor=${cursor}`)).json)).toEqual(['GoalStatusChanged']);
  });

  it('tells of one branch, whatever its name', async () => {
    const studio = await startTestStudio();
    await unit(studio);
    const branchId = 'merge/wu-1';
    const workUnitId = await unit(studio, { branchId });
    const name = encodeURIComponent(branchId);
    for (const path of [name, `-?branchId=${name}`, `other?branchId=${name}`]) {
      const { json } = await studio.call('GET', `${PATH}/timeline/${path}`);
      expect(json, path).toMatchObject([{ kind: 'WorkUnitCreated', eventId: 'ev-3' }, { kind: 'GoalCreated' }]);
    }
    const range = await studio.call('GET', `${PATH}/range/${name}?fromNode=ev-4&toNode=ev-4`);
    expect(range.json).toMatchObject({ branchId, nodes: [{ eventId: 'ev-4', causedByEventId: 'ev-3' }] });
    expect(await callTool(studio, 'svc_v1_replay_range', { branchId })).toMatchObject({
      data: { nodes: [{ eventId: 'ev-3' }, { eventId: 'ev-4' }] },
    });
    const inspected = await studio.call('GET', `${PATH}/inspect/${name}?nodeId=ev-1`);
    expect(inspected.json).toMatchObject({
      branchId,
      workUnitIds: [workUnitId],
      eventCount: 2,
      firstEventId: 'ev-3',
      lastEventId: 'ev-4',
      kinds: { WorkUnitCreated: 1, GoalCreated: 1 },
      node: { eventId: 'ev-1' },
    });
    expect((await studio.call('GET', `${PATH}/timeline/none`)).json).toEqual([]);
    for (const path of ['range/main?fromNode=ev-99', 'range/main?toNode=none', 'inspect/main?nodeId=ev-0'])
      expect(await studio.call('GET', `${PATH}/${path}`), path).toMatchObject(refused(404, 'reject.event_not_found'));
    expect(await studio.call('GET', `${PATH}/timeline/main?branchId=a&branchId=b`)).toMatchObject(
      refused(400, 'reject.invalid_input'),
    );
  });
});

describe('the causal graph', () => {
  it('shows what stands on what', async () => {
    const studio = await startTestStudio();
    await unit(studio);
    const { json } = await studio.call('GET', '/studio/causal/frontier', { as: 'read' });
    const { frontierHeads } = json as { frontierHeads: [string] };
    expect(frontierHeads).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    const nodeIdHex = frontierHeads[0];
    const below = (await studio.call('GET', `/studio/causal/parents/${nodeIdHex}`)).json as { parentIds: string[] };
    expect(below).toMatchObject({ nodeIdHex, nodeFound: true });
    const nowhere = '0'.repeat(64);
    expect((await studio.call('GET', `/studio/causal/parents/${nowhere}`)).json).toEqual({
      nodeIdHex: nowhere,
      parentIds: [],
      nodeFound: false,
    });
    const body = { peerNodeIdsHex: [nodeIdHex, nowhere] };
    const diff = (await studio.call('POST', '/studio/causal/sync-diff', { body })).json as { onlyInServer: string[] };
    expect(diff).toMatchObject({ onlyInPeer: [nowhere] });
    expect(diff.onlyInServer).toEqual(expect.arrayContaining(below.parentIds));
    expect(diff.onlyInServer).not.toContain(nodeIdHex);
    expect(await studio.call('GET', '/studio/causal/parents/x')).toMatchObject(refused(400, 'reject.invalid_input'));
  });

  it('resolves to the events of the workgroup, and to nothing private', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    await studio.call('POST', '/studio/constraints', { body: { title: 't', body: 'b', reach: 'Private' } });
    const answer = (await callTool(studio, 'svc_v1_causal_get_resolution')) as { data: { entries: { key: string }[] } };
    const keys = answer.data.entries.map(({ key }) => key);
    expect(keys).toEqual([`studio/goal/${workUnitId}/0`, `studio/work-unit/${workUnitId}/0`]);
  });
});

describe('nodes', () => {
  it('are read as they are recorded, but for what is local', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const read = (kind: string, entityId: string) =>
      studio.call('GET', `/studio/nodes?kind=${encodeURIComponent(kind)}&entityId=${entityId}`, { as: 'read' });
    expect((await read('studio/work-unit/v1', workUnitId)).json).toMatchObject({ workUnitId, fanOutInfo: {} });
    expect(await read('studio/work-unit/v1', 'none')).toMatchObject(refused(404, 'reject.node_not_found'));
    const made = await studio.call('POST', '/studio/constraints', {
      body: { title: 't', body: 'b', reach: 'Private' },
    });
    const { artifactId } = made.json as { artifactId: string };
    for (const kind of ['studio/private-artifact/v1', 'studio/weather/v1', 'work-unit'])
      expect(await read(kind, artifactId)).toMatchObject(refused(400, 'reject.invalid_input'));
  });
});

describe('how things stand', () => {
  it('is told of agents with their work', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const shown = { workUnitId, currentGoal: 'build it', failureCount: 0, rollbackCount: 0 };
    const next = { nextSuggestedAction: 'Enqueue it.' };
    const one = await studio.call('GET', `/studio/snapshots/a-1?workUnitId=${workUnitId}`);
    expect(one.json).toEqual({ agentId: 'a-1', ...shown, ...next });
    const both = await studio.call('GET', `/studio/snapshots/a-1/compare/a-2?workUnitId=${workUnitId}`);
    expect(both.json).toMatchObject({ workUnitId, otherSnapshot: { agentId: 'a-2' }, differingFields: [] });
    expect(await studio.call('GET', '/studio/snapshots/a-1')).toMatchObject(refused(400, 'reject.invalid_input'));
    await callTool(studio, 'svc_v1_workunit_update', { workUnitId, assignedAgent: 'a-1' });
    expect((await studio.call('GET', '/studio/snapshots/a-1')).json).toMatchObject(shown);
    for (const path of ['a-1', 'a-1/compare/a-2'])
      expect(await studio.call('GET', `/studio/snapshots/${path}?workUnitId=none`)).toMatchObject(
        refused(404, 'reject.workunit_not_found'),
      );
  });

  it('is told of the workspace', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio, { branchId: 'a' });
    const over = await unit(studio);
    await studio.call('POST', `/studio/workunits/${over}/cancel`);
    const none = { activeAgents: [], pendingMerges: [], failures: [], knownGoodStates: [] };
    const summary = await studio.call('GET', '/studio/workspace-summary', { as: 'read' });
    expect(summary.json).toEqual({ activeWorkUnits: [workUnitId], ...none });
    expect(await callTool(studio, 'svc_v1_workspace_summary', { branchId: 'b' })).toMatchObject({
      data: { activeWorkUnits: [] },
    });
    const status = await studio.call('GET', `/studio/workspace-status?workUnitId=${workUnitId}&limit=5`);
    expect(status.json).toMatchObject({
      workUnitId,
      currentWorkUnitStatus: 'Created',
      changedFiles: [],
      proposalSummaries: [],
      truncated: false,
      limit: 5,
      offset: 0,
      nextOffset: null,
    });
    const dag = await studio.call('GET', `/studio/workunits/${workUnitId}/proposal-dag`);
    expect(dag.json).toEqual({ workUnitId, proposals: [], branches: [], mergeProposal: null });
    for (const path of ['workspace-status?workUnitId=none', 'workunits/none/proposal-dag'])
      expect(await studio.call('GET', `/studio/${path}`)).toMatchObject(refused(404, 'reject.workunit_not_found'));
  });
});
