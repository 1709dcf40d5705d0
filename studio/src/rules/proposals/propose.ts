/** Proposes a branch's changes to another branch. Head and base are fixed from then on. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import type { ProposalGiven } from '../../record/aggregates/merge-proposal/events.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { WorkUnitStatus } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import { moveUnit } from '../queue/move.js';
import { unitOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';
import type { ObjectStore, Patch, TreeChange } from '../../workspace/git/objects/object-store.js';
import { baseRef, headRef } from '../../workspace/git/objects/ref-names.js';
import type { BranchContext } from '../branches/branch-context.js';
import {
  type StoredBranch,
  MAIN,
  emptyCommit,
  headOf,
  mergeBranchOf,
  storedBranch,
} from '../branches/stored-branch.js';
import { namedPaths, takeBackOutside } from '../branches/outside-scope.js';
import { renewing, supersedeRenewed } from './bring-up-to-date.js';
import { lostTests } from './lost-tests.js';
import { requireUnmarked } from './marks.js';
import { broughtIn } from './own-worker.js';
import { requireFolder, save } from '../branches/save.js';

const SUBMODULE = '160000';
/** Limit of all paths together, which are in one record. */
const MOST_PATH_BYTES = 512 << 10;
const WITHOUT_TURN: readonly WorkUnitStatus[] = ['Created', 'Active', 'Queued', 'Waiting'];
const NOTHING_CHANGED = 'it changes no file, and does not say why';

export type Offer = Omit<
  ProposalGiven,
  'repositoryId' | 'filesTouched' | 'reconciledFrom' | 'baseCommit' | 'headCommit' | 'lostTests' | 'linesChanged'
> & { readonly reconciledFrom?: readonly string[] };

/** Prepares a proposal. The answer is to be run in the change that answers the request. */
export async function propose(context: BranchContext, offer: Offer): Promise<(change: Change) => Proposal> {
  const { records } = context;
  const unit = offer.workUnitId === undefined ? undefined : unitOf(records, offer.workUnitId);
  // A unit has one branch and one merge branch; a mistyped name means the former.
  const isWhole = unit !== undefined && offer.sourceBranch === mergeBranchOf(unit.workUnitId);
  const sourceBranch = isWhole ? offer.sourceBranch : (unit?.branchId ?? offer.sourceBranch);
  const parent = records.workUnits.get(unit?.parentWorkUnitId ?? '');
  const repositories = new Set([unit?.repositoryId, parent?.repositoryId].filter((id) => id !== undefined));
  // With no repository named there is only one.
  const isPart = parent !== undefined && repositories.size < 2;
  // A part targets the merge branch of its parent.
  const targetBranch = isPart ? mergeBranchOf(parent.workUnitId) : targetSaid(records, offer);
  const source = await storedBranch(context, sourceBranch, unit?.repositoryId);
  const target = await storedBranch(context, targetBranch, source.repositoryId);
  const { store, repositoryId } = source;
  // Unsaved files are lost with a removed folder, and the proposer must know. Nobody writes on merge branches.
  if (!isWhole) await requireFolder(context, source);
  const headCommit = await save(context, source);
  const targetHead = await headOf(context, target);
  const before = records.proposals.where('source', sourceBranch).filter((one) => one.repositoryId === repositoryId);
  const baseCommit =
    (await baseOfTakenBack(store, before, headCommit, targetHead)) ??
    (await store.mergeBase(headCommit, targetHead)) ??
    (await emptyCommit(store));
  const changes = await store.changes(baseCommit, headCommit);
  const filesTouched = proposablePaths(changes, sourceBranch);
  if (unit && !isWhole) await refuseOutside(context, source, unit, changes);
  if (unit) await requireUnmarked(records, store, { workUnitId: unit.workUnitId, commit: headCommit });
  const lost = await lostTests(store, changes);
  const linesChanged = changedLines(await store.patch(baseCommit, headCommit, MOST_COUNTED));
  if (!isWhole) refuseEmpty(records, filesTouched, offer, unit, sourceBranch);
  const { workUnitId } = offer;
  const offered = { repositoryId, branchId: sourceBranch, commit: headCommit, workUnitId };
  const { unfit, attach } = await context.trials.ofOffer(context, offered);
  const proposalId = context.newId('MP-');
  // Pinned before it is recorded, so that what is recorded exists.
  await store.move(baseRef(proposalId), undefined, baseCommit);
  await store.move(headRef(proposalId), undefined, headCommit);
  return (change) => {
    const between = { sourceBranch: source.branchId, targetBranch: target.branchId };
    const about = { linesChanged, ...(lost.length > 0 && { lostTests: lost }) };
    const given = { ...offer, ...between, ...about, repositoryId, filesTouched, baseCommit, headCommit };
    // A reconciling proposal names what it reconciles, whoever makes it.
    const others = offer.reconciledFrom ?? unit?.reconciliationSourceProposalIds ?? [];
    const renewed = unit ? renewing(records, unit.workUnitId) : [];
    const reconciledFrom = [...others, ...renewed];
    const proposed = change.run(mergeProposal, proposalId, 'propose', { ...given, proposalId, reconciledFrom });
    supersedeRenewed(change, records, proposed);
    attach(change, proposed);
    const reason = unfit ?? (unit && isAgainstRule(records, unit, proposed) ? NOTHING_CHANGED : undefined);
    if (reason !== undefined) return change.run(mergeProposal, proposalId, 'move', { to: 'Rejected', reason });
    if (!unit) return proposed;
    const { workUnitId } = unit;
    const status = change.state(workUnit, workUnitId)?.status;
    if (status === 'Executing') moveUnit(change, records, workUnitId, 'Proposed');
    // It was done before its turn.
    else if (status !== undefined && WITHOUT_TURN.includes(status)) moveUnit(change, records, workUnitId, 'Reviewing');
    else return proposed;
    change.run(workUnit, workUnitId, 'stage', { stage: 'Review' });
    return proposed;
  };
}

