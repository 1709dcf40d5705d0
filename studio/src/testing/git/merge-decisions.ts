/** Generated merges, decided in the store and by git in a folder: all that comes out must be the same. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { gitRepository, shell } from './git-repository.js';
import { tempFolder } from '../temp-folder.js';

interface Held {
  readonly mode: '100644' | '100755' | '120000' | '160000';
  /** Commit id of a submodule that nobody has. */
  readonly content: Buffer;
}
type Files = Map<string, Held>;

interface Action {
  readonly kind: Kind;
  readonly name: string;
  readonly at: number;
  readonly text: string;
}

const text = (content: string): Held => ({ mode: '100644', content: Buffer.from(content) });
const lines = (seed: number): string =>
  Array.from({ length: 12 }, (_, n) => `line ${(n * 7 + seed) % 5} of ${n}\n`).join('');
const submodule = (digit: string): Held => ({ mode: '160000', content: Buffer.from(digit.repeat(40)) });

const BASE: ReadonlyMap<string, Held> = new Map([
  ...['a.txt', 'run.sh', 'dir/b.txt', 'dir/ü 🙂.txt', 'dir/deep/-c', 'odd\nname'].map(
    (name, n) => [name, text(lines(n))] as const,
  ),
  ['crlf.txt', text(lines(7).replaceAll('\n', '\r\n'))],
  ['c.bin', { mode: '100644', content: Buffer.from([0, 1, 2, ...Buffer.from(lines(8))]) }],
  ['link', { mode: '120000', content: Buffer.from('a.txt') }],
  ['sub', submodule('1')],
  ['.gitattributes', text('a.txt merge=union\nrun.sh -merge\n')],
  ['dir/.gitattributes', text('b.txt binary\n')],
]);

const NAMES = [...BASE.keys()];

/** What is done to a file that is there. */
const ACTS: Readonly<Record<string, (files: Files, held: Held, action: Action) => void>> = {
  edit: (files, held, { name, at, text: said }) => {
    const all = held.content.toString('latin1').split('\n');
    const content = all.with(Math.min(at, all.length - 1), said).join('\n');
    files.set(name, { ...held, content: Buffer.from(content, 'latin1') });
  },
  append: (files, held, { name, text: said }) =>
    files.set(name, { ...held, content: Buffer.concat([held.content, Buffer.from(`${said}\n`)]) }),
  delete: (files, _held, { name }) => void files.delete(name),
  rename: (files, _held, { name, text: said }) => move(files, name, `${name}-${said}`),
  'to another folder': (files, _held, { name, text: said }) => move(files, name, `other-${said}/${name}`),
  'rename of a folder': (files, _held, { text: said }) => {
    for (const name of [...files.keys()].filter((one) => one.startsWith('dir/')))
      move(files, name, name.replace('dir', `dir-${said}`));
  },
  mode: (files, held, { name }) => files.set(name, { ...held, mode: held.mode === '100644' ? '100755' : '100644' }),
  binary: (files, _held, { name, at, text: said }) =>
    files.set(name, { mode: '100644', content: Buffer.from([0, 1, 2, said.charCodeAt(0), at]) }),
  'line ends': (files, held, { name }) => {
    const content = held.content.toString('latin1').replace(/\r?\n/g, (end) => (end === '\n' ? '\r\n' : '\n'));
    files.set(name, { ...held, content: Buffer.from(content, 'latin1') });
  },
  link: (files, _held, { name, text: said }) => files.set(name, { mode: '120000', content: Buffer.from(`to-${said}`) }),
  'file to folder': (files, held, { name, text: said }) => {
    files.delete(name);
    files.set(`${name}/in-${said}`, held);
  },
  new: (files, _held, { at, text: said }) => void put(files, at % 2 ? 'ñew\t1' : 'dir/ñew', text(lines(at) + said)),
  attributes: (files, _held, { at, text: said }) =>
    void put(files, '.gitattributes', text(`${NAMES[at % 3]} ${said === 'X' ? 'merge=union' : '-merge'}\n`)),
  submodule: (files, _held, { text: said }) => void put(files, 'sub', submodule(said === 'X' ? '2' : '3')),
};
type Kind = keyof typeof ACTS & string;
const KINDS = Object.keys(ACTS);

/** Kinds of conflict that must have come out. */
const IN_CONFLICT = [
  'contents',
  'modify/delete',
  'rename/rename',
  'rename/delete',
  'distinct modes',
  'file/directory',
].map((kind) => `conflict: ${kind}`);

/** So many merges; each kind of change was there, and often. */
export async function expectDecidedAsGit(store: ObjectStore, runs: number, seed: number): Promise<void> {
  const tally = await decideAsGit(store, runs, seed);
  for (const kind of [...KINDS, 'clean', 'conflicted']) expect(tally.get(kind) ?? 0, kind).toBeGreaterThan(runs / 10);
  expect([...tally.keys()]).toEqual(expect.arrayContaining(IN_CONFLICT));
}

