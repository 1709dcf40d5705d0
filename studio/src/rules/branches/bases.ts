/**
 * Bases: branches that the result of a goal may be for. One is the user's own branch, where work begins and lands. The others are
 * those of the remote by which the repository's work leaves, as the user's git knows them: a result for one of these is requested
 * or pushed there, and moves nothing here.
 */
import { refusal } from '../../reasons.js';
import type { BranchContext } from './branch-context.js';
import { publishingOf } from './outgoing.js';
import { folderOf } from './stored-branch.js';

export interface Bases {
  /** The user's own branch. */
  readonly landing: string;
  /** Remote of the others; null where the repository has none. */
  readonly remote: string | null;
  readonly there: readonly string[];
}

const ORIGIN = 'origin';
/** Names that a refusal lists. */
const MOST_LISTED = 20;

export async function basesOf(context: BranchContext, repositoryId: string): Promise<Bases> {
  const { disk, records } = context;
  const folder = await folderOf(context, repositoryId);
  const { name: landing } = await disk.user.defaultBranch(folder);
  const wanted = records.forges.get(repositoryId)?.remote ?? publishingOf(records, repositoryId).remote ?? ORIGIN;
  const remote = (await disk.remotes.of(folder)).find(({ name }) => name === wanted)?.name ?? null;
  const there = remote === null ? [] : await disk.user.branchesAt(folder, remote);
  return { landing, remote, there: there.filter((name) => name !== landing) };
}

/** Base of a goal as it is recorded: undefined for the user's own branch. Refuses one that is not there, and says which are. */
export async function baseMeant(
  context: BranchContext,
  repositoryId: string,
  base: string | undefined,
): Promise<string | undefined> {
  if (base === undefined) return undefined;
  const { landing, remote, there } = await basesOf(context, repositoryId);
  if (base === landing) return undefined;
  if (there.includes(base)) return base;
  const known = [landing, ...there];
  const message =
    remote === null
      ? `${base} is not ${landing}, where work lands, and the repository has no remote that another branch could be at`
      : `neither the branch ${landing} here nor one that was fetched from ${remote} is ${base}; there are ${known.slice(0, MOST_LISTED).join(', ')} (weft studio remote fetch brings what is new)`;
  throw refusal('reject.invalid_input', `base: ${message}`, [{ field: 'base', message }]);
}
