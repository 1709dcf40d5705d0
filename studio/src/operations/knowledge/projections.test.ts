import { describe, expect, it, onTestFinished } from 'vitest';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { recordArtifact } from '../../rules/knowledge/artifacts.js';
import { Ledger } from '../../record/ledger/ledger.js';
import { callTool } from '../../testing/doors/call-tool.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import { createRecords } from '../../record/views/records.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import type { Caller } from '../kernel/caller.js';
import { contextOf } from '../kernel/context.js';
import { get } from './projections.js';
import { testShared } from '../../testing/record/test-shared.js';

const PATH = '/studio/projections';
const refused = (status: number, code: string) => ({ status, json: { code } });

interface Snapshot {
  readonly snapshotId: string;
}

async function unit(studio: TestStudio): Promise<string> {
  const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'build it' } });
  return (json as { workUnitId: string }).workUnitId;
}

async function research(studio: TestStudio, workUnitId: string): Promise<string> {
  const body = { workUnitId, type: 'Research', title: 'found', body: 'x'.repeat(600) };
  const { json } = await studio.call('POST', '/studio/artifacts', { body });
  return (json as { artifactId: string }).artifactId;
}

describe('projections', () => {
  it('are listed, and shown at a level', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    await research(studio, workUnitId);
    const { json } = await studio.call('GET', PATH, { as: 'read' });
    const { types, levels } = json as { types: string[]; levels: string[] };
    expect([types.length, levels]).toEqual([17, ['Full', 'Normal', 'Compact', 'Emergency']]);
    for (const type of types)
      expect(await studio.call('GET', `${PATH}/${type}?workUnitId=${workUnitId}&agentId=a`)).toMatchObject({
        status: 200,
        json: { contractVersion: 'v1', projectionType: type, level: 'Normal', truncated: false },
      });
    const compact = await studio.call('GET', `${PATH}/AgentWorkspace?workUnitId=${workUnitId}&level=Compact`);
    expect(compact.json).toMatchObject({ level: 'Compact', truncated: true });
    const tool = { projectionType: 'WorkUnit', workUnitId };
    expect(await callTool(studio, 'svc_v1_projection_get', tool)).toMatchObject({
      data: { data: { workUnitId, goal: 'build it' } },
    });
  });

  it('are refused where they cannot be shown', async () => {
    const studio = await startTestStudio();
    const wrong = [
      ['WorkUnit', 400, 'reject.invalid_input'],
      ['WorkUnit?workUnitId=none', 404, 'reject.workunit_not_found'],
      ['Weather', 400, 'reject.invalid_input'],
      ['GoalGraph?level=Tiny', 400, 'reject.invalid_input'],
      ['RunRetrospective?since=yesterday', 400, 'reject.invalid_input'],
    ] as const;
    for (const [path, status, code] of wrong)
      expect(await studio.call('GET', `${PATH}/${path}`)).toMatchObject(refused(status, code));
    const since = encodeURIComponent('2020-01-01T00:00:00+02:00');
    expect(await studio.call('GET', `${PATH}/RunRetrospective?since=${since}`)).toMatchObject({ status: 200 });
  });

  it('note what an agent is shown of others, once and never of what is private', async () => {
    const host = createHost({ store: memoryStore() });
    const records = createRecords();
    const ids = [0];
    const newId = (prefix: string): string => `${prefix}${ids[0]!++}`;
    const [now, log] = [() => '2026-01-01T00:00:00.000Z', () => undefined];
    const rooms = { workgroup: await host.room('~w'), local: await host.room('~l') };
    const ledger = await Ledger.open({ ...rooms, hostId: 'h', collections: Object.values(records), now, newId, log });
    onTestFinished(async () => {
      ledger.close();
      await host.close();
    });
    const shared = await testShared({ ledger, records, workgroup: rooms.workgroup, log: [] });
    const { workUnitId } = await ledger.change('ann', (open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
    const given = { type: 'Research', title: 't', body: 'b', workUnitId } as const;
    const [other] = await ledger.change('ann', (open) => [
      recordArtifact(open, records, { ...given, agentId: 'a-2' }),
      recordArtifact(open, records, { ...given, agentId: 'a-1' }),
      recordArtifact(open, records, given),
    ]);
    await ledger.change('ann', (open) =>
      recordArtifact(open, records, { ...given, type: 'Constraint', reach: 'Private' }),
    );
    const agent: Caller = { name: 'a-1', kind: 'agent', scope: 'operate', internal: false, agentId: 'a-1' };
    const read = (caller: Caller) =>
      get.call(
        contextOf(shared, { caller, show: (answer) => answer }),
        get.parse({ projectionType: 'AgentWorkspace', workUnitId }),
      );
    await read({ ...agent, kind: 'person' });
    expect(records.artifactFeedback.all()).toEqual([]);
    await read(agent);
    await read(agent);
    const [noted, ...others] = records.artifactFeedback.all();
    expect(others).toEqual([]);
    expect(noted).toMatchObject({
      artifactId: other!.artifactId,
      surfaced: [{ surfacedToAgentId: 'a-1', projectionType: 'AgentWorkspace' }],
    });
  });
});

describe('snapshots', () => {
  it('keep what was known, and say what has changed', async () => {
    const studio = await startTestStudio();
    const workUnitId = await unit(studio);
    const first = await research(studio, workUnitId);
    const take = async () =>
      (await studio.call('POST', `${PATH}/snapshots`, { body: { workUnitId } })).json as Snapshot;
    const a = await take();
    expect(a).toMatchObject({
      workUnitId,
      workUnitStatus: 'Created',
      artifacts: [{ artifactId: first, status: 'Active' }],
    });
    const second = await research(studio, workUnitId);
    await callTool(studio, 'svc_v1_artifact_invalidate', { artifactId: first, reason: 'no' });
    const b = await take();
    expect((await studio.call('GET', `${PATH}/snapshots/${a.snapshotId}`)).json).toEqual(a);
    expect((await studio.call('GET', `${PATH}/snapshots?workUnitId=${workUnitId}`)).json).toEqual([a, b]);
    expect((await studio.call('GET', `${PATH}/snapshots?workUnitId=none`)).json).toEqual([]);
    const stale = { snapshotId: a.snapshotId, isStale: true, staleArtifactIds: [first] };
    expect((await studio.call('GET', `${PATH}/snapshots/${a.snapshotId}/stale`)).json).toEqual(stale);
    const fresh = await callTool(studio, 'svc_v1_projection_stale_check', { snapshotId: b.snapshotId });
    expect(fresh).toMatchObject({ data: { isStale: false, staleArtifactIds: [] } });
    const [snapshotIdA, snapshotIdB] = [a.snapshotId, b.snapshotId];
    const difference = {
      snapshotIdA,
      snapshotIdB,
      onlyInA: [],
      onlyInB: [second],
      differingStatus: [{ artifactId: first, statusA: 'Active', statusB: 'Invalidated' }],
    };
    const compared = await studio.call('GET', `${PATH}/snapshots/compare?a=${snapshotIdA}&b=${snapshotIdB}`);
    expect(compared.json).toEqual(difference);
    expect(await callTool(studio, 'svc_v1_projection_compare', { snapshotIdA, snapshotIdB })).toMatchObject({
      data: difference,
    });
  });

  it('are refused where there are none', async () => {
    const studio = await startTestStudio();
    for (const path of ['none', 'none/stale', 'compare?a=none&b=none'])
      expect(await studio.call('GET', `${PATH}/snapshots/${path}`)).toMatchObject(
        refused(404, 'reject.snapshot_not_found'),
      );
    const none = await studio.call('POST', `${PATH}/snapshots`, { body: { workUnitId: 'none' } });
    expect(none).toMatchObject(refused(404, 'reject.workunit_not_found'));
  });
});
