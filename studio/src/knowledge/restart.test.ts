import { expect, it } from 'vitest';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { callTool } from '../testing/call-tool.js';
import { type TestStudio, startTestStudio } from '../testing/test-studio.js';

async function post(studio: TestStudio, path: string, body: object): Promise<Record<string, never>> {
  const answer = await studio.call('POST', `/studio/${path}`, { body });
  expect(answer, path).toMatchObject({ status: 200 });
  return answer.json as Record<string, never>;
}

it('what is known is the same after a restart', async () => {
  const host = createHost({ store: memoryStore() });
  const before = await startTestStudio(host);
  const { workUnitId } = await post(before, 'workunits', { goal: 'g' });
  const rule = { title: 't', body: 'b' };
  const research = { ...rule, workUnitId, type: 'Research' };
  const { artifactId } = await post(before, 'artifacts', research);
  const { artifactId: below } = await post(before, 'artifacts', { ...research, parentArtifactId: artifactId });
  await post(before, 'artifacts', { ...research, type: 'Supersession', supersedes: [below] });
  await post(before, 'artifacts/plan', { workUnitId, planContent: '{"slices":[{"sliceId":"a","goal":"g"}]}' });
  const { artifactId: lineage } = await post(before, 'artifacts', { ...research, type: 'Constraint' });
  await post(before, `constraints/${String(lineage)}/promote`, {});
  const { artifactId: moved } = await post(before, 'constraints', { ...rule, reach: 'Private' });
  await post(before, `constraints/${String(moved)}/scope`, { reach: 'Workgroup' });
  await post(before, `constraints/${String(moved)}/toggle`, { disabled: true });
  await post(before, 'constraints', { ...rule, reach: 'Private' });
  await callTool(before, 'svc_v1_artifact_invalidate', { artifactId, reason: 'no' });
  const guideline = { kind: 'KnowledgeGuideline', title: 'x', summary: 'y' };
  const { imported } = await post(before, 'findings/import', { findings: [guideline] });
  await post(before, `findings/${(imported as { findingId: string }[])[0]!.findingId}/review`, { decision: 'promote' });
  await post(before, 'trajectory', { workUnitId, phase: 'Executing' });
  await post(before, 'reasoning', { workUnitId, agentId: 'a', inputStage: 'Plan', action: 'look' });
  await post(before, 'hypotheses/fork', { goal: 'h', forkType: 'Code' });
  const forks = [{ constraintText: 'a' }, { constraintText: 'b' }];
  const experiment = await post(before, 'experiments', { goal: 'e', owner: 'ann', forkType: 'Library', forks });
  const { parentWorkUnitId, forkWorkUnitIds } = experiment;
  await post(before, `experiments/${String(parentWorkUnitId)}/converge`, { winnerId: forkWorkUnitIds![0] });
  await post(before, 'projections/snapshots', { workUnitId });
  const paths = [
    ...[`artifacts?workUnitId=${String(workUnitId)}`, 'constraints', 'constraints/proposed', 'findings', 'hypotheses'],
    ...['experiments', 'projections/snapshots', 'replay/timeline', 'causal/frontier', 'workspace-summary'],
    ...['ReasoningCommitGraph', 'GoalGraph', 'TrajectoryTimeline'].map((type) => `projections/${type}?level=Full`),
    `projections/AgentWorkspace?level=Full&workUnitId=${String(workUnitId)}`,
  ];
  const shown = (studio: TestStudio) =>
    Promise.all(paths.map(async (path) => (await studio.call('GET', `/studio/${path}`)).text));
  const was = await shown(before);
  await before.close();
  const after = await startTestStudio(host);
  expect(await shown(after)).toEqual(was);
  expect(was.filter((text) => text === '[]' || text.startsWith('{"error"'))).toEqual([]);
  expect([...before.log, ...after.log]).toEqual([]);
});
