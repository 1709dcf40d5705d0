/**
 * Writers of the branches of work: every call of what changes the files of a branch or of its folder. Each stands here with what keeps an
 * agent within the scope of its unit there; a new one fails until it has a row. What programs write in a folder is taken back where the
 * branch is proposed, and behind each turn of an agent program.
 */
import ts from 'typescript';
import { type Files, isProduct, select } from './source-tree.js';
import { forEachNode, parse } from './syntax.js';

const WRITES = new Set(['editBranch', 'editFile', 'editFiles', 'moveHeld', 'restoreBranch', 'goBack', 'revert']);
const IN_FOLDERS = new Set(['spaces.write', 'spaces.erase', 'disk.spaces.write', 'disk.spaces.erase']);

/** file calls what -> why an agent writes nothing outside of its scope. */
const callers: Readonly<Record<string, string>> = {
  'rules/branches/files.ts editFiles': 'the guard of its own file, for each path',
  'rules/branches/files.ts spaces.write': 'the guard above it, for each path',
  'rules/branches/files.ts spaces.erase': 'the guard above it, for each path',
  'rules/branches/save.ts moveHeld': 'its callers, who are listed here; a save has what is in the folder',
  'rules/branches/outside-scope.ts editBranch': 'it takes back what is outside',
  'rules/branches/known-good.ts restoreBranch': 'a person: agents go back to no state',
  'rules/proposals/revert.ts restoreBranch': 'the base of what the unit has proposed',
  'rules/proposals/bring-up-to-date.ts moveHeld': 'what has landed on the target',
  'rules/proposals/target.ts moveHeld': 'the proposal that lands, which was kept within its scope',
  'rules/proposals/promote.ts moveHeld': 'what the candidate branch has',
  'rules/runs/set-up.ts editBranch': 'it takes back what a set-up has changed',
  'drivers/executing/workplaces.ts editBranch': 'it takes back changes of unread files',
  'operations/agent-tools/writing.ts editFiles': 'the guard of editFiles',
  'operations/branches/branches.ts editBranch': 'a person: the operation is not dispatched to agents',
  'operations/branches/repository-files.ts editBranch': 'its own guard, where it writes for a unit',
  'operations/branches/states.ts goBack': 'a person: the operation is not dispatched to agents',
  'operations/proposals/merges.ts revert': 'the base of what the unit has proposed',
  'operations/workspaces/workspace-files.ts editFile': 'the guard of editFiles',
};

export function unlistedBranchWriters(files: Files): string[] {
  const found = new Set<string>();
  for (const [path, text] of select(files, (one) => isProduct(one) && one.startsWith('studio/src/'))) {
    const name = path.slice('studio/src/'.length);
    if (name.startsWith('workspace/') || name.startsWith('testing/')) continue;
    forEachNode(parse(path, text), (node) => {
      if (!ts.isCallExpression(node)) return;
      const called = node.expression.getText();
      if (WRITES.has(called) || IN_FOLDERS.has(called)) found.add(`${name} ${called}`);
    });
  }
  const listed = new Set(Object.keys(callers));
  return [
    ...[...found].filter((one) => !listed.has(one)).map((one) => `${one}: what keeps an agent within its scope there?`),
    ...[...listed].filter((one) => !found.has(one)).map((one) => `no longer so, take it off the list: ${one}`),
  ];
}
