/** All of the disk that work on branches needs. */
import type { ObjectStores } from './object-store.js';
import type { Spaces } from './spaces.js';
import type { UserBranches } from './user-branches.js';

export interface Disk {
  /** The studio's own, which holds all of it. */
  readonly folder: string;
  readonly stores: ObjectStores;
  readonly spaces: Spaces;
  readonly user: UserBranches;
  /** Where the store of a folder lies that is no git repository. */
  keptStore(folder: string): string;
}
