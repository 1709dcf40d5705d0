import { expect, it } from 'vitest';
import { recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { proposal } from '../../testing/work/proposal.js';
import { attachEvidence, evidenceNow } from './evidence.js';

it('evidence keeps its ids, and is attached once for each result', () => {
  const { records, change } = recording();
  const unit = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  const ran = { success: false, exitCode: 1, command: 'npm test', totalTests: 3, passed: 2, failed: 1, skipped: 0 };
  const result = {
    resultId: 'exec/work-1/1',
    branchId: unit.branchId,
    commit: 'c1',
    executedAt: 'then',
    allSucceeded: false,
    builds: [{ success: true, exitCode: 0, command: 'npm run build' }],
    tests: [ran],
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
  expect(first[0]?.summary).toBe('npm run build: built');
  const [broken] = change((open) => {
    const builds = [{ success: false, exitCode: 2, command: 'make' }];
    return attachEvidence(open, unit, { ...result, resultId: 'exec/work-1/0', commit: 'c0', builds, tests: [] });
  });
  expect(broken).toMatchObject({ success: false, summary: 'make: failed with exit code 2' });
  expect(attach('exec/work-1/1')).toEqual(first);
  expect(records.evidence.where('workUnit', unit.workUnitId)).toEqual([...first, broken]);
  attach('exec/work-1/2');
  expect(records.evidence.all()).toHaveLength(5);
  const offered = change((open) => attachEvidence(open, unit, { ...result, resultId: 'exec/work-1/1' }, 'MP-1'));
  expect(offered).toMatchObject([{ proposalId: 'MP-1' }, { proposalId: 'MP-1' }]);
  expect(attach('exec/work-1/1')).toEqual(offered);
  expect(records.evidence.all()).toHaveLength(5);
});

it('evidence counts for the commit that is offered, and of each command how it went last', () => {
  const { records, change } = recording();
  const unit = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  const { workUnitId, branchId } = unit;
  const ran = { exitCode: 0, command: 'npm test', totalTests: 1, passed: 1, failed: 0, skipped: 0 };
  let runs = 0;
  const attach = (commit: string, success: boolean, command = 'npm test') => {
    const result = { resultId: `exec/${(runs += 1)}`, branchId, commit, executedAt: 'then', allSucceeded: success };
    const tests = [{ ...ran, command, success }];
    change((open) => attachEvidence(open, unit, { ...result, builds: [], tests, checks: [] }));
  };
  const shown = (headCommit?: string) => {
    const newest = headCommit === undefined ? undefined : proposal({ headCommit, workUnitId });
    return evidenceNow(records, workUnitId, newest).map(({ commit, success }) => [commit, success]);
  };
  expect(shown()).toEqual([]);
  for (let n = 0; n < 3; n++) attach('old', true);
  expect(shown()).toEqual([['old', true]]);
  attach('new', true);
  attach('new', false, 'npm run lint');
  expect(shown()).toHaveLength(2);
  attach('new', false);
  expect(shown('new')).toEqual([
    ['new', false],
    ['new', false],
  ]);
  expect(shown('old')).toEqual([['old', true]]);
  // Nobody has run what is offered.
  expect(shown('newer')).toEqual([]);
});
