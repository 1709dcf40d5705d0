import { expect, it } from 'vitest';
import { recording } from '../testing/recording.js';
import { createUnit } from '../flows/create-unit.js';
import { attachEvidence } from './evidence.js';

it('evidence keeps its ids, and is attached once for each result', () => {
  const { records, change } = recording();
  const unit = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  const ran = { success: false, exitCode: 1, command: 'npm test', totalTests: 3, passed: 2, failed: 1, skipped: 0 };
  const result = {
    ...{ resultId: 'exec/work-1/1', branchId: unit.branchId, commit: 'c1', executedAt: 'then', allSucceeded: false },
    ...{ builds: [{ success: true, exitCode: 0, command: 'npm run build' }], tests: [ran] },
    checks: [],
  };
  const attach = (resultId: string) => change((open) => attachEvidence(open, unit, { ...result, resultId }));
  const first = attach('exec/work-1/1');
  expect(first).toMatchObject([
    {
      kind: 'Build',
      success: true,
      commit: 'c1',
      evidenceId: expect.stringMatching(/^ev-bld-[0-9a-f]{32}$/) as string,
    },
    { kind: 'Test', success: false, summary: 'npm test: 2 of 3 tests passed' },
  ]);
  expect(attach('exec/work-1/1')).toEqual(first);
  expect(records.evidence.where('workUnit', unit.workUnitId)).toEqual(first);
  attach('exec/work-1/2');
  expect(records.evidence.all()).toHaveLength(4);
  const offered = change((open) => attachEvidence(open, unit, { ...result, resultId: 'exec/work-1/1' }, 'MP-1'));
  expect(offered).toMatchObject([{ proposalId: 'MP-1' }, { proposalId: 'MP-1' }]);
  expect(attach('exec/work-1/1')).toEqual(offered);
  expect(records.evidence.all()).toHaveLength(4);
});