/** Target as it was said; but what is on the candidate branch, and was brought into the work, is there already. */
function targetSaid(records: Records, { targetBranch, workUnitId = '' }: Offer): string {
  const [both] = broughtIn(records, workUnitId).slice(-1);
  return targetBranch === MAIN && both?.targetBranch === CANDIDATE ? CANDIDATE : targetBranch;
}

/** Refuses what goes beyond the unit's scope, once it is taken back: the others may rest on it, so nothing is proposed then. */
async function refuseOutside(
  context: BranchContext,
  branch: StoredBranch,
  unit: WorkUnit,
  changes: readonly TreeChange[],
): Promise<void> {
  const paths = await takeBackOutside(context, branch, unit, changes);
  if (paths.length === 0) return;
  throw refusal(
    'reject.outside_file_scope',
    `${namedPaths(paths)} ${paths.length === 1 ? 'was' : 'were'} changed outside of the scope of ${unit.workUnitId}, and taken back. See that the work holds without, then propose again`,
    { paths: paths.slice(0, MOST_IN_DETAILS), fileScope: unit.fileScope },
  );
}

const MOST_IN_DETAILS = 1000;
/** Bytes of a patch whose lines are counted; a longer one is large anyway. */
const MOST_COUNTED = 1 << 20;

/** Lines that a patch adds and takes away, without the names of its files. */
function changedLines({ text }: Patch): number {
  return text.split('\n').filter((line) => /^(?:\+(?!\+\+ )|-(?!-- ))/.test(line)).length;
}

/** Paths of the changes; refuses submodules, and more paths than one record holds. */
function proposablePaths(changes: readonly TreeChange[], sourceBranch: string): string[] {
  const submodule = changes.find(({ before, after }) => before?.mode === SUBMODULE || after?.mode === SUBMODULE);
  if (submodule)
    throw refusal('reject.submodule', `${submodule.path} is a submodule, which only a person can move`, {
      path: submodule.path,
    });
  const paths = changes.map(({ path }) => path);
  if (Buffer.byteLength(paths.join()) > MOST_PATH_BYTES)
    throw refusal('reject.too_many_files', `${sourceBranch} changes ${paths.length} files, too many for one proposal`, {
      files: paths.length,
    });
  return paths;
}

/**
 * Base of a proposal after a take-back: the changes are in the target's history but not in its files, so they are proposed
 * again from their former base. Undefined when nothing was taken back, or when something later has landed and stayed.
 */
async function baseOfTakenBack(
  store: ObjectStore,
  before: readonly Proposal[],
  headCommit: string,
  targetHead: string,
): Promise<string | undefined> {
  const landed = before.filter(({ resultCommit }) => resultCommit !== undefined);
  const last = landed.findLastIndex(({ status }) => status !== 'Rejected');
  for (const { headCommit: taken, baseCommit } of landed.slice(last + 1))
    if ((await store.isAncestor(taken, headCommit)) && (await store.isAncestor(taken, targetHead))) return baseCommit;
  return undefined;
}

/** A proposal is a change: work that should change files offers some, or says why none had to. */
function refuseEmpty(
  { options }: Records,
  filesTouched: readonly string[],
  { noFileChangesJustification, targetBranch }: Offer,
  unit: WorkUnit | undefined,
  sourceBranch: string,
): void {
  if (filesTouched.length > 0 || noFileChangesJustification !== undefined) return;
  if (unit && unit.expectedOutputKind !== 'FileChange') return;
  // The option has it recorded as rejected instead, for who looks at the record.
  if (unit && (options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS).enforceExpectedOutputKind) return;
  throw refusal('reject.nothing_changed', `${sourceBranch} has nothing that ${targetBranch} has not`, { sourceBranch });
}

/** Whether work that should change files changes none, and does not say why. */
function isAgainstRule(
  { options }: Records,
  { expectedOutputKind }: WorkUnit,
  { filesTouched, noFileChangesJustification }: Proposal,
): boolean {
  const { enforceExpectedOutputKind } = options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  const isEmpty = filesTouched.length === 0 && noFileChangesJustification === undefined;
  return enforceExpectedOutputKind && expectedOutputKind === 'FileChange' && isEmpty;
}
