/** What a program outside can do with nothing but its fifteen tools. What agents would do is done by hand, on real branches. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { toDeadLetter } from './rules/queue/dead-letters.js';
import { lease } from './rules/queue/queue.js';
import { git, gitRepository } from './testing/git/git-repository.js';
import { openRecord } from './testing/record/open-record.js';
import { tempFolder } from './testing/temp-folder.js';
import { startTestStudio } from './testing/test-studio.js';
import { toolClient } from './testing/doors/tool-client.js';

interface Goal {
  readonly goalId: string;
  readonly workUnitId: string;
}
interface Standing {
  readonly status: string;
  readonly sessionStatus: string;
  readonly pendingClarifications: readonly { readonly clarificationId: string }[];
  readonly deadLetter: { readonly recoverableActions: readonly string[] } | null;
}

async function open() {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const studio = await startTestStudio(host);
  const outside = await toolClient(studio);
  const agent = await toolClient(studio, '/mcp/internal', studio.mintAgentToken('a-1').secret);
  const { change, records, close } = await openRecord(host);
  onTestFinished(close);
  const folder = join(await tempFolder(), 'user');
  await gitRepository(folder, { 'readme.md': 'hello\n' });
  return {
    studio,
    outside,
    agent,
    folder,
    status: (goalId: string) => outside.ask<Standing>('svcs_v1_goal_status', { goalId }),
    /** The unit has its turn. */
    begin: (workUnitId: string) => change((now) => lease(now, workUnitId, 'a-1')),
    fail: (workUnitId: string) =>
      change((now) =>
        toDeadLetter(now, records, { workUnitId, kind: 'MaxIterationsExceeded', reason: 'it took long' }),
      ),
    /** The agent writes a file and offers it. */
    offer: async (repositoryId: string, workUnitId: string, path: string, content: string) => {
      await agent.ask('svc_v1_repository_blob_write', { repositoryId, workUnitId, path, content });
      const offered = { workUnitId, sourceBranch: '-', targetBranch: 'main', summary: `write ${path}`, agentId: 'a-1' };
      await agent.ask('svc_v1_merge_propose', offered);
    },
  };
}

it('a program outside registers a repository, runs a goal, follows it, answers, reads and takes over what came of it', async () => {
  const { studio, outside, agent, folder, status, begin, offer } = await open();
  expect(await outside.names()).toHaveLength(15);
  const { repositoryId } = await outside.ask<{ repositoryId: string }>('svcs_v1_repo_register', { path: folder });
  expect(await outside.ask('svcs_v1_repo_list')).toEqual({
    repositories: [{ repositoryId, path: folder, label: null }],
  });

  const wanted = { goal: 'Say hello to all.', repositoryId, successCriteria: 'The readme does.' };
  const { goalId, workUnitId } = await outside.ask<Goal>('svcs_v1_goal_run', wanted);
  expect(await status(goalId)).toMatchObject({ status: 'Exploring', sessionStatus: 'Active', deadLetter: null });

  await begin(workUnitId);
  await agent.ask('svc_v1_clarification_request', {
    workUnitId,
    question: 'In which language?',
    options: ['en', 'fr'],
  });
  expect(await outside.ask('svcs_v1_workspace_status')).toMatchObject({
    goals: { total: 1, byStatus: { Blocked: 1 } },
    pendingClarificationCount: 1,
    goalsNeedingInput: [{ goalId, clarificationCount: 1 }],
  });
  const { pendingClarifications } = await status(goalId);
  const answer = { clarificationId: pendingClarifications[0]?.clarificationId, response: 'fr' };
  expect(await outside.ask('svcs_v1_clarification_respond', answer)).toMatchObject({ workUnitId, resumed: true });
  const said = { title: 'Tone', feedback: 'Be polite.', goalId };
  expect(await outside.ask('svcs_v1_feedback_record', said)).toMatchObject({
    recorded: true,
    scope: 'goal',
    workUnitId,
    artifactId: expect.stringMatching(/^FEEDBACK-/) as string,
  });
  expect(await outside.ask('svcs_v1_feedback_record', { title: 'All', feedback: 'Be brief.' })).toMatchObject({
    scope: 'workspace',
    goalId: null,
  });

  await begin(workUnitId);
  await offer(repositoryId, workUnitId, 'readme.md', 'bonjour\n');
  expect(await status(goalId)).toMatchObject({ status: 'Converging', pendingClarifications: [] });
  const { proposals } = await outside.ask<{ proposals: { proposalId: string }[] }>('svcs_v1_results_get', { goalId });
  expect(proposals).toMatchObject([
    { status: 'Draft', summary: 'write readme.md', filesTouched: ['readme.md'], reviewNotes: null, autoApplied: false },
  ]);
  const { proposalId } = proposals[0]!;

  // Who only reads may not say yes, and neither may an agent.
  const reader = await toolClient(studio, '/mcp', 'c'.repeat(64));
  expect(await reader.refused('svcs_v1_results_apply', { proposalId })).toBe('reject.scope_missing');
  const applied = await outside.ask('svcs_v1_results_apply', { proposalId });
  expect(applied).toMatchObject({ proposalId, status: 'Merged', targetBranch: 'main', autoApplied: false });
  expect(await readFile(join(folder, 'readme.md'), 'utf8')).toBe('bonjour\n');
  expect(await git(folder, 'log', '-1', '--format=%B')).toContain(`Weft-Proposal: ${proposalId}`);
  expect(await status(goalId)).toMatchObject({ status: 'Converged', sessionStatus: 'Completed' });
  expect(await outside.refused('svcs_v1_results_apply', { proposalId })).toBe('reject.wrong_state');
  expect(await outside.refused('svcs_v1_results_get', { goalId: 'none' })).toBe('reject.goal_not_found');
});

