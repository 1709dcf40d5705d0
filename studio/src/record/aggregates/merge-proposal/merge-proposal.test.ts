import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import type { ProposalEvent } from './events.js';
import { mergeProposal } from './merge-proposal.js';
import { PROPOSAL_STATUSES, PROPOSAL_TRANSITIONS, type ProposalStatus } from './status.js';

const commit = (letter: string): string => letter.repeat(40);
const given = {
  proposalId: 'MP-1',
  sourceBranch: 'one',
  targetBranch: 'candidate',
  repositoryId: 'repo-1',
  goal: 'g',
  summary: 's',
  changeDescription: 'd',
  filesTouched: ['a'],
  reconciledFrom: [],
  baseCommit: commit('a'),
  headCommit: commit('b'),
};
const review = { by: 'ann', automated: false, consideredArtifactIds: [] };
const landing = { targetBranch: 'candidate', from: commit('a'), to: commit('c'), hostId: 'host-1' };

type Step = (events: readonly ProposalEvent[]) => readonly ProposalEvent[];

const created = decided(mergeProposal, [], 'propose', given);
const after = (...steps: Step[]) => steps.reduce((events, step) => [...events, ...step(events)], created);
const move =
  (to: ProposalStatus): Step =>
  (events) =>
    decided(mergeProposal, events, 'move', { to });
const approve: Step = (events) => decided(mergeProposal, events, 'approve', review);
const begin: Step = (events) => decided(mergeProposal, events, 'begin', landing);
const land: Step = (events) => decided(mergeProposal, events, 'land', { onDisk: false });

describe('a merge proposal', () => {
  it('begins as a draft of what was given', () => {
    expect(stateOf(mergeProposal, created)).toEqual({
      ...given,
      status: 'Draft',
      createdAt: told.at,
      updatedAt: told.at,
      consideredArtifactIds: [],
      autoApplied: false,
      promotedToDisk: false,
      landedOnCandidateBranch: false,
    });
  });

  it('moves along its table, and no other way', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PROPOSAL_STATUSES), { maxLength: 10 }), (wanted) => {
        let events = created;
        for (const to of wanted) {
          const { status } = stateOf(mergeProposal, events)!;
          const isAllowed = status === to || PROPOSAL_TRANSITIONS[status].includes(to);
          try {
            events = [...events, ...move(to)(events)];
            expect(isAllowed).toBe(true);
          } catch (error) {
            expect(isAllowed).toBe(false);
            expect(error).toMatchObject({ reason: 'reject.wrong_state', data: { status } });
          }
        }
      }),
    );
  });

  it('says who approved it, and whether that was a person', () => {
    const approved = stateOf(mergeProposal, after(move('ReadyForReview'), approve));
    expect(approved).toMatchObject({ status: 'Approved', reviewedBy: 'ann', autoApplied: false });
    const byAgent = decided(mergeProposal, after(move('ReadyForReview')), 'approve', { ...review, automated: true });
    expect(stateOf(mergeProposal, [...after(move('ReadyForReview')), ...byAgent])).toMatchObject({ autoApplied: true });
    expect(() => after(approve)).toThrow('that is Draft cannot become Approved');
  });

  it('says where it goes before it goes there, and that it has', () => {
    const begun = after(move('ReadyForReview'), approve, begin);
    expect(stateOf(mergeProposal, begun)).toMatchObject({ status: 'Approved', landing });
    const landed = stateOf(mergeProposal, [...begun, ...land(begun)])!;
    expect(landed).toMatchObject({ status: 'Merged', resultCommit: commit('c'), landedOnCandidateBranch: true });
    expect(landed.landing).toBeUndefined();
    expect(land([...begun, ...land(begun)])).toEqual([]);
  });

  it('is not decided about while it lands, and is as before when it did not', () => {
    const begun = after(move('ReadyForReview'), approve, begin);
    for (const decide of [
      () => decided(mergeProposal, begun, 'reject', { ...review, restartMode: 'Revise' }),
      () => decided(mergeProposal, begun, 'supersede', { by: 'MP-2' }),
      () => begin(begun),
    ])
      expect(decide).toThrow('is being applied');
    const abandoned = [...begun, ...decided(mergeProposal, begun, 'abandon', { reason: 'moved' })];
    const { landing: _landing, ...before } = stateOf(mergeProposal, begun)!;
    expect(stateOf(mergeProposal, abandoned)).toEqual(before);
    expect(decided(mergeProposal, abandoned, 'abandon', { reason: 'moved' })).toEqual([]);
    expect(() => land(abandoned)).toThrow('without having begun');
  });

  it('reaches the user once, from the candidate branch', () => {
    const promote: Step = (events) => decided(mergeProposal, events, 'promote', { commit: commit('d') });
    const landed = after(move('ReadyForReview'), approve, begin, land);
    expect(stateOf(mergeProposal, [...landed, ...promote(landed)])?.promotedToDisk).toBe(true);
    expect(promote([...landed, ...promote(landed)])).toEqual([]);
    expect(promote(after(move('ReadyForReview'), approve))).toEqual([]);
  });

  it('is refused what it does not know', () => {
    expect(() => decided(mergeProposal, [], 'move', { to: 'Approved' })).toThrow('no merge proposal has this id');
  });

  it('that a machine has approved is confirmed by a person, and by no other machine', () => {
    const byMachine: Step = (events) => decided(mergeProposal, events, 'approve', { ...review, automated: true });
    const events = after(move('ReadyForReview'), byMachine);
    expect(stateOf(mergeProposal, events)).toMatchObject({ status: 'Approved', autoApplied: true, approvals: 1 });
    expect(() => byMachine(events)).toThrow(expect.objectContaining({ reason: 'reject.wrong_state' }));
    const confirmed = [...events, ...approve(events)];
    expect(stateOf(mergeProposal, confirmed)).toMatchObject({ status: 'Approved', autoApplied: false, approvals: 1 });
    expect(() => approve(confirmed)).toThrow(expect.objectContaining({ reason: 'reject.wrong_state' }));
    const landing = [...events, ...begin(events)];
    expect(() => approve(landing)).toThrow(expect.objectContaining({ reason: 'reject.busy' }));
  });
});
