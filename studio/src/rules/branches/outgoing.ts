/**
 * Outgoing commits: a branch in the form in which it leaves this host. The same input gives the same commit, also where it is signed,
 * so whatever is sent again after a crash is what was sent.
 */
import { createHash } from 'node:crypto';
import type { PublishingSettings } from '../../record/aggregates/publishing/publishing.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { type GitIdentity, STUDIO_IDENTITY } from '../../workspace/git/objects/git-identity.js';
import type { NewCommit, ObjectStore } from '../../workspace/git/objects/object-store.js';
import { outgoingRef } from '../../workspace/git/objects/ref-names.js';

/** Commits that a rebase takes over one by one. */
const MOST_COMMITS = 500;
const TRAILER = /^[A-Za-z][\w-]*: \S/;
export const DEFAULT_MESSAGE = '{title}\n\n{body}';

export interface Outgoing {
  /** Head of the branch. */
  readonly head: string;
  /** Commit that it comes on top of. */
  readonly onto: string;
  /** Commit that the work is counted from where what was before it stays behind; a merge takes it all. Default: where both part. */
  readonly since?: string;
  readonly shape: 'merge' | 'squash' | 'rebase';
  /** Whole message, without trailers. A rebase keeps those of its commits. */
  readonly message: string;
  readonly author?: PublishingSettings['author'];
  readonly coAuthors?: PublishingSettings['coAuthors'];
  readonly sign?: PublishingSettings['sign'];
  readonly signingKey?: string | undefined;
}

/** Settings of a goal, and below them those of its repository. */
export function publishingOf({ publishing }: Records, repositoryId: string, goalId?: string): PublishingSettings {
  const ofGoal = goalId === undefined ? undefined : publishing.get(goalId)?.settings;
  return { ...publishing.get(repositoryId)?.settings, ...ofGoal };
}

/** Fills in a template; what it does not know stays as it is. */
export function filledIn(template: string, values: Readonly<Record<string, string>>): string {
  return template
    .replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole))
    .trim();
}

export async function compose(store: ObjectStore, wanted: Outgoing): Promise<string> {
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.entries(wanted).sort()))
    .digest('hex');
  const ref = outgoingRef(digest);
  const made = await store.at(ref);
  if (made !== undefined) return made;
  const commit = wanted.shape === 'rebase' ? await rebased(store, wanted) : await asOne(store, wanted);
  await store.move(ref, undefined, commit);
  // Another call may have made it meanwhile, with another signature.
  return (await store.at(ref)) ?? commit;
}

async function asOne(store: ObjectStore, { head, onto, since, shape, ...wanted }: Outgoing): Promise<string> {
  const base = shape === 'merge' || since === undefined ? await store.mergeBase(onto, head) : since;
  const tree = await mergedTree(store, base ?? (await store.emptyTree()), onto, head);
  const at = await store.madeAt(head);
  const parents = shape === 'squash' ? [onto] : [onto, head];
  return store.commit({ ...looks(wanted), tree, parents, at, message: withCoAuthors(wanted.message, wanted) });
}

async function rebased(store: ObjectStore, outgoing: Outgoing): Promise<string> {
  const { head, onto, since, ...wanted } = outgoing;
  const line = await store.line(head);
  // Work that was brought up to date has merges in its line, which hold what is not its own.
  if (since !== undefined && !line.includes(since)) return asOne(store, { ...outgoing, shape: 'squash' });
  const base = since ?? (await store.mergeBase(onto, head));
  const end = base === undefined ? line.length : line.findIndex((commit) => commit === base);
  const own = (end === -1 ? line : line.slice(0, end)).reverse();
  if (own.length > MOST_COMMITS)
    throw refusal('reject.invalid_input', `shape: ${own.length} commits are too many for a rebase; squash them`);
  let last = onto;
  let before = base ?? (await store.emptyTree());
  for (const commit of own) {
    const tree = await mergedTree(store, before, last, commit);
    before = commit;
    // What is there already leaves no empty commit.
    if (tree === (await store.treeOf(last))) continue;
    const message = withCoAuthors(await store.messageOf(commit), wanted);
    const at = await store.madeAt(commit);
    const [author, { author: committer = STUDIO_IDENTITY, sign }] = [
      await authorOf(store, commit, wanted),
      looks(wanted),
    ];
    last = await store.commit({ tree, parents: [last], at, message, author, committer, sign });
  }
  return last;
}

async function mergedTree(store: ObjectStore, base: string, ours: string, theirs: string): Promise<string> {
  const { clean, tree, conflicts } = await store.merge(base, ours, theirs);
  if (clean) return tree;
  throw refusal('reject.merge_conflict', 'the branch and what it is to come on top of have changed the same', {
    conflicts,
  });
}

/** Who wrote a commit: people keep what is theirs, and what the studio has made is of the author that is set. */
async function authorOf(
  store: ObjectStore,
  commit: string,
  { author = STUDIO_IDENTITY }: Pick<Outgoing, 'author'>,
): Promise<GitIdentity> {
  const of = await store.authorOf(commit);
  return of.name === STUDIO_IDENTITY.name && of.email === STUDIO_IDENTITY.email ? author : of;
}

function looks({
  author,
  sign = 'none',
  signingKey,
}: Pick<Outgoing, 'author' | 'sign' | 'signingKey'>): Pick<NewCommit, 'author' | 'sign'> {
  const format = sign === 'gpg' ? ('openpgp' as const) : ('ssh' as const);
  return { author, sign: sign === 'none' ? undefined : { format, key: signingKey } };
}

/** Message with its co-authors among the trailers, each once. Trailers are the last paragraph, where that is nothing else and no subject. */
function withCoAuthors(message: string, { coAuthors = [] }: Pick<Outgoing, 'coAuthors'>): string {
  const text = message.trimEnd();
  const last = text.includes('\n\n') ? text.slice(text.lastIndexOf('\n\n') + 2).split('\n') : [];
  const isTrailers = last.length > 0 && last.every((line) => TRAILER.test(line));
  const there = new Set(isTrailers ? last.map((line) => line.toLowerCase()) : []);
  const trailers = coAuthors
    .map(({ name, email }) => `Co-authored-by: ${name} <${email}>`)
    .filter((line) => !there.has(line.toLowerCase()));
  return trailers.length === 0 ? message : `${text}${isTrailers ? '\n' : '\n\n'}${trailers.join('\n')}`;
}
