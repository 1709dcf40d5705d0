/**
 * Other side of a conflict: what has come to the target since the proposal began. Proposals have landed there, and what none of them brought
 * was committed by people.
 */
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { Records } from '../../record/views/records.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';

export interface OtherSide {
  /** Proposals that landed, oldest first. */
  readonly landed: readonly Proposal[];
  /** Commits of people, oldest first. */
  readonly byPeople: readonly string[];
}

interface Between {
  readonly targetBranch: string;
  /** Commit that the proposal began with. */
  readonly base: string;
  /** Commit of the target. */
  readonly to: string;
  readonly paths: readonly string[];
}

/** Commits of the target that are looked at. Where there are more, people may have made one of them. */
const MOST_COMMITS = 500;

export async function otherSide(
  { proposals }: Records,
  store: ObjectStore,
  { targetBranch, base, to, paths }: Between,
): Promise<OtherSide> {
  const wanted = new Set(paths);
  const onTarget = proposals.where('landed', targetBranch);
  const results = new Map(onTarget.map((one) => [one.resultCommit, one]));
  // What takes a landing back puts there what was there before.
  const takeBacks = new Set(onTarget.map(({ takingBack, takenBackBy }) => takingBack?.to ?? takenBackBy));
  const landed: Proposal[] = [];
  const byPeople: string[] = [];
  const line = await store.line(to);
  for (const [n, commit] of line.entries()) {
    if (await store.isAncestor(commit, base)) break;
    if (n === MOST_COMMITS) {
      byPeople.push(commit);
      break;
    }
    const changes = await store.changes(line[n + 1] ?? (await store.emptyTree()), commit);
    if (!changes.some(({ path }) => wanted.has(path))) continue;
    const proposal = results.get(commit);
    if (proposal) landed.push(proposal);
    else if (!takeBacks.has(commit)) byPeople.push(commit);
  }
  return { landed: landed.reverse(), byPeople: byPeople.reverse() };
}
