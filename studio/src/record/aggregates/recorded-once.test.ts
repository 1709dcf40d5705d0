import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../testing/record/given.js';
import { decision } from './decision/decision.js';
import { evidence } from './evidence/evidence.js';
import { externalDoc } from './external-doc/external-doc.js';
import { projectionSnapshot } from './projection-snapshot/projection-snapshot.js';
import { reasoning } from './reasoning/reasoning.js';

describe('what is recorded once', () => {
  it('is a decision, a step of reasoning, a snapshot, a document: with their time, and never anew', () => {
    const made = { decisionId: 'dec-1', proposalId: 'MP-1', outcome: 'Deferred', confidence: 0.5 } as const;
    const decidedOnce = decided(decision, [], 'record', made);
    expect(stateOf(decision, decidedOnce)).toEqual({ ...made, decidedAt: told.at });
    expect(() => decided(decision, decidedOnce, 'record', made)).toThrow('is there already');

    const step = { commitId: 'c', workUnitId: 'wu-1', agentId: 'a', inputStage: 'Plan', action: 'look' };
    const committed = decided(reasoning, [], 'commit', step);
    expect(stateOf(reasoning, committed)).toEqual({ ...step, committedAt: told.at });
    expect(() => decided(reasoning, committed, 'commit', step)).toThrow('is there already');

    const seen = {
      snapshotId: 's',
      workUnitId: 'wu-1',
      workUnitStatus: 'Created',
      artifacts: [],
      completedTaskIds: [],
    };
    const captured = decided(projectionSnapshot, [], 'capture', seen);
    expect(stateOf(projectionSnapshot, captured)).toEqual({ ...seen, createdAt: told.at });
    expect(() => decided(projectionSnapshot, captured, 'capture', seen)).toThrow('is there already');

    const url = 'https://a.test/';
    const read = { artifactId: 'a', workUnitId: 'wu-1', requestedUrl: url, url, reason: 'r', contentHash: 'h' };
    const document = { ...read, contentType: 'text/plain', truncated: false, snapshotBytes: 1 };
    const fetched = decided(externalDoc, [], 'fetched', document);
    expect(stateOf(externalDoc, fetched)).toEqual({ ...document, fetchedAt: told.at });
    expect(() => decided(externalDoc, fetched, 'fetched', document)).toThrow('is there already');
  });

  it('is evidence, which may be attached again and changes nothing', () => {
    const shown = { evidenceId: 'ev-1', workUnitId: 'wu-1', kind: 'Test', success: true, summary: 's' } as const;
    const attached = decided(evidence, [], 'attach', shown);
    expect(stateOf(evidence, attached)).toEqual({ ...shown, attachedAt: told.at });
    expect(decided(evidence, attached, 'attach', { ...shown, success: false })).toEqual([]);
    const offered = decided(evidence, attached, 'attach', { ...shown, proposalId: 'MP-1' });
    expect(offered).toEqual([{ type: 'EvidenceOffered', v: 1, evidenceId: 'ev-1', proposalId: 'MP-1' }]);
    const now = [...attached, ...offered];
    expect(stateOf(evidence, now)).toEqual({ ...shown, attachedAt: told.at, proposalId: 'MP-1' });
    expect(decided(evidence, now, 'attach', { ...shown, proposalId: 'MP-1' })).toEqual([]);
  });
});
