import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attempt } from '../record/aggregates/attempt/attempt.js';
import { createAgentDoor } from '../doors/tools/agent.js';
import { operationTable } from '../operations/table.js';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { filesBelow } from '../testing/files-below.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { type Turn, scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

type Call = NonNullable<Turn['calls']>[number];

/** An agent of which a text in a file has taken hold; it may use all tools that agents may, or those of a worker. */
async function takenOver(calls: (others: { workUnitId: string; branchId: string }) => readonly Call[], all: boolean) {
  const base = await tempFolder();
  await gitRepository(join(base, 'user'), { 'a.txt': '1\n' });
  let others = { workUnitId: '', branchId: '' };
  const atWork = await agentsAtWork({
    models: scriptedModels(({ turn }) => (turn === 0 ? { calls: calls(others) } : {})),
    folder: join(base, 'studio'),
  });
  await atWork.call('repository.register', { path: join(base, 'user') });
  if (all) await atWork.call('agent-profile.update', { profileId: 'worker', allowedTools: [] });
  others = (await atWork.call('workunit.create', { goal: 'of others' })) as typeof others;
  const { workUnitId: id } = (await atWork.call('workunit.create', { goal: 'mine' })) as typeof others;
  await atWork.call('scheduler.enqueue', { workUnitId: id, profileId: 'worker' });
  await atWork.until(({ workUnits }) => workUnits.get(id)?.status === 'DeadLettered');
  const { toolResults } = atWork.records.conversationEntries.where('workUnit', id)[0]!;
  const codes = toolResults.map(({ result }) => (JSON.parse(result) as { code?: string }).code);
  return { atWork, id, others, codes, base };
}

/** What people are told of: each attempt as an event, and a finding for each tool that was tried. */
function told({ ledger, records }: AgentsAtWork): string[] {
  const events = ledger.feed.after(0).filter(({ stored }) => stored.aggregate === attempt.name);
  const attempts = events.map(({ stored }) => stored.event as { operation: string; target?: string });
  const tried = new Set(attempts.map(({ operation }) => operation));
  const found = records.findings.where('status', 'Open').map(({ supportingDataJson = '' }) => supportingDataJson);
  expect(found.map((text) => (JSON.parse(text) as { operation: string }).operation)).toEqual([...tried]);
  return attempts.map(({ operation, target }) => (target === undefined ? operation : `${operation}: ${target}`));
}