/** Answers how often something of each kind was done, and how the merges came out. */
async function decideAsGit(store: ObjectStore, runs: number, seed: number): Promise<ReadonlyMap<string, number>> {
  const side = (names: readonly string[]) => {
    const [kind, name] = [fc.constantFrom(...KINDS), fc.constantFrom(...names)];
    const action = fc.record({ kind, name, at: fc.nat({ max: 11 }), text: fc.constantFrom('X', 'Y') });
    return fc.array(action, { minLength: 1, maxLength: 4 });
  };
  // Few files, so that the two sides meet.
  const few = fc.shuffledSubarray(NAMES, { minLength: 2, maxLength: 3 });
  const cases = fc.sample(
    few.chain((names) => fc.tuple(side(names), side(names))),
    { numRuns: runs, seed },
  );
  const folder = await tempFolder();
  await gitRepository(folder, {});
  const tally = new Map<string, number>();
  const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const commits = [commit('base', BASE)];
  for (const [n, sides] of cases.entries())
    for (const [which, actions] of sides.entries())
      commits.push(commit(`${n}-${which}`, acted(actions, count), 'base'));
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input: Buffer.concat(commits) });
  await store.receive(folder, ['+refs/heads/*:refs/weft/t/*']);
  const at = await store.refs('refs/weft/t/');
  const commitOf = (name: string): string => at.get(`refs/weft/t/${name}`)!;
  for (const [n, sides] of cases.entries()) {
    const [ours, theirs] = [commitOf(`${n}-0`), commitOf(`${n}-1`)];
    const [merged, real] = await Promise.all([
      store.merge(commitOf('base'), ours, theirs),
      reallyMerged(folder, ours, theirs),
    ]);
    const paths = merged.conflicts.map(({ path }) => path);
    const found = merged.clean ? { tree: merged.tree, paths } : { tree: undefined, paths };
    expect(found, JSON.stringify(sides)).toEqual(real);
    count(merged.clean ? 'clean' : 'conflicted');
    for (const kind of new Set(merged.conflicts.map((one) => one.kind))) count(`conflict: ${kind}`);
  }
  return tally;
}

interface Outcome {
  readonly tree: string | undefined;
  readonly paths: readonly string[];
}

/** Merges in a folder: the tree, or a line that says `conflicted` and the index as it was left. */
const REALLY_MERGE = `
set -e
git checkout --quiet --force --detach "$0"
if git merge --quiet --no-edit --no-ff -m m "$1" >&2
then git rev-parse 'HEAD^{tree}'
else
  echo conflicted
  git ls-files -uz
  git reset --quiet --hard
  git clean -qffdx
fi`;

async function reallyMerged(folder: string, ours: string, theirs: string): Promise<Outcome> {
  const answer = await shell(folder, REALLY_MERGE, ours, theirs);
  const end = answer.indexOf('\n');
  if (answer.slice(0, end) !== 'conflicted') return { tree: answer.trim(), paths: [] };
  const unmerged = answer
    .slice(end + 1)
    .split('\0')
    .slice(0, -1);
  // git renames a file that is in the way of a folder; its own name counts here.
  const paths = unmerged.map((line) => line.slice(line.indexOf('\t') + 1).replace(/~(HEAD|[0-9a-f]{40})$/, ''));
  return { tree: undefined, paths: [...new Set(paths)].sort() };
}

function acted(actions: readonly Action[], count: (kind: string) => void): Files {
  const files: Files = new Map(BASE);
  for (const action of actions) {
    const held = files.get(action.name);
    if (!held || (held.mode === '160000' && action.kind !== 'delete')) continue;
    const before = new Map(files);
    ACTS[action.kind]!(files, held, action);
    if (files.size !== before.size || [...files].some(([name, one]) => before.get(name) !== one)) count(action.kind);
  }
  return files;
}

/** Where nothing is in its way. */
function put(files: Files, name: string, held: Held): boolean {
  const isInTheWay = (one: string): boolean => one.startsWith(`${name}/`) || name.startsWith(`${one}/`);
  if ([...files.keys()].some(isInTheWay)) return false;
  files.set(name, held);
  return true;
}

function move(files: Files, from: string, to: string): void {
  const held = files.get(from)!;
  files.delete(from);
  if (!put(files, to, held)) files.set(from, held);
}

/** Commit in the form that git's own importer reads. */
function commit(name: string, files: ReadonlyMap<string, Held>, from?: string): Buffer {
  const parts: (string | Buffer)[] = [
    `commit refs/heads/${name}\ncommitter T <t@example.test> 1704067200 +0000\ndata 1\nx\n`,
    ...(from === undefined ? [] : [`from refs/heads/${from}\n`]),
    'deleteall\n',
  ];
  for (const [path, { mode, content }] of files) {
    const quoted = `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
    if (mode === '160000') parts.push(`M ${mode} ${content.toString()} ${quoted}\n`);
    else parts.push(`M ${mode} inline ${quoted}\ndata ${content.length}\n`, content, '\n');
  }
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
