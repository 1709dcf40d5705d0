/** Repositories elsewhere: what comes from them, and what goes there. A branch of the user's moves by the law alone. */
import { refusal } from '../../reasons.js';
import { folderOfAddress, protocolOf, shownAddress } from '../../workspace/git/remotes/addresses.js';
import type { Tip } from '../../workspace/git/objects/object-store.js';
import { remotePrefix } from '../../workspace/git/objects/ref-names.js';
import type { Remote } from '../../workspace/git/remotes/remotes.js';
import type { HostSecret } from '../../workspace/git/calls/run-git.js';
import { advanceMain } from './advance.js';
import type { BranchContext } from './branch-context.js';
import { MAIN, type StoredBranch, folderOf, headOf, storedBranch } from './stored-branch.js';
import type { Transfers } from './transfers.js';
import type { Warrant } from './user-law.js';

/** What it takes to reach a repository elsewhere. */
export interface Reaching {
  readonly cloneProtocols: readonly string[];
  readonly transfers: Transfers;
}

type RemoteContext = BranchContext & Reaching;

export interface Fetched {
  readonly remote: string;
  /** Branches there, by name. */
  readonly branches: ReadonlyMap<string, string>;
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

export interface Sent {
  readonly remote: string;
  readonly branch: string;
  readonly commit: string;
  readonly expected?: string | undefined;
  readonly secret?: HostSecret | undefined;
}

/** Protocols for an address, which is one that this host allows. Anything else could be a program of the caller's choice, such as `ext::`, or an option. */
export async function allowedProtocols(
  { cloneProtocols, disk }: Pick<RemoteContext, 'cloneProtocols' | 'disk'>,
  address: string,
): Promise<readonly string[]> {
  if (address.includes('\0')) throw refusal('reject.invalid_input', 'url: holds a NUL character; leave it out');
  const protocol = protocolOf(address);
  if (protocol === 'file') await disk.roots.require(folderOfAddress(address));
  else if (protocol === undefined || !cloneProtocols.includes(protocol))
    throw refusal('reject.protocol_not_allowed', `this host does not reach ${protocol ?? 'such an address'}`, {
      allowed: ['file', ...cloneProtocols],
    });
  return ['file', ...cloneProtocols];
}

export async function remotesOf(context: BranchContext, repositoryId: string): Promise<Remote[]> {
  return context.disk.remotes.of(await folderOf(context, repositoryId));
}

async function remoteNamed(context: BranchContext, repositoryId: string, name: string): Promise<Remote> {
  const remotes = await remotesOf(context, repositoryId);
  const found = remotes.find((one) => one.name === name);
  if (found) return found;
  const names = remotes.map((one) => one.name);
  throw refusal('reject.remote_not_found', `the repository has no remote ${name}`, { remotes: names });
}

/** Brings the branches of a remote here; the user's repository shows them as its own git would. */
export async function fetchRemote(
  context: RemoteContext,
  repositoryId: string,
  name: string,
  secret?: HostSecret,
): Promise<Fetched> {
  const { url } = await remoteNamed(context, repositoryId, name);
  const protocols = await allowedProtocols(context, url);
  const { store } = await storedBranch(context, MAIN, repositoryId);
  const folder = await folderOf(context, repositoryId);
  const prefix = remotePrefix(name);
  return context.lane.inOrder(`remote ${repositoryId} ${name}`, async () => {
    // What the user's repository has need not come again.
    await headOf(context, await storedBranch(context, MAIN, repositoryId));
    const before = await store.refs(prefix);
    const begun = { of: repositoryId, kind: 'fetch' as const, address: shownAddress(url), since: context.now() };
    await context.transfers.run(begun, (onProgress) =>
      context.disk.remotes.fetch(store, { url, protocols, secret, onProgress }, prefix),
    );
    await context.disk.remotes.show(folder, store, prefix, name);
    const now = await store.refs(prefix);
    const short = (ref: string): string => ref.slice(prefix.length);
    return {
      remote: name,
      branches: new Map([...now].map(([ref, commit]) => [short(ref), commit])),
      changed: [...now].flatMap(([ref, commit]) => (before.get(ref) === commit ? [] : [short(ref)])),
      gone: [...before.keys()].filter((ref) => !now.has(ref)).map(short),
    };
  });
}

/** Commit that a branch of a remote was at when it was last fetched. */
export async function seenAt({ store }: Pick<StoredBranch, 'store'>, remote: string, branch: string): Promise<Tip> {
  return store.at(remotePrefix(remote) + branch);
}

/** Fast-forwards the user's default branch to what was fetched of it. Answers the commits, or undefined where there is nothing to do. */
export async function forwardMain(
  context: RemoteContext,
  repositoryId: string,
  remote: string,
  warrant: Warrant,
): Promise<{ readonly branch: string; readonly from: string; readonly to: string } | undefined> {
  const main = await storedBranch(context, MAIN, repositoryId);
  const { name: branch } = await context.disk.user.defaultBranch(await folderOf(context, repositoryId));
  const from = await headOf(context, main);
  const to = await seenAt(main, remote, branch);
  if (to === undefined || to === from || (await main.store.isAncestor(to, from))) return undefined;
  const isForward = await main.store.isAncestor(from, to);
  if (isForward && (await advanceMain(context, main, from, to, warrant))) return { branch, from, to };
  throw refusal('reject.branch_moved', `${branch} and ${remote}/${branch} have both moved: merge them with git`, {
    branchId: MAIN,
    at: from,
    there: to,
  });
}

/** Writes a commit to a branch of a remote. Answers whether the branch has moved by this call. */
export async function pushCommit(context: RemoteContext, repositoryId: string, sent: Sent): Promise<boolean> {
  const { remote, branch, commit, expected, secret } = sent;
  const { pushUrl: url } = await remoteNamed(context, repositoryId, remote);
  const protocols = await allowedProtocols(context, url);
  const { store } = await storedBranch(context, MAIN, repositoryId);
  const folder = await folderOf(context, repositoryId);
  const prefix = remotePrefix(remote);
  return context.lane.inOrder(`remote ${repositoryId} ${remote}`, async () => {
    const begun = { of: repositoryId, kind: 'push' as const, address: shownAddress(url), since: context.now() };
    const moved = await context.transfers.run(begun, (onProgress) =>
      context.disk.remotes.push(store, { url, protocols, secret, onProgress, commit, branch, expected }),
    );
    const ref = prefix + branch;
    await store.move(ref, await store.at(ref), commit);
    await context.disk.remotes.show(folder, store, prefix, remote, branch);
    return moved;
  });
}