describe('an agent that follows what it was told by a file', () => {
  it('fault 40: is refused what only people may do, and people can see that it tried', async () => {
    const { atWork, others, codes } = await takenOver(
      ({ workUnitId }) => [
        ['dead_letter_retry', { entryId: 'DL-1' }],
        ['agent_pause', { agentId: 'agent-1' }],
        ['agent_resume', { agentId: 'agent-1' }],
        ['workunit_update', { workUnitId, status: 'Completed' }],
      ],
      true,
    );
    expect(codes).toEqual([...Array<string>(3).fill('reject.human_only'), 'reject.not_your_work']);
    expect(told(atWork)).toEqual([
      'dead-letter.retry: entryId DL-1',
      'agent.pause: agentId agent-1',
      'agent.resume: agentId agent-1',
      `workunit.update: workUnitId ${others.workUnitId}`,
    ]);
    expect(await atWork.call('finding.list', { status: 'Open' })).toMatchObject(
      ['dead-letter.retry', 'agent.pause', 'agent.resume', 'workunit.update'].map((operation) => ({
        title: `An agent tried what it may not: ${operation}`,
        source: 'Deterministic',
        supportingDataJson: expect.stringContaining(operation) as string,
      })),
    );
    expect(atWork.records.workUnits.get(others.workUnitId)?.status).toBe('Created');
  });

  it('fault 40: is refused tools that it was not given, and that is seen too', async () => {
    const { atWork, codes } = await takenOver(
      () =>
        [
          ['merge_review', {}],
          ['dead_letter_continue', {}],
        ] as const,
      false,
    );
    expect(codes).toEqual(['reject.tool_not_allowed', 'reject.tool_not_allowed']);
    expect(told(atWork)).toEqual(['merge.review', 'dead-letter.goOn']);
  });

  it('fault 40: does not approve what it has proposed itself', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'user'), { 'a.txt': '1\n' });
    const models = scriptedModels(() => ({
      calls: [
        ['workspace_write', { path: 'b.txt', content: 'mine' }],
        ['merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'mine' }],
        ['merge_review', { decision: 'Approved', verificationResults: 'trust me' }],
      ],
    }));
    const atWork = await agentsAtWork({ models, folder: join(base, 'studio') });
    await atWork.call('repository.register', { path: join(base, 'user') });
    await atWork.call('agent-profile.update', { profileId: 'worker', allowedTools: [] });
    const { workUnitId } = (await atWork.call('workunit.create', { goal: 'mine' })) as { workUnitId: string };
    await atWork.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    await atWork.until(({ conversationEntries }) => conversationEntries.all()[0]?.phase === 'done');
    // With its proposal its work is over; and what it says later is not heard either.
    const [{ toolResults } = { toolResults: [] }] = atWork.records.conversationEntries.all();
    expect(toolResults.at(-1)?.result).toBe('Not done: the work had ended.');
    const [proposal] = atWork.records.proposals.all();
    const review = { proposalId: proposal!.proposalId, decision: 'Approved', verificationResults: 'trust me' };
    const door = createAgentDoor(operationTable, atWork.shared);
    const name = 'svc_v1_merge_review';
    const { text } = await door.call({
      agentId: proposal!.agentId ?? '',
      workUnitId,
      allowed: [],
      name,
      input: review,
    });
    expect(JSON.parse(text)).toMatchObject({ code: 'reject.own_proposal' });
  });

  it('fault 40: is refused files outside of its folder, and people can see that it tried', async () => {
    const { atWork, id, codes } = await takenOver(
      () => [
        ['workspace_write', { path: '.git/config', content: 'mine' }],
        ['workspace_read', { path: '../../../etc/passwd' }],
        ['workspace_delete', { path: '../a.txt' }],
      ],
      false,
    );
    expect(codes).toEqual(Array<string>(3).fill('reject.path_outside_repository'));
    expect(told(atWork)).toEqual([
      `workspace.write: path .git/config, workUnitId ${id}`,
      `workspace.read: path ../../../etc/passwd, workUnitId ${id}`,
      `workspace.remove: path ../a.txt, workUnitId ${id}`,
    ]);
  });

  it('fault 40: writes on no branch of others, nor outside of its own folder', async () => {
    const content = 'mine';
    const {
      atWork,
      id,
      others: other,
      codes,
      base,
    } = await takenOver(
      ({ workUnitId, branchId }) => [
        ['workspace_write', { branchId, path: 'b.txt', content }],
        ['workspace_write', { workUnitId, path: 'b.txt', content }],
        ['workspace_write', { branchId: 'main', path: 'b.txt', content }],
        ['workspace_write', { path: '../../outside.txt', content }],
        ['workspace_write', { path: join('/', 'tmp', 'outside.txt'), content }],
      ],
      false,
    );
    const others = Array<string>(3).fill('reject.not_your_work');
    expect(codes).toEqual([...others, 'reject.path_outside_repository', 'reject.path_outside_repository']);
    // Each of them, though all are calls of one tool.
    expect(told(atWork)).toEqual([
      `workspace.write: branchId ${other.branchId}, path b.txt`,
      `workspace.write: path b.txt, workUnitId ${other.workUnitId}`,
      'workspace.write: branchId main, path b.txt',
      `workspace.write: path ../../outside.txt, workUnitId ${id}`,
      `workspace.write: path /tmp/outside.txt, workUnitId ${id}`,
    ]);
    expect((await filesBelow(base)).filter((name) => /(b|outside)\.txt$/.test(name))).toEqual([]);
  });
});
