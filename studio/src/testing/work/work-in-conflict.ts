/** Agents at work on parts that change the same file, so that what one of them proposes cannot land. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ModelMessage } from '../../models/provider.js';
import { type AgentsAtWork, type AtWork, agentsAtWork } from './agents-at-work.js';
import { gitRepository } from '../git/git-repository.js';
import { type Asked, type Turn, scriptedModels } from '../models/scripted-models.js';
import { tempFolder } from '../temp-folder.js';

type Files = Readonly<Record<string, string>>;

export interface Work {
  /** Files that a worker writes, by its goal. */
  readonly files: Readonly<Record<string, Files>>;
  /** What it writes when it is told of a conflict, one after the other. */
  readonly again?: readonly Files[];
  readonly reconciled?: Files;
  /** What a worker answers before it writes and proposes anything. */
  readonly first?: (asked: Asked) => Turn | undefined;
  /** Kind of result of each part. */
  readonly expects?: 'FileChange' | 'Either';
  /** Called before a worker is answered. */
  readonly before?: (asked: Asked) => Promise<void>;
}

const agents = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
export const isTold = ({ request }: Asked): boolean =>
  request.messages.some((one) => textIn(one).includes(' cannot land: '));
const textIn = (message: ModelMessage): string => message.text;

export async function workInConflict(work: Work, more: Partial<AtWork> = {}) {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': '1\n', 'b.txt': '1\n' });
  const asked: Asked[] = [];
  const again = [...(work.again ?? [])];
  const now: { atWork?: AgentsAtWork } = {};
  const write = async ({ branchId }: Asked, files: Files): Promise<void> => {
    const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
    await now.atWork!.call('branch.resyncFiles', { branchId, files: entries, deletedPaths: [] });
  };
  const propose = ({ branchId, goal }: Asked): Turn => ({
    calls: [['merge_propose', { sourceBranch: branchId, targetBranch: 'main', summary: `did ${goal}` }]],
  });
  const script = async (one: Asked): Promise<Turn> => {
    asked.push(one);
    if (one.role === 'reviewer') {
      const proposalId = /Proposal (MP-\S+):/.exec(one.said)?.[1];
      return { calls: [['merge_review', { proposalId, decision: 'Approved', verificationResults: 'read it' }]] };
    }
    await work.before?.(one);
    const first = work.first?.(one);
    if (first) return first;
    if (one.role === 'reconciler' && !isTold(one)) await write(one, work.reconciled ?? {});
    else await write(one, isTold(one) ? (again.shift() ?? {}) : (work.files[one.goal] ?? {}));
    return propose(one);
  };
  const options = { models: scriptedModels(script), folder: await tempFolder(), ...more };
  const atWork = (now.atWork = await agentsAtWork(options));
  await atWork.call('repository.register', { path: user });
  const run = async (goal: string, parts: readonly string[] = []): Promise<string> => {
    const { workUnitId } = (await atWork.call('workunit.create', { goal, owner: 'ann', ...agents })) as {
      workUnitId: string;
    };
    const { expects: expectedOutputKind = 'FileChange' } = work;
    for (const part of parts)
      await atWork.call('workunit.create', { goal: part, parentWorkUnitId: workUnitId, expectedOutputKind });
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: parts.length > 0 ? 'orchestrator' : 'worker' });
    return workUnitId;
  };
  const { records } = atWork;
  const newestOf = (workUnitId: string) => records.proposals.where('workUnit', workUnitId).at(-1)!;
  /** Two parts whose proposals a person has approved, one of which has landed while the goal stood still: the other one is in conflict. */
  const inConflict = async (by: 'agents' | 'a person') => {
    const { workUnitId: id } = (await atWork.call('workunit.create', {
      goal: 'All of it',
      owner: 'ann',
      ...agents,
      taskReviewPolicy: 'HumanRequired',
    })) as { workUnitId: string };
    for (const goal of ['do a', 'do b']) await atWork.call('workunit.create', { goal, parentWorkUnitId: id });
    const parts = records.workUnits.where('parent', id);
    if (by === 'agents') await atWork.call('scheduler.enqueue', { workUnitId: id, profileId: 'orchestrator' });
    for (const { workUnitId, branchId, goal } of by === 'agents' ? [] : parts) {
      const entries = Object.entries(work.files[goal] ?? {}).map(([path, content]) => ({ path, content }));
      await atWork.call('branch.resyncFiles', { branchId, files: entries, deletedPaths: [] });
      const about = { sourceBranch: branchId, targetBranch: 'main', summary: goal, workUnitId };
      const { proposalId } = (await atWork.call('merge.propose', about)) as { proposalId: string };
      await atWork.call('merge.validate', { proposalId });
    }
    const ready = () => parts.every(({ workUnitId }) => newestOf(workUnitId)?.status === 'ReadyForReview');
    await atWork.until(ready);
    const { goalId } = records.goals.where('root', id)[0]!;
    await atWork.call('goal.pause', { goalId });
    for (const { workUnitId } of parts)
      await atWork.call('merge.review', { proposalId: newestOf(workUnitId).proposalId, decision: 'Approved' });
    const [first, second] = parts.map(({ workUnitId }) => newestOf(workUnitId).proposalId);
    await atWork.call('merge.apply', { proposalId: first });
    await expect(atWork.call('merge.apply', { proposalId: second })).rejects.toMatchObject({
      reason: 'reject.merge_conflict',
    });
    const [conflict] = records.conflicts.all();
    return { id, conflict: conflict!, goOn: () => atWork.call('goal.resume', { goalId }) };
  };
  return {
    inConflict,
    newestOf,
    atWork,
    records,
    asked,
    run,
    user,
    statusOf: (id: string) => records.workUnits.get(id)?.status,
    told: () => asked.filter((one) => one.role !== 'reviewer' && isTold(one)),
    file: (name: string) => readFile(join(user, name), 'utf8'),
  };
}
