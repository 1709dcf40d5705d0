import { describe, expect, it } from 'vitest';
import { listedProposals, proposal, recordProposal } from '../../testing/work/proposal.js';
import { type Recording, recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { moveUnit } from '../queue/move.js';
import { alternativesTo } from './alternatives.js';
import { constraintsFor } from './constraints.js';
import { decide, decisionsShownBy } from './decisions.js';
import { convergeExperiment, counterfactual, fork, hypothesisStatus, startExperiment } from './forks.js';

const goal = { goal: 'be fast', owner: 'ann' };

function experimentOf({ records, change }: Pick<Recording, 'records' | 'change'>) {
  return change((open) =>
    startExperiment(open, records, {
      parent: goal,
      forkType: 'Library',
      comparisonMetricHint: 'time',
      ways: [{ constraintText: 'use a' }, { constraintText: 'use b' }],
    }),
  );
}

describe('a fork', () => {
  it('begins with what its proposal began with, and keeps why it was made', () => {
    const { records, change } = recording();
    const { baseCommit } = change((open) => recordProposal(open, 'MP-1'));
    const wanted = { ...goal, forkType: 'Code', branchedFromProposalId: 'MP-1', rationale: 'a hunch' } as const;
    const { unit } = change((open) => fork(open, records, { ...wanted, profileId: 'planner' }));
    expect(records.workUnits.get(unit.workUnitId)).toMatchObject({
      goal: 'be fast [planner]',
      forkType: 'Code',
      branchedFromProposalId: 'MP-1',
      status: 'Queued',
      seedSnapshotId: baseCommit,
      repositoryId: 'repo-1',
    });
    expect(records.scheduledItems.get(unit.workUnitId)).toMatchObject({ profileId: 'planner', place: 'queued' });
    expect(() => change((open) => fork(open, records, { ...wanted, profileId: 'none' }))).toThrow('no profile');
    expect(records.hypotheses.get(unit.workUnitId)).toMatchObject({ rationale: 'a hunch', forkType: 'Code' });
    expect(records.goals.get(unit.workUnitId)).toBeDefined();
  });

  it('stands as its work does, until it is settled', () => {
    const { records, change } = recording();
    const { unit } = change((open) => fork(open, records, { ...goal, forkType: 'Code' }));
    const status = () => hypothesisStatus(records, records.workUnits.get(unit.workUnitId)!);
    expect(status()).toBe('Active');
    change((open) => moveUnit(open, records, unit.workUnitId, 'Reviewing'));
    expect(status()).toBe('Proposed');
    change((open) => moveUnit(open, records, unit.workUnitId, 'Cancelled'));
    expect(status()).toBe('Rejected');
  });
});

describe('a counterfactual', () => {
  it('stands beside the unit that made the proposal', () => {
    const { records, change } = recording();
    const root = change((open) => createUnit(open, records, goal));
    const part = change((open) => createUnit(open, records, { ...goal, parentWorkUnitId: root.workUnitId }));
    const given = { proposalId: 'MP-1', profileId: 'worker', constraintText: 'no cache' };
    expect(() => change((open) => counterfactual(open, records, given))).toThrow('proposal is called MP-1');
    change((open) => recordProposal(open, 'MP-1', { workUnitId: part.workUnitId }));
    const { unit } = change((open) => counterfactual(open, records, given));
    expect(unit).toMatchObject({ parentWorkUnitId: root.workUnitId, goal: 'be fast [no cache]', forkType: 'Model' });
    expect(constraintsFor(records, unit.workUnitId)).toMatchObject([{ body: 'no cache' }]);
    expect(constraintsFor(records, part.workUnitId)).toEqual([]);
    expect(alternativesTo(records, part)).toMatchObject([
      { workUnitId: unit.workUnitId, relationship: 'forked-from-proposal', branchedFromProposalId: 'MP-1' },
    ]);
    expect(alternativesTo(records, part, listedProposals([]))).toMatchObject([{ relationship: 'sibling' }]);
  });
});

describe('an experiment', () => {
  it('is one change: a unit that holds it together, and a fork for each way', () => {
    const { records, change } = recording();
    const { parentWorkUnitId, forkWorkUnitIds, experimentId } = experimentOf({ records, change });
    expect(records.experiments.get(experimentId)).toMatchObject({ forkType: 'Library', comparisonMetricHint: 'time' });
    expect(records.workUnits.where('parent', parentWorkUnitId)).toMatchObject([
      { workUnitId: forkWorkUnitIds[0], goal: 'be fast [use a]' },
      { workUnitId: forkWorkUnitIds[1], goal: 'be fast [use b]' },
    ]);
    expect(constraintsFor(records, forkWorkUnitIds[1]!)).toMatchObject([{ body: 'use b' }]);
  });

  it('needs ways that differ in what it compares', () => {
    const { records, change } = recording();
    for (const [forkType, lacks] of [
      ['Model', 'profileId'],
      ['Product', 'constraintText'],
    ] as const) {
      const ways = [{ profileId: 'p', constraintText: 'c' }, lacks === 'profileId' ? { constraintText: 'c' } : {}];
      const start = () => change((open) => startExperiment(open, records, { parent: goal, forkType, ways }));
      expect(start).toThrow(expect.objectContaining({ data: [{ field: `forks.1.${lacks}`, message: 'is missing' }] }));
    }
    expect(records.workUnits.all()).toEqual([]);
  });

  it('ends with one winner: the others end, and their proposals are decided against', () => {
    const { records, change } = recording();
    const { parentWorkUnitId, forkWorkUnitIds } = experimentOf({ records, change });
    const [winnerId = '', loserId = ''] = forkWorkUnitIds;
    for (const [proposalId, workUnitId] of [
      ['MP-old', loserId],
      ['MP-1', loserId],
      ['MP-2', winnerId],
    ] as const)
      change((open) => recordProposal(open, proposalId, { workUnitId }));
    const verdict = { winnerId, rationale: 'faster' };
    const converge = (given: { winnerId: string }) =>
      change((open) => convergeExperiment(open, records, parentWorkUnitId, given));
    expect(converge(verdict)).toMatchObject({ cancelledWorkUnitIds: [loserId], experiment: verdict });
    expect(records.decisions.all()).toMatchObject([
      { proposalId: 'MP-2', outcome: 'Accepted', rationale: 'faster', workUnitId: winnerId },
      { proposalId: 'MP-1', outcome: 'Rejected', rationale: 'faster', workUnitId: loserId },
    ]);
    expect(records.proposals.all().map(({ status }) => status)).toEqual(['Draft', 'Rejected', 'Approved']);
    expect([records.hypotheses.get(winnerId)?.settled, records.hypotheses.get(loserId)?.settled]).toEqual([
      'Converged',
      'Rejected',
    ]);
    expect(converge(verdict)).toMatchObject({ decisionIds: [], cancelledWorkUnitIds: [] });
    expect(records.decisions.all()).toHaveLength(2);
    expect(() => converge({ winnerId: loserId })).toThrow(`${winnerId} has won already`);
    expect(() => converge({ winnerId: parentWorkUnitId })).toThrow('is no fork of this experiment');
  });
});

describe('decisions', () => {
  it('are recorded of proposals that are there, and move them', () => {
    const { records, change } = recording();
    const { workUnitId } = change((open) => createUnit(open, records, goal));
    const given = { proposalId: 'MP-1', outcome: 'Deferred', confidence: 0.5 } as const;
    expect(() => change((open) => decide(open, records, given))).toThrow('proposal is called MP-1');
    for (const proposalId of ['MP-1', 'MP-2', 'MP-3', 'MP-4'])
      change((open) => recordProposal(open, proposalId, { workUnitId }));
    const made = change((open) => decide(open, records, given));
    expect(records.decisions.where('proposal', 'MP-1')).toEqual([made]);
    expect(made).toMatchObject({ ...given, workUnitId, decisionId: expect.stringMatching(/^dec-/) as string });
    const outcomes = ['Accepted', 'Rejected', 'Superseded'] as const;
    for (const [index, outcome] of outcomes.entries())
      change((open) => decide(open, records, { proposalId: `MP-${index + 2}`, outcome, rationale: 'so' }));
    expect(records.proposals.all().map(({ status }) => status)).toEqual([
      'Draft',
      'Approved',
      'Rejected',
      'Superseded',
    ]);
    expect(records.proposals.get('MP-3')).toMatchObject({ reviewNotes: 'so', reviewedBy: 'ann' });
    const against = { proposalId: 'MP-3', outcome: 'Accepted' } as const;
    expect(() => change((open) => decide(open, records, against))).toThrow('cannot become Approved');
    change((open) => decide(open, records, { proposalId: 'MP-3', outcome: 'Rejected' }));
    expect(records.decisions.all()).toHaveLength(5);
  });

  it('are read from the states of proposals where nobody recorded them', () => {
    const shown = decisionsShownBy([
      proposal({ proposalId: 'MP-1', status: 'Merged', reviewNotes: 'good' }),
      proposal({ proposalId: 'MP-2', status: 'Draft' }),
      proposal({ proposalId: 'MP-3', status: 'Rejected' }),
    ]);
    expect(shown).toEqual([
      { decisionId: 'dec-MP-1', proposalId: 'MP-1', outcome: 'Accepted', rationale: 'good' },
      { decisionId: 'dec-MP-3', proposalId: 'MP-3', outcome: 'Rejected' },
    ]);
  });
});
