import { expect, it } from 'vitest';
import { listedProposals, proposal } from '../testing/work/proposal.js';
import { recording } from '../testing/record/recording.js';
import { createUnit } from '../rules/goals/create-unit.js';
import { sourcesOf } from './sources.js';
import { changedFiles, proposalDag, proposalSummary, workspaceSummary } from './workspace-status.js';

const DIFF = [
  ...[
    'diff --git a/new.txt b/new.txt',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/new.txt',
    '@@ -0,0 +1 @@',
    '+x',
  ],
  ...['diff --git a/old.txt b/old.txt', '--- a/old.txt', '+++ b/old.txt', '@@ -1,2 +1 @@', '-a', '-b', '+c', ''],
].join('\n');

it('a proposal says what it does to each file, as far as its diff is known', () => {
  const known = proposal({ filesTouched: ['old.txt', 'bin', 'new.txt'] });
  expect(changedFiles(known, DIFF)).toEqual([
    { path: 'old.txt', changeKind: 'Modified', proposalId: 'MP-1' },
    { path: 'bin', changeKind: 'Changed', proposalId: 'MP-1' },
    { path: 'new.txt', changeKind: 'Added', proposalId: 'MP-1' },
  ]);
  expect(proposalSummary(known, DIFF)).toMatchObject({
    addedFiles: ['new.txt'],
    modifiedFiles: ['old.txt'],
    deletedFiles: [],
    addedLines: 2,
    removedLines: 2,
  });
  expect(proposalSummary(proposal({ filesTouched: ['a'] }))).not.toHaveProperty('addedLines');
});

it('the proposals of a unit show what they rest on, and what brought them together', () => {
  const { records, change, feed } = recording();
  const given = { goal: 'g', owner: 'ann' };
  const root = change((open) => createUnit(open, records, given)).workUnitId;
  const part = change((open) => createUnit(open, records, { ...given, parentWorkUnitId: root })).workUnitId;
  const fork = change((open) => createUnit(open, records, { ...given, branchedFromProposalId: 'MP-1' })).workUnitId;
  const proposals = listedProposals([
    proposal({ proposalId: 'MP-1', workUnitId: part, status: 'Superseded', sourceBranch: 'work-1' }),
    proposal({ proposalId: 'MP-2', workUnitId: root, reconciledFrom: ['MP-1'], filesTouched: ['a'] }),
    proposal({ proposalId: 'MP-3', workUnitId: fork }),
  ]);
  const sources = { ...sourcesOf({ records, feed }), proposals };
  expect(proposalDag(sources, root)).toMatchObject({
    proposals: [{ proposalId: 'MP-1', status: 'Superseded', baseState: 'base/MP-1', producedState: 'work-1' }],
    branches: [{ workUnitId: fork, branchedFromProposalId: 'MP-1' }],
    mergeProposal: { proposalId: 'MP-2', reconciledFrom: ['MP-1'], filesTouched: ['a'] },
  });
  expect(workspaceSummary(sources, { workUnitId: root })).toMatchObject({
    activeWorkUnits: [root, part],
    pendingMerges: ['MP-2'],
  });
});
