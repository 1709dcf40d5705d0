/** Disk over the `git` program, below one folder of the studio's own. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Disk } from './disk.js';
import { digestOf } from '../files/file-in-folder.js';
import type { Roots } from '../files/roots.js';
import { nodeObjectStores } from './objects/node-object-store.js';
import { configuredDrivers } from './merges/merge-drivers.js';
import { BegunClones } from './remotes/begun-clones.js';
import { NodeRemotes } from './remotes/node-remotes.js';
import { NodeSpaces, type SpacesOptions } from './spaces/node-spaces.js';
import { nodeUserBranches } from './user/node-user-branches.js';
import { clearStaleLocks } from './calls/stale-locks.js';

/** Roots of a disk that no caller names folders of. */
const EVERYWHERE: Roots = { require: () => Promise.resolve() };

export interface DiskOptions extends SpacesOptions {
  /** Waits before a remote that did not answer is tried again. */
  readonly remoteWaitsMs?: readonly number[];
  /** Whether a folder is that of a repository. Default: none is. */
  readonly isRegistered?: (folder: string) => boolean;
}

export async function nodeDisk(named: string, options: DiskOptions = {}): Promise<Disk & { idle(): Promise<void> }> {
  const folder = resolve(named);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const spaces = new NodeSpaces(folder, options);
  await spaces.recover();
  const kept = join(folder, 'kept');
  await clearStaleLocks(kept);
  const clones = new BegunClones(join(folder, 'clones'), options.log);
  await clones.recover(options.isRegistered ?? (() => false));
  const stores = nodeObjectStores(join(folder, 'git'), async (repositoryId, drivers) => {
    const user = options.folderOf?.(repositoryId);
    return user === undefined ? [] : configuredDrivers(user, drivers);
  });
  return {
    folder,
    stores,
    spaces,
    user: nodeUserBranches,
    remotes: new NodeRemotes(options.remoteWaitsMs),
    clones,
    roots: options.roots ?? EVERYWHERE,
    idle: () => spaces.idle(),
    keptStore: (path) => join(kept, `${digestOf(path).slice(0, 32)}.git`),
  };
}
