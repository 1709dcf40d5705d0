/** What a reviewer reads: what was to be done, what was done, what was checked, and the changes in colours. */
import { printable } from '../output/show.js';
import type { Terminal } from '../syntax/define.js';
import type { ProposalMeant } from './proposals.js';

/** What a build or a test has shown. */
export interface Check {
  readonly kind: string;
  readonly success: boolean;
  readonly summary: string;
  readonly command?: string;
}

type Painting = Pick<Terminal, 'paint'>;

export function reviewText(proposal: ProposalMeant, checks: readonly Check[], painting: Painting): string {
  const { paint } = painting;
  const { proposalId, status, goal, summary, changeDescription, filesTouched, sourceBranch, targetBranch } = proposal;
  const {
    verificationResults,
    reviewNotes,
    troubles = [],
    noFileChangesJustification: without,
    confidence,
    workspaceChanges,
  } = proposal;
  const about = (name: string, text: string): string => `${paint('bold', name.padEnd(8))} ${printable(text)}`;
  const unchecked = checks.length === 0 && verificationResults === undefined && troubles.length === 0;
  return [
    `${paint('bold', proposalId)}  ${status}  ${printable(sourceBranch)} -> ${printable(targetBranch)}`,
    '',
    about('Goal', goal),
    about('Done', summary),
    ...(changeDescription === '' || changeDescription === summary ? [] : ['', printable(changeDescription), '']),
    ...(confidence === undefined ? [] : [about('Sure', `${Math.round(confidence * 100)} %`)]),
    ...(without === undefined ? [] : [about('No change, because', without)]),
    ...(unchecked ? [`${about('Checked', '')}${paint('yellow', 'nothing was built or tested')}`] : []),
    ...(verificationResults === undefined ? [] : [about('Checked', verificationResults)]),
    ...checks.map((check) => `  ${checkLine(check, painting)}`),
    ...troubles.map(({ kind, text }) => `  ${paint('red', kind)}  ${printable(text)}`),
    ...(reviewNotes === undefined ? [] : [about('Review', reviewNotes)]),
    about('Changes', `${filesTouched.length} ${filesTouched.length === 1 ? 'file' : 'files'}`),
    '',
    ...(workspaceChanges ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => diffLine(printable(line), painting)),
  ].join('\n');
}

function checkLine({ kind, success, summary, command }: Check, { paint }: Painting): string {
  const mark = success ? paint('green', 'passed') : paint('red', 'failed');
  return [mark, ...[kind, summary, command ?? ''].map(printable)].join('  ').trimEnd();
}

function diffLine(line: string, { paint }: Painting): string {
  if (/^(diff |index |--- |\+\+\+ )/.test(line)) return paint('bold', line);
  if (line.startsWith('@@')) return paint('cyan', line);
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}
