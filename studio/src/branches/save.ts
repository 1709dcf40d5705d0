/**
 * Keeps a branch and its folder in step. What people and agents have written in the folder becomes a commit before anything
 * else happens to the branch, so nothing that was not saved is ever written over.
 */
import { CANDIDATE } from '../aggregates/merge-proposal/state.js';
import { refusal } from '../reasons.js';
import type { TreeEdit } from '../workspace/object-store.js';
import { type Space, statusOf } from '../workspace/spaces.js';
import { advanceMain } from './advance.js';
import type { Ground } from './ground.js';
import { type BranchPlace, MAIN, headOf } from './place.js';

/** One piece of work at a time on one branch. */
export function onBranch<T>(
  { lane }: Ground,
  { repositoryId, branchId }: BranchPlace,
  work: () => Promise<T>,
): Promise<T> {
  return lane.inOrder(`branch ${repositoryId} ${branchId}`, work);
}

/** What was not reviewed does not get onto the user's branch, or onto the one that waits to reach it. */
function requireOwn({ branchId }: BranchPlace): void {
  if (branchId !== MAIN && branchId !== CANDIDATE) return;
  throw refusal('reject.branch_reserved', `${branchId} changes by merges alone; work on another branch`, { branchId });
}

/** Writes down what is in the folder, if there is one, and answers where the branch is then. */
export function save(ground: Ground, place: BranchPlace): Promise<string> {
  return onBranch(ground, place, () => saveHeld(ground, place));
}

/** As `save`, inside `onBranch`. */
export async function saveHeld(ground: Ground, place: BranchPlace): Promise<string> {
  const { spaces } = ground.disk;
  const { store } = place;
  const head = await headOf(ground, place);
  const space = await spaces.find(place);
  if (!space) return head;
  const { tree, changes } = await statusOf(spaces, store, space);
  if (changes.length === 0) {
    if (space.commit !== head) await spaces.bring(store, space, head);
    return head;
  }
  requireOwn(place);
  const merged = await store.merge(space.commit, head, tree);
  if (!merged.clean) {
    const paths = merged.conflicts.map(({ path }) => path);
    throw refusal('reject.workspace_conflict', `${paths.length} files were changed in the workspace and the branch`, {
      paths,
    });
  }
  const message = `Save ${changes.length} changed files of ${place.branchId}`;
  const commit = await store.commit({ tree: merged.tree, parents: [head], message, at: ground.now() });
  await moveHeld(ground, place, head, commit, space);
  return commit;
}

/** Moves a branch on that was saved, and its folder with it. */
export async function moveHeld(
  { disk }: Ground,
  { store, ref, branchId, ...key }: BranchPlace,
  from: string,
  to: string,
  space?: Space,
): Promise<void> {
  if (!(await store.move(ref, from, to))) throw refusal('reject.branch_moved', `${branchId} was moved`, { branchId });
  const open = space ?? (await disk.spaces.find({ branchId, repositoryId: key.repositoryId }));
  if (!open) return;
  // What was just written down is in the folder already.
  if ((await disk.spaces.snapshot(store, open)) === (await store.treeOf(to))) await disk.spaces.settle(store, open, to);
  else await disk.spaces.bring(store, open, to);
}

/** The branch's folder, with what the branch has. */
export function openSpace(ground: Ground, place: BranchPlace): Promise<Space> {
  return onBranch(ground, place, async () => {
    const head = await saveHeld(ground, place);
    return ground.disk.spaces.open(place.store, place, head);
  });
}

/** Changes files of a branch, as one commit. */
export function editBranch(
  ground: Ground,
  place: BranchPlace,
  edits: readonly TreeEdit[],
  message: string,
): Promise<string> {
  requireOwn(place);
  return onBranch(ground, place, async () => {
    const head = await saveHeld(ground, place);
    const { store } = place;
    const tree = await store.edit(head, edits);
    if (tree === (await store.treeOf(head))) return head;
    const commit = await store.commit({ tree, parents: [head], message, at: ground.now() });
    await moveHeld(ground, place, head, commit);
    return commit;
  });
}

/** Makes a branch hold what another commit holds, on top of its own history. */
export function restoreBranch(ground: Ground, place: BranchPlace, commit: string, message: string): Promise<string> {
  return onBranch(ground, place, async () => {
    const head = await saveHeld(ground, place);
    const tree = await place.store.treeOf(commit);
    if (tree === (await place.store.treeOf(head))) return head;
    const back = await place.store.commit({ tree, parents: [head], message, at: ground.now() });
    if (place.branchId !== MAIN) await moveHeld(ground, place, head, back);
    else if (!(await advanceMain(ground, place, head, back)))
      throw refusal('reject.branch_moved', 'main was moved', { branchId: MAIN });
    return back;
  });
}

/**
 * Takes the folder away when all that is in it can be made again from the branch. Answers why not, or undefined.
 * Other work on the branch waits meanwhile, so nothing is written in between by the studio's own tools.
 */
export function evict(ground: Ground, place: BranchPlace): Promise<string | undefined> {
  return onBranch(ground, place, async () => {
    const { spaces } = ground.disk;
    const space = await spaces.find(place);
    if (!space) return 'there is no workspace';
    const head = await saveHeld(ground, place);
    const tree = await spaces.snapshot(place.store, space);
    if (tree !== (await place.store.treeOf(head))) return 'files were changed while they were being saved';
    await spaces.remove(space);
    return undefined;
  });
}