it('a program outside recovers a goal that failed, pauses and resumes it, and begins one again that it cancelled', async () => {
  const { outside, folder, status, begin, fail, offer } = await open();
  const { repositoryId } = await outside.ask<{ repositoryId: string }>('svcs_v1_repo_register', { path: folder });
  const { goalId, workUnitId } = await outside.ask<Goal>('svcs_v1_goal_run', { goal: 'Be quick.', repositoryId });

  await begin(workUnitId);
  await fail(workUnitId);
  expect(await status(goalId)).toMatchObject({
    status: 'Blocked',
    deadLetter: { kind: 'MaxIterationsExceeded', reason: 'it took long', attemptCount: 1 },
  });
  const recover = (action: string, more: object = {}) =>
    outside.ask('svcs_v1_goal_recover', { goalId, action, ...more });
  expect((await status(goalId)).deadLetter?.recoverableActions).toContain('continue');
  expect(await recover('continue')).toEqual({ goalId, action: 'continue', outcome: 'Continued' });
  await begin(workUnitId);
  await fail(workUnitId);
  const context = { steeringContext: 'Only the first file.' };
  expect(await recover('retry_with_context', context)).toMatchObject({ outcome: 'Retried' });
  expect(await outside.refused('svcs_v1_goal_recover', { goalId, action: 'retry' })).toBe(
    'reject.dead_letter_not_found',
  );

  expect(await outside.ask('svcs_v1_goal_pause', { goalId, reason: 'lunch' })).toMatchObject({ status: 'Paused' });
  expect(await status(goalId)).toMatchObject({ status: 'Paused', pauseReason: 'lunch' });
  expect(await outside.ask('svcs_v1_goal_resume', { goalId, steering: 'Faster.' })).toMatchObject({
    status: 'Exploring',
  });

  expect(await outside.ask('svcs_v1_goal_cancel', { goalId })).toMatchObject({ cancelledWorkUnits: 1 });
  expect(await outside.ask('svcs_v1_goal_requeue', { goalId, notes: 'Once more.' })).toMatchObject({
    requeuedWorkUnits: 1,
  });
  await begin(workUnitId);
  await offer(repositoryId, workUnitId, 'new', 'x');
  const { proposals } = await outside.ask<{ proposals: { proposalId: string }[] }>('svcs_v1_results_get', { goalId });
  await outside.ask('svcs_v1_results_apply', { proposalId: proposals[0]?.proposalId });
  expect(await outside.ask('svcs_v1_goal_list')).toMatchObject({ goals: [{ goalId, status: 'Converged' }] });
  expect(await readFile(join(folder, 'new'), 'utf8')).toBe('x');
  expect(await outside.refused('svcs_v1_goal_cancel', { goalId })).toBe('reject.wrong_state');
});
