/** Commits section: what was done last on the user's branch, so that an agent sees how work is cut and named here. */
import type { PastCommit } from '../../workspace/git/objects/object-store.js';
import { type Fact, named } from './fact.js';

/** Commits that are shown. */
export const MOST_COMMITS = 8;
const LONGEST_SUBJECT = 120;

export function commitsSection(commits: readonly PastCommit[]): Fact[] {
  if (commits.length === 0) return [];
  // By whole ids: a recording knows those for names of its run.
  const lines = commits
    .slice(0, MOST_COMMITS)
    .map(({ commit, author, subject }) => `${commit} ${author}: ${subject.slice(0, LONGEST_SUBJECT)}`);
  return [named('commits', ['The last commits (git_show shows one):', ...lines].join('\n'))];
}
