import { describe, expect, it } from 'vitest';
import { openRecord } from '../../testing/record/open-record.js';
import { recordProposal } from '../../testing/work/proposal.js';
import { expectRefusal, post, read } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Made {
  readonly goalId: string;
  readonly workUnitId: string;
}
interface Listed {
  readonly goals: readonly Made[];
}

describe('parts of lists that grow with the record', () => {
  it('are goals that are over or are not, that have all words in any case and order, and the newest of them', async () => {
    const studio = await startTestStudio();
    const [tea, coffee, green] = [
      await post<Made>(studio, '/goals', { goal: 'Make black TEA' }),
      await post<Made>(studio, '/goals', { goal: 'make coffee' }),
      await post<Made>(studio, '/goals', { goal: 'green tea, now' }),
    ];
    await post(studio, `/workunits/${coffee.workUnitId}/cancel`);
    const listed = async (query: string) =>
      (await read<Listed>(studio, `/goals?${query}`)).goals.map(({ goalId }) => goalId);
    expect(await listed('isOver=true')).toEqual([coffee.goalId]);
    expect(await listed('isOver=false')).toEqual([tea.goalId, green.goalId]);
    expect(await listed('words=tea')).toEqual([tea.goalId, green.goalId]);
    expect(await listed('words=tea%20%20bLack')).toEqual([tea.goalId]);
    expect(await listed(`words=${coffee.goalId.toUpperCase()}`)).toEqual([coffee.goalId]);
    expect(await listed('newest=2')).toEqual([coffee.goalId, green.goalId]);
    expect(await listed('words=tea&newest=1&isOver=false')).toEqual([green.goalId]);
    expect(await listed('words=milk')).toEqual([]);
    for (const query of ['newest=0', 'newest=1001', 'words=', 'isOver=perhaps'])
      await expectRefusal(studio, ['GET', `/goals?${query}`], 400, 'invalid_input');
  });

  it('are work units of a goal, with those that replace others, and pages of what is left', async () => {
    const { call } = await openRecord();
    const { workUnitId: goalId } = (await call('workunit.create', { goal: 'all' })) as Made;
    await call('workunit.create', { goal: 'elsewhere' });
    const part = (await call('workunit.create', { goal: 'a part', parentWorkUnitId: goalId })) as Made;
    const listed = async (input: object) =>
      ((await call('workunit.list', input)) as Made[]).map(({ workUnitId }) => workUnitId);
    expect(await listed({ goalId })).toEqual([goalId, part.workUnitId]);
    expect(await listed({ goalId, words: 'part' })).toEqual([part.workUnitId]);
    expect(await listed({ goalId, newest: 1 })).toEqual([part.workUnitId]);
    expect(await listed({ newest: 2, limit: 1 })).toHaveLength(1);
    const { sessionId } = (await call('session.start', {
      rootWorkUnitId: part.workUnitId,
      profileIds: ['worker'],
    })) as {
      readonly sessionId: string;
    };
    expect(await listed({ goalId, sessionId })).toEqual([part.workUnitId]);
    await expect(listed({ goalId: 'none' })).rejects.toMatchObject({ reason: 'reject.goal_not_found' });
  });

  it('are proposals of a unit', async () => {
    const { call, change } = await openRecord();
    await change((open) => {
      recordProposal(open, 'MP-1', { workUnitId: 'wu-1', summary: 'blue door' });
      recordProposal(open, 'MP-2', { workUnitId: 'wu-2', summary: 'red door' });
      recordProposal(open, 'MP-3', { workUnitId: 'wu-1', summary: 'red roof', goal: 'a house' });
    });
    const listed = async (input: object) =>
      ((await call('merge.list', input)) as { proposalId: string }[]).map(({ proposalId }) => proposalId);
    expect(await listed({ workUnitId: 'wu-1' })).toEqual(['MP-1', 'MP-3']);
    expect(await listed({ words: 'door red' })).toEqual(['MP-2']);
    expect(await listed({ words: 'mp-3' })).toEqual(['MP-3']);
    expect(await listed({ words: 'house red' })).toEqual(['MP-3']);
    expect(await listed({ newest: 2 })).toEqual(['MP-2', 'MP-3']);
  });
});
