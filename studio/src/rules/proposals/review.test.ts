import { describe, expect, it } from 'vitest';
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { recordProposal } from '../../testing/work/proposal.js';
import { recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { retryWithContext } from '../queue/retry.js';
import { moveUnit } from '../queue/move.js';
import { enqueue, lease } from '../queue/queue.js';
import { approve, reject } from './review.js';

/** A unit that has offered what it made. */
function proposed() {
  const { records, change } = recording();
  const { workUnitId } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  change((open) => enqueue(open, records, workUnitId, { profileId: 'planner', taskId: 't-1', model: 'm' }));
  let count = 0;
  const offer = (): string => {
    const proposalId = `MP-${++count}`;
    change((open) => lease(open, workUnitId, 'a-1'));
    change((open) => moveUnit(open, records, workUnitId, 'Proposed'));
    change((open) => recordProposal(open, proposalId, { workUnitId }));
    return proposalId;
  };
  const no = (automated: boolean) => {
    const review = { by: 'ann', notes: 'no tests', automated, consideredArtifactIds: [] };
    change((open) => reject(open, records, offer(), { ...review, restartMode: 'Revise' }));
  };
  return { records, change, workUnitId, offer, no };
}

describe('a proposal that is rejected', () => {
  it('has its work done anew by who did it, who is told why', () => {
    const { records, workUnitId, no } = proposed();
    no(false);
    expect(records.workUnits.get(workUnitId)?.status).toBe('Queued');
    expect(records.scheduledItems.get(workUnitId)).toMatchObject({
      place: 'queued',
      profileId: 'planner',
      taskId: 't-1',
      model: 'm',
    });
    expect(records.artifacts.where('owner', workUnitId)).toMatchObject([
      { type: 'RevisionContext', title: 'MP-1 was rejected', body: 'no tests' },
    ]);
  });

  it('too often makes its work wait for a person, whose correction is a fresh start', () => {
    const { records, change, workUnitId, no } = proposed();
    for (const automated of [true, false, true]) no(automated);
    expect(records.workUnits.get(workUnitId)?.status).toBe('Queued');
    no(true);
    expect(records.workUnits.get(workUnitId)?.status).toBe('DeadLettered');
    const [entry] = records.deadLetters.where('unresolved', workUnitId);
    expect(entry).toMatchObject({ kind: 'ReviewRejected', reason: 'rejected 3 times: no tests', profileId: 'planner' });
    change((open) => retryWithContext(open, records, entry!.entryId, 'write tests', {}));
    no(true);
    expect(records.workUnits.get(workUnitId)?.status).toBe('Queued');
  });

  it('after it has landed is not a review any more', () => {
    const { records, change, offer } = proposed();
    const proposalId = offer();
    const review = { by: 'ann', automated: false, consideredArtifactIds: [] };
    change((open) => approve(open, proposalId, review));
    const landing = { targetBranch: 'main', from: '1'.repeat(40), to: '2'.repeat(40), hostId: 'host-1' };
    change((open) => open.run(mergeProposal, proposalId, 'begin', landing));
    change((open) => open.run(mergeProposal, proposalId, 'land', { onDisk: true }));
    const again = () => change((open) => reject(open, records, proposalId, { ...review, restartMode: 'Revise' }));
    expect(again).toThrow('is Merged cannot become Rejected');
  });
});
