/**
 * Every operation of the studio. Adding one is a new export in one of the modules below; nothing else changes.
 *
 * An operation's id is `<noun>.<verb>`: the noun is given here, the verb is the name of the export.
 */
import { checkTable } from './check-table.js';
import type { NamedOperation, Operation } from './define.js';
import * as branches from './branches.js';
import * as caches from './caches.js';
import * as conflicts from './conflicts.js';
import * as merges from './merges.js';
import * as repositories from './repositories.js';
import * as repositoryFiles from './repository-files.js';
import * as repositoryGit from './repository-git.js';
import * as states from './states.js';
import * as workUnits from './work-units.js';

export function tableOf(
  modules: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): readonly NamedOperation[] {
  const table = Object.entries(modules).flatMap(([noun, module]) =>
    Object.entries(module).map(([verb, operation]) => ({ ...operation, id: `${noun}.${verb}` })),
  );
  // A namespace lists its names sorted, so the order says nothing; sort by id to make it independent of the module order too.
  table.sort((a, b) => (a.id < b.id ? -1 : 1));
  checkTable(table);
  return table;
}

export const operationTable: readonly NamedOperation[] = tableOf({
  branch: branches,
  cache: caches,
  conflict: conflicts,
  merge: merges,
  repository: { ...repositories, ...repositoryFiles, ...repositoryGit },
  state: states,
  workunit: workUnits,
});
