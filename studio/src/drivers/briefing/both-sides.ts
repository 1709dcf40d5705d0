/** Section of a conflict for whoever brings his own proposal up to date: what others have changed and why, his own change, and where both are. */
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';
import type { BranchContext } from '../../rules/branches/branch-context.js';
import { otherSide } from '../../rules/proposals/other-side.js';
import { proposalOf } from '../../record/views/by-id.js';
import { broughtIn } from '../../rules/proposals/own-worker.js';
import { forPeople } from '../../rules/proposals/patch.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import how from '../roles/both-sides.md';
import { type Fact, beginning } from './fact.js';

/** Characters of all that one side has changed, and of what one proposal or commit says of itself. */
const MOST_PATCH = 16_000;
const MOST_SAID = 2000;
const MOST_REASONS = 10;
const MOST_NAMED = 100;

/** Conflicts that a unit was given and has not brought together yet. Where a person has taken back what it did, there is nothing to bring together. */
export function openBothSides(records: Records, workUnitId: string): { readonly id: string; readonly of: Given }[] {
  return broughtIn(records, workUnitId)
    .filter(
      ({ status, proposalId, resolvedBy }) =>
        status === 'Reconciling' || (resolvedBy === proposalId && !isReverted(records, proposalId)),
    )
    .map((of) => ({ id: `conflict ${of.conflictId}`, of }));
}

function isReverted({ proposals }: Records, proposalId: string): boolean {
  return proposals.get(proposalId)?.restartMode === 'Revert';
}

type Given = Conflict & Required<Pick<Conflict, 'broughtIn'>>;

/** Facts for a unit. What cannot be read is told to `onFailure`, and the agent is told where to look. */
export async function bothSides(
  context: BranchContext,
  { workUnitId }: WorkUnit,
  onFailure: (error: unknown) => void,
): Promise<Fact[]> {
  const { records, disk } = context;
  const facts: Fact[] = [];
  for (const { id, of } of openBothSides(records, workUnitId)) {
    const losing = proposalOf(records, of.proposalId);
    const store = await disk.stores.of(of.repositoryId);
    const shown = await sidesOf(records, store, of, losing).catch((error: unknown) => {
      onFailure(error);
      return ['What both have changed could not be read for you: look at these commits.'];
    });
    facts.push({ id, text: [...beginningOf(of, losing), ...shown, how.trim()].join('\n\n') });
  }
  return facts;
}

/** What has happened, and where both versions are. */
function beginningOf(found: Given, { baseCommit, headCommit }: Proposal): string[] {
  const { proposalId, targetBranch: target, conflictingPaths: paths, broughtIn: both, workUnitId = '' } = found;
  const named = `${paths.slice(0, MOST_NAMED).join(', ')}${paths.length > MOST_NAMED ? ', …' : ''}`;
  return [
    `${proposalId} cannot land: others have changed the same places on ${target} since you began. What is on ${target} was merged into your branch, and you go on from there.`,
    `Changed on both sides: ${named}`,
    `Where both are text, a file has both versions now: "<<<<<<< ${target}", what stands there, "=======", yours, ">>>>>>> ${workUnitId}". Any other file is as on ${target}. ` +
      `What stands there is commit ${both.target}, yours is ${headCommit}, and both began with ${baseCommit}.`,
  ];
}

/** Why others have changed it, and what each side has changed. */
async function sidesOf(records: Records, store: ObjectStore, found: Given, losing: Proposal): Promise<string[]> {
  const { targetBranch, conflictingPaths: paths, broughtIn: both } = found;
  const { baseCommit: base, headCommit } = losing;
  const { landed, byPeople } = await otherSide(records, store, { targetBranch, base, to: both.target, paths });
  const patchTo = (commit: string): Promise<string> => patchesOf(store, { from: base, to: commit, paths });
  const reasons = [
    ...landed.map(({ proposalId, summary, changeDescription, goal }) =>
      beginning(`- ${proposalId}: ${summary}\n  For: ${goal}\n  ${changeDescription}`, MOST_SAID, 'it is longer'),
    ),
    ...(await Promise.all(
      byPeople.map(async (commit) => {
        const said = `- a person, in commit ${commit}: ${await store.messageOf(commit)}`;
        return beginning(said, MOST_SAID, 'the commit has the rest');
      }),
    )),
  ].slice(-MOST_REASONS);
  return [
    `Why others have changed it:\n${reasons.join('\n')}`,
    `What they have changed in these files:\n${await patchTo(both.target)}`,
    `What you have changed in them:\n${await patchTo(headCommit)}`,
  ];
}

async function patchesOf(
  store: ObjectStore,
  { from, to, paths }: { readonly from: string; readonly to: string; readonly paths: readonly string[] },
): Promise<string> {
  const shown = paths.slice(0, MOST_NAMED);
  const each = Math.ceil(MOST_PATCH / Math.max(1, shown.length));
  const patches = await Promise.all(shown.map((path) => store.patch(from, to, each, path)));
  return patches.map(forPeople).join('');
}
