/**
 * Synchronization of a branch and its folder. What people and agents have written in the folder becomes a commit before
 * anything else happens to the branch, so unsaved files are never overwritten.
 */
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { refusal } from '../../reasons.js';
import type { ObjectStore, TreeEdit } from '../../workspace/git/objects/object-store.js';
import { type Space, statusOf } from '../../workspace/git/spaces/spaces.js';
import { advanceMain } from './advance.js';
import type { BranchContext } from './branch-context.js';
import { broughtInto } from './brought-in.js';
import { markedTree } from './marked-tree.js';
import { type StoredBranch, MAIN, emptyCommit, headOf } from './stored-branch.js';
import { type Warrant, requireWarrant } from './user-law.js';

/** Mutex of a branch. */
export function onBranch<T>(
  { lane }: Pick<BranchContext, 'lane'>,
  { repositoryId, branchId }: StoredBranch,
  work: () => Promise<T>,
): Promise<T> {
  return lane.inOrder(`branch ${repositoryId} ${branchId}`, work);
}

/** Guard: direct changes may not touch the user's branch or the candidate. */
export function requireOwn({ branchId }: StoredBranch): void {
  if (branchId !== MAIN && branchId !== CANDIDATE) return;
  throw refusal('reject.branch_reserved', `${branchId} changes by merges alone; work on another branch`, { branchId });
}

/** Guard: refuses when somebody has removed the branch's folder, which may have held unsaved files. */
export async function requireFolder({ disk }: Pick<BranchContext, 'disk'>, branch: StoredBranch): Promise<void> {
  if (!(await disk.spaces.isLost(branch))) return;
  throw refusal('reject.workspace_gone', `the folder of ${branch.branchId} has gone`, { branchId: branch.branchId });
}

/** Commits what is in the folder, if there is one, and answers the branch's commit then. */
export function save(context: BranchContext, branch: StoredBranch): Promise<string> {
  return onBranch(context, branch, () => saveHeld(context, branch));
}

/** Saves a branch whose mutex is held. */
export async function saveHeld(context: BranchContext, branch: StoredBranch): Promise<string> {
  const { spaces } = context.disk;
  const { store } = branch;
  const head = await headOf(context, branch);
  const space = await spaces.find(branch);
  if (!space) return head;
  const { tree, changes } = await statusOf(spaces, store, space);
  if (changes.length === 0) {
    if (space.commit !== head) await bringUp(context, store, space, tree, head);
    return head;
  }
  requireOwn(branch);
  const merged = await store.merge(space.commit, head, tree);
  if (!merged.clean) {
    const paths = merged.conflicts.map(({ path }) => path);
    throw refusal('reject.workspace_conflict', `${paths.length} files were changed in the workspace and the branch`, {
      paths,
    });
  }
  if (merged.tree === (await store.treeOf(head))) {
    await bringUp(context, store, space, tree, head);
    return head;
  }
  const message = `Save ${changes.length} changed ${changes.length === 1 ? 'file' : 'files'} of ${branch.branchId}`;
  const commit = await store.commit({ tree: merged.tree, parents: [head], message, at: context.now() });
  await moveHeld(context, branch, head, commit, tree);
  return commit;
}

/**
 * Moves a branch and its folder to a commit, as long as the folder holds what was saved: the branch's commit, or the given
 * tree. The mutex is held.
 */
export async function moveHeld(
  { disk }: Pick<BranchContext, 'disk'>,
  branch: StoredBranch,
  from: string,
  to: string,
  saved?: string,
): Promise<void> {
  const { store, ref, branchId } = branch;
  if (!(await store.move(ref, from, to))) throw refusal('reject.branch_moved', `${branchId} was moved`, { branchId });
  const space = await disk.spaces.find(branch);
  if (!space) return;
  const tree = await disk.spaces.snapshot(store, space);
  // The folder has the saved files already. Files written since are merged by the next save.
  if (tree === (await store.treeOf(to))) await disk.spaces.settle(space, to);
  else if (tree === (saved ?? (await store.treeOf(from)))) await disk.spaces.bring(store, space, tree, to);
}

