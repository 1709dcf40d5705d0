/** What is written at a forge about the work on a goal. The studio's words stand between marks; what people write beside them stays. */
import type { Contribution } from '../../record/aggregates/contribution/contribution.js';
import type { ForgeConnection } from '../../record/aggregates/forge/forge.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { Records } from '../../record/views/records.js';
import { evidenceNow } from '../knowledge/evidence.js';
import { openQuestions } from '../people/waiting-for-people.js';
import { goalOfContribution } from './forge-context.js';

const BEGIN = '<!-- weft:begin -->';
const END = '<!-- weft:end -->';
const MOST_FILES = 50;

export const statusMark = (goalId: string): string => `<!-- weft:goal ${goalId} -->`;
export const replyMark = (proposalId: string, threadId: string): string =>
  `<!-- weft:done ${proposalId} ${threadId} -->`;

/** Words before a title by which GitLab and Gitea know a draft. */
const DRAFT = /^(?:\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip)\s*:)\s*)+/i;

export function titleOf({ summary, goal }: Proposal): string {
  const lines = [...summary.split('\n'), goal].map((one) => one.replace(DRAFT, '').trim());
  const line = lines.find((one) => one !== '') ?? goal.trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}

/** Body of a request: what was done, why, what shows that it works. */
export function bodyOf(records: Records, entry: Contribution, proposal: Proposal): string {
  const unit = records.workUnits.get(proposal.workUnitId ?? '');
  const evidence = evidenceNow(records, proposal.workUnitId ?? '', proposal).map(
    ({ success, summary }) => `- ${success ? '✅' : '❌'} ${oneLine(summary)}`,
  );
  const files = proposal.filesTouched.slice(0, MOST_FILES).map((path) => `- \`${path.replaceAll('`', '')}\``);
  const more = proposal.filesTouched.length - files.length;
  const criteria = unit?.successCriteria;
  const parts = [
    proposal.summary,
    proposal.changeDescription === proposal.summary ? '' : proposal.changeDescription,
    criteria === undefined || criteria === '' ? '' : `**Done when**\n\n${criteria}`,
    evidence.length === 0 ? '**Evidence**\n\nNothing was built or tested.' : `**Evidence**\n\n${evidence.join('\n')}`,
    files.length === 0 ? '' : `**Files**\n\n${files.join('\n')}${more > 0 ? `\n- and ${more} more` : ''}`,
    entry.issue === undefined ? '' : `Closes #${entry.issue.number}`,
    `<sub>Made by Weft for goal ${entry.goalId}. Say what should be otherwise in a review.</sub>`,
  ];
  return [BEGIN, ...parts.filter((part) => part !== ''), END].join('\n\n');
}

/** Body with the studio's part replaced; what people have written around it stays. */
export function replaced(old: string, fresh: string): string {
  const [from, to] = [old.indexOf(BEGIN), old.indexOf(END)];
  if (from === -1 || to < from) return old.trim() === '' ? fresh : `${old.trimEnd()}\n\n${fresh}`;
  return old.slice(0, from) + fresh + old.slice(to + END.length);
}

/** The one comment at an issue: how the work stands, and what is asked. */
export function statusOf(records: Records, { mention }: ForgeConnection, entry: Contribution): string {
  const goal = goalOfContribution(records, entry);
  const [question] = openQuestions(records, goal);
  const { outcome, number, url = '' } = entry;
  const state =
    outcome === 'merged'
      ? `It was merged by #${number}.`
      : outcome === 'closed'
        ? `The request for it was closed; nothing more happens by itself.`
        : number !== undefined
          ? `A request is open: ${url}`
          : goal.status === 'Abandoned'
            ? 'The work was stopped.'
            : 'Work on it has begun.';
  const asked =
    question === undefined
      ? ''
      : `\n\n**A question:** ${question.question}${question.options.length === 0 ? '' : `\n\n${question.options.map((one) => `- ${one}`).join('\n')}`}\n\nAnswer in a comment that begins with \`${mention}\`.`;
  return `${state}${asked}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
