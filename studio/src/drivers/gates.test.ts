/** What stands between the work of an agent and the repository of the user: evidence, reviews, and time to object. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type Asked, type Turn, scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

type Call = NonNullable<Turn['calls']>[number];

const write = (content: string): Call => ['workspace_write', { path: 'new.txt', content }];
const propose: Call = ['merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'new' }];
const approve: Call = ['merge_review', { decision: 'Approved', verificationResults: 'read it' }];

/** One worker, whose n-th conversation goes as written; reviewers approve. Answers how to begin. */
async function open(
  conversations: readonly (readonly (readonly Call[])[])[],
  policy: object,
  wall = new ManualClock(),
) {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': '1\n' });
  const said: string[] = [];
  let conversation = -1;
  const say = ({ role, turn, ...asked }: Asked): Turn => {
    if (role === 'reviewer') return { calls: [approve] };
    said.push(asked.said);
    if (turn === 0) conversation += 1;
    return { calls: conversations[conversation]?.[turn] ?? [] };
  };
  const atWork = await agentsAtWork({ models: scriptedModels(say), folder: await tempFolder(), wall });
  await atWork.call('repository.register', { path: user });
  const begin = async (): Promise<string> => {
    const given = { goal: 'Something new', ...policy };
    const { workUnitId } = (await atWork.call('workunit.create', given)) as { workUnitId: string };
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    return workUnitId;
  };
  const proposals = () => atWork.records.proposals.all();
  const landed = () => readFile(join(user, 'new.txt'), 'utf8').catch(() => undefined);
  return { atWork, begin, said, proposals, landed };
}

const byAgents = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
const hybrid = { workspaceReviewPolicy: 'Hybrid', workspaceReviewHybridTimeoutMinutes: 10 };

describe('what stands between an agent and the repository', () => {
  it('is its own tests, where that is wanted: what does not pass them is sent back with the reason', async () => {
    const { atWork, begin, said, proposals, landed } = await open(
      [
        [
          [write('1\n'), propose],
          [write('2\n'), propose],
        ],
      ],
      byAgents,
    );
    await atWork.call('option.change', { requireTestBeforeProposal: true, testCommand: 'grep -q 2 new.txt' });
    const id = await begin();
    await atWork.until(({ workUnits }) => ['Merged', 'DeadLettered'].includes(workUnits.get(id)!.status));
    expect(proposals().map(({ status, reviewNotes }) => [status, reviewNotes])).toEqual([
      ['Rejected', expect.stringContaining('the test has failed') as string],
      ['Merged', undefined],
    ]);
    const reasons = said.filter((text) => text.includes('was rejected')).map((text) => /.*Why: (.*)/s.exec(text)?.[1]);
    expect(reasons.map((text) => text?.split('\n')[0])).toEqual([proposals()[0]?.reviewNotes?.split('\n')[0]]);
    expect(await landed()).toBe('2\n');
  });

  it('is a person, for whom a goal says what waits', async () => {
    const { atWork, begin, proposals, landed } = await open([[[write('1\n'), propose]]], {});
    const goalId = await begin();
    const pending = async () =>
      ((await atWork.call('external-goal.status', { goalId })) as { pendingReviews: object[] }).pendingReviews;
    expect(await pending()).toEqual([]);
    await atWork.until(() => proposals()[0]?.status === 'ReadyForReview');
    const [{ proposalId } = { proposalId: '' }] = proposals();
    const waits = { proposalId, workUnitId: goalId, summary: 'new' };
    expect(await pending()).toEqual([{ ...waits, action: 'review' }]);
    await atWork.call('merge.review', { proposalId, decision: 'Approved' });
    await atWork.settled();
    expect([await landed(), await pending()]).toEqual([undefined, [{ ...waits, action: 'apply' }]]);
    await atWork.call('merge.apply', { proposalId });
    await atWork.until(({ workUnits }) => workUnits.get(goalId)?.status === 'Merged');
    expect([await landed(), await pending()]).toEqual(['1\n', []]);
  });

  it('is a person who objects in the time that a hybrid policy gives', async () => {
    const wall = new ManualClock();
    const script = [
      [[write('1\n'), propose]],
      [[['workspace_read', { path: 'new.txt' }], write('2\n'), propose]],
    ] as const;
    const { atWork, begin, said, proposals, landed } = await open(script, hybrid, wall);
    const id = await begin();
    const isApproved = (count: number) => () =>
      proposals().length === count && proposals().at(-1)?.status === 'Approved';
    await atWork.until(isApproved(1));
    wall.pass(9 * 60_000);
    const objection = { proposalId: proposals()[0]!.proposalId, decision: 'Rejected', notes: 'say two' };
    await atWork.call('merge.review', objection);
    await atWork.until(isApproved(2));
    expect(said.at(-1)).toContain('say two');
    // What was left of the first window is nothing to the second.
    wall.pass(2 * 60_000);
    await atWork.settled();
    expect(await landed()).toBeUndefined();
    wall.pass(8 * 60_000);
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Merged');
    expect(await landed()).toBe('2\n');
  });

  it('is a person alone where people decide, whatever an agent says', async () => {
    const { atWork, begin, proposals, landed } = await open([[[write('1\n'), propose, approve]]], {});
    await atWork.call('agent-profile.update', { profileId: 'worker', allowedTools: [] });
    const id = await begin();
    await atWork.until(() => proposals()[0]?.status === 'ReadyForReview');
    await atWork.settled();
    expect(atWork.records.workUnits.get(id)?.status).toBe('Proposed');
    expect(atWork.records.agents.where('workUnit', id).map(({ profileId }) => profileId)).toEqual(['worker']);
    const { proposalId } = proposals()[0]!;
    await atWork.call('merge.review', { proposalId, decision: 'Approved' });
    await atWork.settled();
    expect(await landed()).toBeUndefined();
    await atWork.call('merge.apply', { proposalId });
    await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'Merged');
    expect(await landed()).toBe('1\n');
  });
});