async function bringUp(
  { disk }: Pick<BranchContext, 'disk'>,
  store: ObjectStore,
  space: Space,
  tree: string,
  head: string,
): Promise<void> {
  if (await disk.spaces.bring(store, space, tree, head)) return;
  throw refusal('reject.workspace_conflict', `files of the workspace are in the way of what ${space.branchId} has`, {
    workingDirectory: space.folder,
  });
}

/** Folder of the branch, brought up to its commit. */
export function openSpace(context: BranchContext, branch: StoredBranch): Promise<Space> {
  return onBranch(context, branch, async () => {
    const head = await saveHeld(context, branch);
    return context.disk.spaces.open(branch.store, branch, head);
  });
}

/** Changes files of a branch in one commit. */
export function editBranch(
  context: BranchContext,
  branch: StoredBranch,
  edits: readonly TreeEdit[],
  message: string,
): Promise<string> {
  requireOwn(branch);
  return onBranch(context, branch, async () => {
    const head = await saveHeld(context, branch);
    const { store } = branch;
    const tree = await store.edit(head, edits);
    if (tree === (await store.treeOf(head))) return head;
    const commit = await store.commit({ tree, parents: [head], message, at: context.now() });
    await moveHeld(context, branch, head, commit);
    return commit;
  });
}

/** Restores another commit's files, as a new commit on top of the branch's own history. What was brought into the branch since stays in it. */
export function restoreBranch(
  context: BranchContext,
  branch: StoredBranch,
  commit: string,
  message: string,
  warrant: Warrant,
): Promise<string> {
  return onBranch(context, branch, async () => {
    const head = await saveHeld(context, branch);
    const tree = await restoredTree(context, branch, { head, commit });
    if (tree === (await branch.store.treeOf(head))) return head;
    const back = await branch.store.commit({ tree, parents: [head], message, at: context.now() });
    if (branch.branchId === CANDIDATE) requireWarrant(context, warrant);
    if (branch.branchId !== MAIN) await moveHeld(context, branch, head, back);
    else if (!(await advanceMain(context, branch, head, back, warrant)))
      throw refusal('reject.branch_moved', 'main was moved', { branchId: MAIN });
    return back;
  });
}

/** Files of a commit, and what was brought into the branch of a unit since: without that, its next proposal would undo what others have landed. */
async function restoredTree(
  { records }: Pick<BranchContext, 'records'>,
  { store, branchId }: StoredBranch,
  { head, commit }: { readonly head: string; readonly commit: string },
): Promise<string> {
  const [unit] = records.workUnits.where('branch', branchId);
  const { workUnitId = '' } = unit ?? {};
  const last = (await broughtInto(records, store, { workUnitId, head })).at(-1);
  if (!last || (await store.isAncestor(last.target, commit))) return store.treeOf(commit);
  const base = (await store.mergeBase(commit, last.target)) ?? (await emptyCommit(store));
  const target = { commit: last.target, name: last.of.targetBranch };
  return (await markedTree(store, { base, target, own: { commit, name: workUnitId } })).tree;
}

/** Result of an eviction: whether the folder was removed, or why not; and what git ignores in it, which is nowhere else. */
export interface Evicted {
  readonly reason?: string;
  readonly ignored: readonly string[];
}

/**
 * Removes the folder when all that is in it can be made again from the branch; with `force` also ignored files. Folders that
 * are ignored as a whole are removed in any case: they hold build output. The mutex keeps the studio's own tools from writing
 * meanwhile.
 */
export function evict(context: BranchContext, branch: StoredBranch, force: boolean): Promise<Evicted> {
  return onBranch(context, branch, async () => {
    const { spaces } = context.disk;
    const { store } = branch;
    const space = await spaces.find(branch);
    if (!space) return { reason: 'there is no workspace', ignored: [] };
    const head = await saveHeld(context, branch);
    const ignored = await spaces.ignored(store, space);
    const [file, ...more] = ignored.filter((path) => !path.endsWith('/'));
    if (file !== undefined && !force) {
      const others = more.length === 0 ? 'is' : `and ${more.length} more are`;
      return {
        reason: `${file} ${others} ignored by git and nowhere else; save what is needed, or use force`,
        ignored,
      };
    }
    const isGone = await spaces.remove(store, space, { tree: await store.treeOf(head), ignored });
    return isGone ? { ignored } : { reason: 'files were changed while they were being saved', ignored };
  });
}
