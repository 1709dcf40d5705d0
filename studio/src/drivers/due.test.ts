import { describe, expect, it } from 'vitest';
import { mergeProposal } from '../record/aggregates/merge-proposal/merge-proposal.js';
import { scheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import { pass } from '../rules/proposals/trial.js';
import { createUnit } from '../rules/goals/create-unit.js';
import { cancelTree } from '../rules/queue/cancel.js';
import { modelFor } from '../rules/queue/model-for.js';
import { moveUnit } from '../rules/queue/move.js';
import { enqueue, lease } from '../rules/queue/queue.js';
import { requeue } from '../rules/queue/requeue.js';
import { fork } from '../rules/knowledge/forks.js';
import { approve, sendBack } from '../rules/proposals/review.js';
import { recordProposal } from '../testing/work/proposal.js';
import { recording } from '../testing/record/recording.js';
import { dueFor } from './due.js';

/** A part of a goal whose proposal has landed. */
function landed() {
  const { records, change } = recording();
  const root = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' })).workUnitId;
  const part = { goal: 'p', owner: 'ann', parentWorkUnitId: root };
  const { workUnitId } = change((open) => createUnit(open, records, part));
  change((open) => enqueue(open, records, workUnitId, { profileId: 'worker' }));
  change((open) => lease(open, workUnitId, 'a-1'));
  for (const to of ['Proposed', 'Reviewing'] as const) change((open) => moveUnit(open, records, workUnitId, to));
  change((open) => recordProposal(open, 'MP-1', { workUnitId }));
  change((open) => approve(open, 'MP-1', { by: 'ann', automated: false, consideredArtifactIds: [] }));
  const landing = { targetBranch: `merge/${root}`, from: '1'.repeat(40), to: '2'.repeat(40), hostId: 'host-1' };
  change((open) => open.run(mergeProposal, 'MP-1', 'begin', landing));
  change((open) => open.run(mergeProposal, 'MP-1', 'land', { onDisk: false }));
  const tryOut = () => change((open) => open.run(mergeProposal, 'MP-1', 'tryOut', { hostId: 'host-1' }));
  const due = () => dueFor(records, records.workUnits.get(workUnitId)!, 0);
  const status = () => records.workUnits.get(workUnitId)?.status;
  return { records, change, tryOut, due, status, landing };
}

describe('of work whose proposal has landed', () => {
  it('the end is due, but not before it is known that it stays', () => {
    const { records, change, tryOut, due, status } = landed();
    expect(due()).toEqual({ do: 'end', to: 'Merged' });
    tryOut();
    expect(records.proposals.get('MP-1')).toMatchObject({ status: 'Merged', onTrial: { hostId: 'host-1' } });
    expect([due(), status()]).toEqual([undefined, 'Reviewing']);
    change((open) => pass(open, records, 'MP-1'));
    expect([due(), status()]).toEqual([undefined, 'Merged']);
  });

  it('nothing is due while it is taken back, and when it was, it is in the queue', () => {
    const { records, change, tryOut, due, status, landing } = landed();
    tryOut();
    const back = { ...landing, reason: 'it does not build', resultId: 'r-1' };
    change((open) => open.run(mergeProposal, 'MP-1', 'takeBack', back));
    expect([due(), status()]).toEqual([undefined, 'Reviewing']);
    change((open) => sendBack(open, records, 'MP-1', 'it does not build'));
    expect([due(), status()]).toEqual([undefined, 'Queued']);
    expect(records.proposals.get('MP-1')).not.toHaveProperty('onTrial');
  });
});

describe('of work under review whose proposal is superseded', () => {
  it('it is done anew where nothing stands in its place, and what does is waited for', () => {
    const { records, change } = recording();
    const { workUnitId } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
    const due = () => dueFor(records, records.workUnits.get(workUnitId)!, 0);
    for (const proposalId of ['MP-1', 'MP-2']) change((open) => recordProposal(open, proposalId, { workUnitId }));
    change((open) => moveUnit(open, records, workUnitId, 'Reviewing'));
    change((open) => open.run(mergeProposal, 'MP-2', 'supersede', { by: 'MP-1' }));
    expect(due()).toBeUndefined();
    change((open) => recordProposal(open, 'MP-3', { workUnitId }));
    change((open) => open.run(mergeProposal, 'MP-3', 'move', { to: 'Superseded', reason: 'no' }));
    expect(due()).toMatchObject({ do: 'enqueue' });
  });
});

describe('of a fork that has not begun', () => {
  it('the end is due once the work that it was made under is over, however that ended', () => {
    const { records, change } = recording();
    const whole = { goal: 'g', owner: 'ann' };
    for (const end of ['Merged', 'Completed', 'Cancelled'] as const) {
      const root = change((open) => createUnit(open, records, whole)).workUnitId;
      const wanted = { ...whole, forkType: 'Code', parentWorkUnitId: root } as const;
      const { unit } = change((open) => fork(open, records, wanted));
      const below = change((open) => createUnit(open, records, { ...whole, parentWorkUnitId: unit.workUnitId }));
      const due = ({ workUnitId }: { workUnitId: string }) => dueFor(records, records.workUnits.get(workUnitId)!, 0);
      expect([due(unit), due(below)]).toEqual([undefined, undefined]);
      change((open) => {
        if (end === 'Merged') moveUnit(open, records, root, 'Reviewing');
        moveUnit(open, records, root, end);
      });
      expect(due(unit)).toEqual({ do: 'end', to: 'Cancelled', reason: `the work that it is a part of is ${end}` });
      change((open) => moveUnit(open, records, unit.workUnitId, 'Cancelled'));
      expect(due(below)).toMatchObject({ do: 'end', to: 'Cancelled' });
    }
  });

  it('nothing is due where it has a turn of its own', () => {
    const { records, change } = recording();
    const root = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' })).workUnitId;
    const wanted = { goal: 'f', owner: 'ann', forkType: 'Code', parentWorkUnitId: root, profileId: 'worker' } as const;
    const { unit } = change((open) => fork(open, records, wanted));
    change((open) => moveUnit(open, records, root, 'Completed'));
    expect(dueFor(records, records.workUnits.get(unit.workUnitId)!, 0)).toBeUndefined();
  });
});

describe('of work whose needs were cancelled', () => {
  it('it is due to say so, once, and that it is over when they are taken up again', () => {
    const { records, change } = recording();
    const root = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' })).workUnitId;
    const part = { owner: 'ann', parentWorkUnitId: root };
    const first = change((open) => createUnit(open, records, { ...part, goal: 'the first\nof two' })).workUnitId;
    const second = change((open) =>
      createUnit(open, records, { ...part, goal: 'the second', dependsOn: [first] }),
    ).workUnitId;
    const due = (id = second) => dueFor(records, records.workUnits.get(id)!, 0);
    const block = (id = second) => {
      const found = due(id);
      if (found?.do !== 'block') throw new Error(`${found?.do} is due`);
      change((open) => open.run(workUnit, id, 'block', { reason: found.reason ?? null }));
    };
    expect(due()).toBeUndefined();
    change((open) => moveUnit(open, records, first, 'Cancelled'));
    expect(due()).toEqual({ do: 'block', reason: `it needs what was cancelled: ${first} (the first)` });
    block();
    expect(records.workUnits.get(second)?.fanOutInfo.blockedReason).toContain('(the first)');
    expect(due()).toBeUndefined();
    change((open) => open.run(workUnit, first, 'move', { to: 'Created' }));
    expect(due()).toEqual({ do: 'block', reason: undefined });
    block();
    expect(records.workUnits.get(second)?.fanOutInfo).not.toHaveProperty('blockedReason');
    expect(due()).toBeUndefined();
  });
});

describe('of work that was cancelled and taken up again', () => {
  function cancelled() {
    const { records, change } = recording();
    const made = (more: object): string =>
      change((open) => createUnit(open, records, { goal: 'g', owner: 'ann', ...more })).workUnitId;
    const needed = made({ expectedOutputKind: 'KnowledgeArtifact' });
    const due = (id: string) => dueFor(records, records.workUnits.get(id)!, 0);
    const move = (id: string, to: 'Active' | 'Completed' | 'Cancelled') =>
      change((open) => moveUnit(open, records, id, to));
    const again = (id: string, overrides = {}) => {
      change((open) => cancelTree(open, records, id));
      change((open) => requeue(open, records, id, { overrides }));
    };
    const end = (id: string) => (move(id, 'Active'), move(id, 'Completed'));
    const modelOf = (id: string, profileId = 'worker') => change((open) => modelFor(open, records, id, profileId));
    return { records, change, made, needed, due, again, end, modelOf };
  }

  it('its turn is due once what it needs is done, as was asked for; work that nobody asked for waits', () => {
    const { made, needed, due, again, end, modelOf, change } = cancelled();
    const [root, other, unasked] = [0, 1, 2].map(() => made({ dependsOn: [needed] })) as [string, string, string];
    again(root, { profileId: 'planner', model: 'm2' });
    change((open) => open.run(scheduledItem, other, 'want', { workUnitId: other, profileId: 'tester', model: 'm1' }));
    again(other);
    expect([root, other, unasked].map(due)).toEqual([undefined, undefined, undefined]);
    end(needed);
    expect([root, other, unasked].map(due)).toEqual([
      { do: 'enqueue', profileId: 'planner' },
      { do: 'enqueue', profileId: 'tester' },
      undefined,
    ]);
    expect([root, other, unasked].map((id) => modelOf(id))).toEqual([{ model: 'm2' }, { model: 'm1' }, {}]);
  });

  it('its parts begin with the model that was asked for, whether they had begun before, and have their profile chosen', () => {
    const { records, made, needed, due, again, end, modelOf, change } = cancelled();
    const root = made({});
    const part = (more: object = {}) => made({ parentWorkUnitId: root, ...more });
    const [first, second, third] = [part(), part({ dependsOn: [needed] }), part({ dependsOn: [needed] })];
    change((open) => enqueue(open, records, first, { profileId: 'worker', model: 'm1' }));
    again(root, { model: 'm2' });
    expect([root, first, second].map((id) => records.workUnits.get(id)?.status)).toEqual([
      'Active',
      'Queued',
      'Created',
    ]);
    expect([first, second].map((id) => modelOf(id))).toEqual([{ model: 'm2' }, { model: 'm2' }]);
    again(third, { model: 'm3' });
    expect(due(third)).toBeUndefined();
    end(needed);
    expect([due(second), due(third)]).toMatchObject([{ do: 'enqueue' }, { do: 'enqueue', profileId: 'worker' }]);
    expect([second, third].map((id) => modelOf(id))).toEqual([{ model: 'm2' }, { model: 'm3' }]);
  });
});
