/** Disk: everything on disk that work on branches needs. */
import type { Roots } from '../files/roots.js';
import type { ObjectStores } from './objects/object-store.js';
import type { BegunClones } from './remotes/begun-clones.js';
import type { Remotes } from './remotes/remotes.js';
import type { Spaces } from './spaces/spaces.js';
import type { UserBranches } from './user/user-branches.js';

export interface Disk {
  /** Root folder, the studio's own. */
  readonly folder: string;
  readonly stores: ObjectStores;
  readonly spaces: Spaces;
  readonly user: UserBranches;
  readonly remotes: Remotes;
  readonly clones: Pick<BegunClones, 'during'>;
  /** Where callers may name folders. */
  readonly roots: Roots;
  /** Path of the store for a folder that is no git repository. */
  keptStore(folder: string): string;
}
