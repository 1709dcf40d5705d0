/** Names that no branch may have: git, or a program of somebody's, would refuse them or take them for something else. */
import { refusal } from '../../reasons.js';

/** What git calls commits of its own making, such as HEAD and FETCH_HEAD. */
const OF_GIT = /^(@|HEAD|[A-Z]+_HEAD)$/;
/** Characters that mean something in what git takes for the name of a commit, or that it refuses. */
const REFUSED = /[ ~^:?*[\\]/;

/** Name of a branch of the studio's own, which may hold spaces too. */
export function requireBranchName(name: string, field = 'name'): void {
  refuseFor(faultOf(name), name, field);
}

/** Name of a branch of somebody's git. */
export function requireGitBranchName(name: string, field: string): void {
  const character = REFUSED.exec(name)?.[0];
  const held = `holds ${JSON.stringify(character)}, which git refuses; use - in its place`;
  refuseFor(faultOf(name) ?? (character === undefined ? undefined : held), name, field);
}

/** Checks the name that a template makes; what it does not fill in stays in it. */
export function requireBranchTemplate(template: string, field: string): void {
  requireGitBranchName(template.replace(/\{(goal|branch|title|body)\}/g, 'x').trim(), field);
}

function refuseFor(why: string | undefined, name: string, field: string): void {
  if (why === undefined) return;
  throw refusal('reject.invalid_input', `${field}: ${JSON.stringify(name)} cannot be the name of a branch: it ${why}`, [
    { field, message: why },
  ]);
}

/** Rules of `git check-ref-format`, and what of its names would mislead; each with what to do. */
function faultOf(name: string): string | undefined {
  if (OF_GIT.test(name)) return 'means something else to git; choose another';
  if (name.startsWith('-')) return 'would be taken for an option; leave out the dash that it begins with';
  if (name.startsWith('refs/')) return 'is the whole name of a ref; leave out refs/heads/';
  if (/\p{Cc}/u.test(name)) return 'holds a character that cannot be shown; leave it out';
  if (name.includes('..') || name.includes('@{')) return 'holds .. or @{, which mean other commits to git; use -';
  const parts = name.split('/');
  if (parts.includes('')) return 'has an empty part; name something on both sides of each /';
  if (parts.some((part) => part.startsWith('.'))) return 'has a part that begins with a dot; leave the dot out';
  if (parts.some((part) => part.endsWith('.lock')))
    return 'has a part that ends in .lock, as files of git do; end it otherwise';
  return name.endsWith('.') ? 'ends in a dot; leave the dot out' : undefined;
}
