import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { finding } from './finding.js';

const given = { findingId: 'f', kind: 'PromptImprovement', source: 'LlmScan', title: 't', summary: 's' } as const;
const reported = decided(finding, [], 'report', given);

describe('a finding', () => {
  it('begins open, and is reported once', () => {
    expect(stateOf(finding, reported)).toEqual({ ...given, status: 'Open', createdAt: told.at });
    expect(decided(finding, reported, 'report', { ...given, title: 'other' })).toEqual([]);
  });

  it('is whatever the last review says, and keeps the rule that was made of it', () => {
    let events = reported;
    events = [...events, ...decided(finding, events, 'review', { decision: 'Promoted', promotedArtifactId: 'a' })];
    expect(decided(finding, events, 'review', { decision: 'Promoted' })).toEqual([]);
    events = [...events, ...decided(finding, events, 'review', { decision: 'Dismissed', notes: 'no' })];
    expect(stateOf(finding, events)).toMatchObject({
      status: 'Dismissed',
      reviewNotes: 'no',
      reviewedAt: told.at,
      promotedArtifactId: 'a',
    });
  });

  it('is reviewed only when it is there', () => {
    expect(() => decided(finding, [], 'review', { decision: 'Dismissed' })).toThrow('no finding has this id');
  });
});
