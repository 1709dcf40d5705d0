/** Who works on a unit, and by what: what was said when an agent was taken on holds for its parts, until they say otherwise. */
import { describe, expect, it } from 'vitest';
import { openRecord } from '../../testing/record/open-record.js';
import { reviewerFor } from '../proposals/policy.js';
import { agentFor } from './agent-of.js';
import { modelFor } from './model-for.js';
import { itemOf, lease } from './queue.js';

/** A unit and a part of it. */
async function units() {
  const open = await openRecord();
  const make = async (more: object): Promise<string> =>
    ((await open.call('workunit.create', { goal: 'g', ...more })) as { workUnitId: string }).workUnitId;
  const whole = await make({});
  return { ...open, whole, part: await make({ parentWorkUnitId: whole }) };
}

const model = (name: string) => ({ provider: 'anthropic', model: name });

describe('a unit', () => {
  it('has the model of its stage, of the agent that was taken on last, before the one that it was queued with', async () => {
    const { call, change, records, whole, part } = await units();
    const chosen = (id: string, profileId = 'worker') => change((open) => modelFor(open, records, id, profileId).model);
    expect(await chosen(part)).toBeUndefined();
    await call('agent.spawn', { agentType: 'worker', workUnitId: whole, ...model('for all') });
    expect([await chosen(whole), await chosen(part)]).toEqual(['for all', 'for all']);
    for (const name of ['older', 'newer'])
      await call('agent.spawn', {
        ...{ agentType: 'reviewer', workUnitId: whole, profileId: 'reviewer' },
        stageCredentials: { Review: model(name) },
      });
    expect([await chosen(part, 'reviewer'), await chosen(part)]).toEqual(['newer', 'for all']);
    await call('agent.spawn', { agentType: 'worker', workUnitId: part, ...model('of its own') });
    expect([await chosen(part), await chosen(part, 'reviewer'), await chosen(whole)]).toEqual([
      'of its own',
      'of its own',
      'for all',
    ]);
  });

  it('is reviewed by the profile that was named for it last, or for what it is a part of, if that reviews', async () => {
    const { call, change, records, whole, part } = await units();
    const reviewer = (id: string) => change((open) => reviewerFor(open, records, id));
    for (const profileId of ['strict', 'gentle'])
      await call('agent-profile.create', {
        ...{ agentProfileId: profileId, name: profileId, stage: 'Review' },
        ...{ systemPrompt: 'Look at it.', allowedTools: [], maxIterations: 3 },
      });
    const taken = (workUnitId: string, autoReviewProfileId: string) =>
      call('agent.spawn', { agentType: 'worker', workUnitId, autoReviewProfileId });
    expect(await reviewer(part)).toBe('reviewer');
    await taken(whole, 'strict');
    expect([await reviewer(whole), await reviewer(part)]).toEqual(['strict', 'strict']);
    await taken(part, 'gentle');
    expect([await reviewer(whole), await reviewer(part)]).toEqual(['strict', 'gentle']);
    await taken(part, 'worker');
    expect(await reviewer(part)).toBe('strict');
  });

  it('is assigned to who leases it, by an agent of its profile: the one that was taken on, or a new one', async () => {
    const { call, change, records, whole } = await units();
    await call('scheduler.enqueue', { workUnitId: whole, profileId: 'worker' });
    const begun = await change((open) => {
      const agentId = agentFor(open, records, itemOf(open, whole)!);
      lease(open, whole, agentId);
      return agentId;
    });
    expect(begun).toMatch(/^agent-/);
    expect(records.workUnits.get(whole)).toMatchObject({ status: 'Executing', assignedAgent: begun });
    expect(records.agents.get(begun)).toMatchObject({ workUnitId: whole, profileId: 'worker', agentType: 'worker' });
    const again = await change((open) => agentFor(open, records, { workUnitId: whole, profileId: 'worker' }));
    const other = await change((open) => agentFor(open, records, { workUnitId: whole, profileId: 'planner' }));
    expect([again === begun, other === begun]).toEqual([true, false]);
  });
});
