import { describe, expect, it } from 'vitest';
import { execution, type StepGiven } from '../../record/aggregates/execution/execution.js';
import { unitOf } from '../../record/views/by-id.js';
import { openRecord } from '../../testing/record/open-record.js';
import { proposal } from '../../testing/work/proposal.js';
import { dangersOf, reviewDepthOf } from './review-depth.js';

describe('what is dangerous about a change', () => {
  it.each([
    ['.github/workflows/ci.yml', 'what checks every change'],
    ['Jenkinsfile', 'what checks every change'],
    ['web/package-lock.json', 'dependencies'],
    ['go.mod', 'dependencies'],
    ['requirements-dev.txt', 'dependencies'],
    ['db/migrations/0001_users.js', 'stored or sent formats'],
    ['schema.sql', 'stored or sent formats'],
    ['src/auth/check.ts', 'who may do what'],
    ['src/user-permissions.ts', 'who may do what'],
    ['docker-compose.yml', 'how it is deployed'],
  ])('is that it changes %s: %s', (path, what) => {
    expect(dangersOf(proposal({ filesTouched: ['a.txt', path] }))).toEqual([`it changes ${what} (${path})`]);
  });

  it.each([
    ['src/author.ts'],
    ['src/tokenizer.ts'],
    ['docs/packages.json'],
    ['src/composer.ts'],
    ['src/mysql.ts'],
    ['src/session/session.ts'],
  ])('is not that it changes %s', (path) => {
    expect(dangersOf(proposal({ filesTouched: [path], linesChanged: 3 }))).toEqual([]);
  });

  it('is what it takes from the tests, and what is too much for one look', () => {
    const many = Array.from({ length: 21 }, (_, i) => `src/${i}.ts`);
    expect(dangersOf(proposal({ filesTouched: many }))).toEqual(['it changes 21 files']);
    expect(dangersOf(proposal({ filesTouched: ['a.ts'], linesChanged: 1001 }))).toEqual([
      'it changes 1001 lines in 1 file',
    ]);
    const lost = { filesTouched: ['a.test.ts'], lostTests: ['a.test.ts is deleted, with 2 checks'] };
    expect(dangersOf(proposal(lost))).toEqual(['it takes something away from the tests']);
  });

  it('is named by its first paths', () => {
    const filesTouched = ['a/go.mod', 'b/go.mod', 'c/go.mod', 'd/go.mod'];
    expect(dangersOf(proposal({ filesTouched }))).toEqual([
      'it changes dependencies (a/go.mod, b/go.mod, c/go.mod, …)',
    ]);
  });
});

describe('a small part', () => {
  const offered = proposal({ filesTouched: ['a.ts'], linesChanged: 2 });

  /** Depth of its review behind one run of its steps. */
  async function depthBehind(steps: readonly Pick<StepGiven, 'kind' | 'exitCode' | 'counts'>[], more: object = {}) {
    const { call, change, records } = await openRecord();
    const { workUnitId: whole } = (await call('workunit.create', { goal: 'all' })) as { workUnitId: string };
    const made = await call('workunit.create', { goal: 'part', parentWorkUnitId: whole });
    const { workUnitId } = made as { workUnitId: string };
    const { sourceBranch: branchId, headCommit: commit, repositoryId } = offered;
    const resultId = 'exec/1';
    await change((one) => {
      const given = { resultId, branchId, repositoryId, commit, workUnitId, hostId: one.hostId, ...more };
      one.run(execution, resultId, 'start', given);
      const said = { projectRoot: '.', command: 'x', startedAt: one.at, stdOut: '', stdErr: '', truncated: false };
      for (const step of steps) one.run(execution, resultId, 'endStep', { step: { ...said, ...step } });
      one.run(execution, resultId, 'end', {});
    });
    return reviewDepthOf(records, unitOf(records, workUnitId), { ...offered, workUnitId }).agents;
  }
  const counts = (passed: number, failed = 0) => ({ totalTests: passed + failed, passed, failed, skipped: 0 });
  const passes = { kind: 'Test', exitCode: 0, counts: counts(3) } as const;

  it('needs no look of its own where all that the host has run of it has passed', async () => {
    expect(await depthBehind([{ kind: 'Build', exitCode: 0 }, passes])).toBe(0);
  });

  it.each([
    ['a test failed', [{ kind: 'Test', exitCode: 1, counts: counts(3, 1) }]],
    ['what was built before its tests failed', [{ kind: 'Build', exitCode: 2 }, passes]],
    ['no test was found', [{ kind: 'Test', exitCode: 0, counts: counts(0) }]],
    ['nothing was tested', [{ kind: 'Build', exitCode: 0 }]],
  ] as const)('is looked at where %s', async (_, steps) => {
    expect(await depthBehind(steps)).toBe(1);
  });

  it.each([
    ['of another commit', { commit: '3'.repeat(40) }],
    ['as somebody has named them', { asAsked: true }],
  ])('is looked at where its tests were %s', async (_, more) => {
    expect(await depthBehind([passes], more)).toBe(1);
  });
});
