/** Names that no branch may have: git, or a program of somebody's, would take them for something else. */
import { refusal } from '../../reasons.js';

/** What git calls commits of its own making, such as HEAD and FETCH_HEAD. */
const OF_GIT = /^(@|HEAD|[A-Z]+_HEAD)$/;

export function requireBranchName(name: string): void {
  const why = faultOf(name);
  if (why === undefined) return;
  throw refusal('reject.invalid_input', `${JSON.stringify(name)} cannot be the name of a branch: it ${why}`, [
    { field: 'name', message: why },
  ]);
}

function faultOf(name: string): string | undefined {
  if (OF_GIT.test(name)) return 'means something else to git';
  if (name.startsWith('-')) return 'would be taken for an option';
  return /\p{Cc}/u.test(name) ? 'holds a character that cannot be shown' : undefined;
}
