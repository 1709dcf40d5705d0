import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it } from 'vitest';
import { callTool } from '../../testing/doors/call-tool.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

/** What the answers to all these have, as far as this needs it. */
interface Made {
  readonly workUnitId: string;
  readonly artifactId: string;
  readonly parentWorkUnitId: string;
  readonly forkWorkUnitIds: readonly string[];
  readonly imported: readonly { readonly findingId: string }[];
}

async function post(studio: TestStudio, path: string, body: object): Promise<Made> {
  const answer = await studio.call('POST', `/studio/${path}`, { body });
  expect(answer, path).toMatchObject({ status: 200 });
  return answer.json as Made;
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
  await post(before, `constraints/${lineage}/promote`, {});
  const { artifactId: moved } = await post(before, 'constraints', { ...rule, reach: 'Private' });
  await post(before, `constraints/${moved}/scope`, { reach: 'Workgroup' });
  await post(before, `constraints/${moved}/toggle`, { disabled: true });
  await post(before, 'constraints', { ...rule, reach: 'Private' });
  await callTool(before, 'svc_v1_artifact_invalidate', { artifactId, reason: 'no' });
  const guideline = { kind: 'KnowledgeGuideline', title: 'x', summary: 'y' };
  const { imported } = await post(before, 'findings/import', { findings: [guideline] });
  await post(before, `findings/${imported[0]?.findingId}/review`, { decision: 'promote' });
  await post(before, 'trajectory', { workUnitId, phase: 'Executing' });
  await post(before, 'reasoning', { workUnitId, agentId: 'a', inputStage: 'Plan', action: 'look' });
  await post(before, 'hypotheses/fork', { goal: 'h', forkType: 'Code' });
  const forks = [{ constraintText: 'a' }, { constraintText: 'b' }];
  const experiment = await post(before, 'experiments', { goal: 'e', owner: 'ann', forkType: 'Library', forks });
  const { parentWorkUnitId, forkWorkUnitIds } = experiment;
  await post(before, `experiments/${parentWorkUnitId}/converge`, { winnerId: forkWorkUnitIds[0] });
  await post(before, 'projections/snapshots', { workUnitId });
  const paths = [
    ...[`artifacts?workUnitId=${workUnitId}`, 'constraints', 'constraints/proposed', 'findings', 'hypotheses'],
    ...['experiments', 'projections/snapshots', 'replay/timeline', 'causal/frontier', 'workspace-summary'],
    ...['ReasoningCommitGraph', 'GoalGraph', 'TrajectoryTimeline'].map((type) => `projections/${type}?level=Full`),
    `projections/AgentWorkspace?level=Full&workUnitId=${workUnitId}`,
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
