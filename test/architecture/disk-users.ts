/**
 * Users of the disk and of programs in the studio: every file that imports `node:fs` or `node:child_process`, with what keeps a
 * path of a caller, or a link of an agent, from leading it elsewhere. A new one fails until it has a row here, and its reason is
 * what a reviewer looks at: `no-links.ts` is the way for whatever lies in a folder that others write to.
 */
import { importsOf } from './imports.js';
import { type Files, isProduct, select } from './source-tree.js';

const OWN = "The studio's own folder, which no agent sees.";
const PLACED = 'A folder that a person names, judged before it is used.';
const JUDGING = 'Judges folders that a person names: real paths alone.';
const LOOKED_AT = 'Names and kinds alone, without following the last link; nothing is opened.';

const rows: Readonly<Record<string, readonly string[]>> = {
  'The way itself: each step by its handle, regular files alone.': ['workspace/files/no-links.ts'],
  'Entries that no-links.ts has led to.': ['workspace/files/file-in-folder.ts', 'workspace/files/node-text-search.ts'],
  [LOOKED_AT]: [
    'workspace/git/calls/run-git.ts',
    'workspace/git/user/in-the-way.ts',
    'workspace/symbols/node-language-server.ts',
    'workspace/files/list-files.ts',
    'workspace/files/remove-tree.ts',
    'workspace/symbols/node-symbols.ts',
  ],
  [JUDGING]: ['workspace/files/roots.ts'],
  [PLACED]: [
    'workspace/git/remotes/begun-clones.ts',
    'workspace/git/spaces/adopt-folder.ts',
    'workspace/git/user/held-before.ts',
    'workspace/git/user/keepable.ts',
    'workspace/git/user/kept-preview.ts',
    'workspace/git/user/node-git.ts',
    'workspace/git/user/node-kept-folder.ts',
    'workspace/git/user/node-user-branches.ts',
  ],
  [OWN]: [
    'config.ts',
    'models/models.ts',
    'models/providers/programs/command-line.ts',
    'models/providers/programs/executors/claude-code.ts',
    'models/providers/programs/executors/tools-over-stdio.ts',
    'models/providers/scripted/recorder.ts',
    'record/ledger/heads.ts',
    'record/ledger/image-file.ts',
    'studio.ts',
    'tokens.ts',
    'workspace/egress/node-egress.ts',
    'workspace/git/merges/merge-attributes.ts',
    'workspace/git/node-disk.ts',
    'workspace/git/objects/node-object-store.ts',
    'workspace/git/spaces/node-spaces.ts',
    'workspace/git/objects/passing-folders.ts',
    'workspace/git/spaces/space-notes.ts',
    'workspace/git/calls/stale-locks.ts',
    'workspace/git/objects/stored-refs.ts',
    'workspace/private-git/private-gits.ts',
    'workspace/tool-hooks/node-tool-hooks.ts',
    'workspace/programs/program-homes.ts',
    'workspace/set-ups/node-set-ups.ts',
    'workspace/tool-servers/mcp-servers.ts',
  ],
  'Entries that no-links.ts has led to, in a folder where no program runs any more, or not yet.': [
    'workspace/set-ups/copy-tree.ts',
  ],
  'Settings in the home of the user, read at the start.': [
    'workspace/egress/node-registries.ts',
    'workspace/egress/trust.ts',
  ],
  'Files and commands that the file of models names as sources of keys.': ['models/key-sources.ts'],
  'What the system says of processes.': ['workspace/programs/process-identity.ts', 'workspace/sandbox/whole-limits.ts'],
  'Looks whether a program is there, before it is begun.': ['workspace/programs/yielding.ts'],
  'Groups of the kernel, in which no agent writes.': ['workspace/sandbox/control-groups.ts'],
  'Programs of agents: begun in a folder that no-links.ts has opened.': ['workspace/programs/node-processes.ts'],
  'git, whose every call `run-git.ts` builds.': [
    'workspace/git/calls/run-in-shell.ts',
    'workspace/git/calls/run-program.ts',
  ],
  'Finds out whether this machine can confine programs.': ['workspace/sandbox/node-confinement.ts'],
  'The suite of efficacy, in passing folders of its own.': [
    'efficacy/solve.ts',
    'efficacy/toolchains.ts',
    'efficacy/write-case.ts',
  ],
  'The demonstration, in a folder of its own.': [
    'demo/demo.ts',
    'demo/forge/http-git.ts',
    'demo/played.ts',
    'demo/remote.ts',
    'demo/repository.ts',
  ],
};

const TOUCHING = /^(node:)?(fs|child_process)(\/|$)/;

/** Files that touch the disk or start programs without a row, and rows without such a file. */
export function unlistedDiskUsers(files: Files): string[] {
  const listed = new Set(Object.values(rows).flatMap((paths) => paths.map((path) => `studio/src/${path}`)));
  const users = [...select(files, (path) => isProduct(path) && path.startsWith('studio/src/'))]
    .filter(([path, text]) => importsOf(path, text).some(({ specifier }) => TOUCHING.test(specifier)))
    .map(([path]) => path);
  return [
    ...users.filter((path) => !listed.has(path)).map((path) => `${path} touches the disk or starts programs`),
    ...[...listed].filter((path) => !users.includes(path)).map((path) => `no longer so, take it off the list: ${path}`),
  ];
}
