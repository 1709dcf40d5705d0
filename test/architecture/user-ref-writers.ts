/**
 * Writers of the user's branches: every call, outside of the folder that speaks to git, of what moves a branch in a repository of the
 * user's, and every git command that a file of that folder may write with. Each stands here with whose word lets it write; a new one
 * fails until it has a row, and the row is what a reviewer looks at.
 */
import ts from 'typescript';
import { type Files, isProduct, select } from './source-tree.js';
import { forEachNode, parse } from './syntax.js';

/** Calls that move or make a branch of the user's, by name. */
const MOVES = new Set([
  'advanceMain',
  'moveTarget',
  'restoreBranch',
  'advance',
  'create',
  'land',
  'goBack',
  'revert',
  'push',
  'pushCommit',
  'forwardMain',
]);
/** Objects whose methods of these names are meant; others have methods called so too. */
const OBJECTS = new Set(['user', 'disk.user', 'context.disk.user', 'context.disk.remotes']);

/** file calls what -> whose word is asked for. */
const callers: Readonly<Record<string, string>> = {
  'rules/branches/advance.ts user.advance': 'the warrant that it is shown, by the law',
  'rules/branches/save.ts advanceMain': 'the warrant that it is given',
  'rules/branches/known-good.ts restoreBranch': 'the warrant that it is given',
  'rules/proposals/revert.ts restoreBranch': 'the warrant that it is given',
  'rules/proposals/target.ts advanceMain': 'the warrant that it is given',
  'rules/branches/remotes.ts advanceMain': 'the warrant that it is given',
  'rules/branches/remotes.ts context.disk.remotes.push': 'its caller, who is listed here',
  'operations/branches/remotes.ts forwardMain': 'the caller, who is no agent',
  'operations/branches/remotes.ts pushCommit': 'a person: the operation is for people alone',
  'rules/forges/publish.ts pushCommit':
    'the connection that a person has made: a branch of its own there, never the base',
  'rules/proposals/landed-there.ts moveTarget': 'the proposal, which people have merged at the forge',
  'rules/proposals/promote.ts advanceMain': 'the proposals that are promoted',
  'rules/proposals/apply.ts moveTarget': 'the proposal that lands',
  'rules/proposals/apply.ts land': 'the proposal that lands',
  'rules/proposals/take-back.ts moveTarget': 'the landing on trial that is taken back',
  'operations/branches/states.ts goBack': 'the caller, who is no agent',
  'operations/proposals/merges.ts revert': 'the caller, who is no agent',
  'operations/proposals/merges.ts land': 'the proposal that lands',
  'operations/goals/external-results.ts land': 'the proposal that lands',
  'operations/branches/repository-git.ts user.advance': 'a person: the operation is for people alone',
  'operations/branches/repository-git.ts context.disk.user.create': 'a person: the operation is for people alone',
};

/** git commands that write refs, and the files of `workspace/git` that may name them. */
const WRITING = [
  'update-ref',
  'symbolic-ref',
  'merge',
  'checkout',
  'commit',
  'push',
  'rebase',
  'reset',
  'branch',
  'tag',
];
const gitFiles: Readonly<Record<string, readonly string[]>> = {
  // Below the port whose callers are listed above.
  'user/node-user-branches.ts': ['checkout', 'merge', 'symbolic-ref', 'update-ref'],
  // The store of a folder that is no repository, in the studio's own folder: what people have put there.
  'user/node-kept-folder.ts': ['commit'],
  // The name of an attribute.
  'merges/node-merges.ts': ['merge'],
  // To a repository elsewhere, whose callers are listed above.
  'remotes/node-remotes.ts': ['push'],
  // The studio's own store.
  'objects/node-object-store.ts': ['update-ref'],
};

export function unlistedWriters(files: Files): string[] {
  const found = new Set<string>();
  const verbs = new Set<string>();
  for (const [path, text] of select(files, (one) => isProduct(one) && one.startsWith('studio/src/'))) {
    const name = path.slice('studio/src/'.length);
    const inGit = name.startsWith('workspace/git/');
    if (!inGit && ![...MOVES].some((move) => text.includes(move))) continue;
    forEachNode(parse(path, text), (node) => {
      if (ts.isCallExpression(node) && !name.startsWith('workspace/')) {
        const called = calledIn(node.expression);
        if (called !== undefined) found.add(`${name} ${called}`);
      }
      if (inGit && ts.isStringLiteral(node) && WRITING.includes(node.text) && ts.isArrayLiteralExpression(node.parent))
        verbs.add(`${name.slice('workspace/git/'.length)} ${node.text}`);
    });
  }
  const listedVerbs = Object.entries(gitFiles).flatMap(([file, all]) => all.map((verb) => `${file} ${verb}`));
  return [
    ...difference(found, Object.keys(callers)).map((one) => `${one}: whose word lets it write to the user's branch?`),
    ...difference(Object.keys(callers), found).map((one) => `no longer so, take it off the list: ${one}`),
    ...difference(verbs, listedVerbs).map((one) => `${one}: a git command that writes`),
    ...difference(listedVerbs, verbs).map((one) => `no longer so, take it off the list: ${one}`),
  ];
}

function calledIn(expression: ts.Expression): string | undefined {
  const last = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  if (!ts.isIdentifier(last) || !MOVES.has(last.text)) return undefined;
  const text = expression.getText();
  const dot = text.lastIndexOf('.');
  const [object, name] = [text.slice(0, Math.max(dot, 0)), text.slice(dot + 1)];
  if (dot < 0) return name === 'advance' || name === 'create' ? undefined : name;
  return OBJECTS.has(object) ? text : undefined;
}

function difference(from: Iterable<string>, others: Iterable<string>): string[] {
  const without = new Set(others);
  return [...from].filter((one) => !without.has(one));
}
