// Folders for the branches of a large repository, and which of many branches could not be merged with each other.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NodeSpaces, type ObjectStore, Radar, nodeObjectStores } from '@weft/studio/testing';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { mustHold, timed } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import type { Figures } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const run = promisify(execFile);
const FILES = 8_000;
const BRANCHES = 50;
const LINES = 400;
const AT = '2026-01-02T03:04:05.000Z';

const columns: readonly Column[] = [
  { figure: 'open_first_ms', title: 'first folder ms', digits: 0 },
  { figure: 'open_ms', title: 'next folder ms', digits: 0 },
  { figure: 'snapshot_ms', title: 'snapshot ms', digits: 0 },
  { figure: 'merge_ms', title: 'one merge ms', digits: 0 },
  { figure: 'radar_ms', title: 'radar, all pairs ms', digits: 0 },
  { figure: 'radar_step_ms', title: 'radar, one moved ms', digits: 0 },
];

export const workspaceBench: Bench = {
  name: 'workspace',
  summary: 'folders for branches of 8,000 files, and which of 50 branches collide',
  columns,
  run: runWorkspace,
};

async function runWorkspace(options: BenchOptions): Promise<readonly Row[]> {
  const files = Math.min(options.edits ?? FILES, FILES);
  const branches = Math.min(BRANCHES, Math.max(4, Math.floor(files / 40)));
  const base = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  try {
    const commit = await repositoryOf(join(base, 'user'), files);
    const store = await nodeObjectStores(join(base, 'git')).of('bench');
    await store.receive(join(base, 'user'), [`${commit}:refs/weft/branches/main`]);
    const heads = await branchesOf(store, commit, branches);
    let round = 0;
    const measure = (): Promise<Figures> => measureRound(store, join(base, `round-${++round}`), commit, heads);
    const contender = { name: `weft, ${files} files and ${branches} branches`, run: measure };
    const entrant: Entrant = { lib: 'weft', version: WEFT_VERSION, form: 'git', notes: [], contender };
    return await runEntrants('workspace', `${files} files`, [entrant], options);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function measureRound(
  store: ObjectStore,
  folder: string,
  main: string,
  heads: ReadonlyMap<string, string>,
): Promise<Figures> {
  const spaces = new NodeSpaces(folder);
  await spaces.recover();
  const open = (branchId: string) =>
    spaces.open(store, { repositoryId: 'bench', branchId }, heads.get(branchId) ?? main);
  const first = await timed(() => open('b0'));
  await spaces.idle();
  const next = await timed(() => open('b1'));
  await spaces.idle();
  await writeFile(join(next.result.folder, 'changed'), 'x');
  const snapshot = await timed(() => spaces.snapshot(store, next.result));
  mustHold(
    (await store.changes(heads.get('b1')!, snapshot.result)).length === 1,
    'the snapshot is not what was written',
  );
  const merge = await timed(() => store.merge(main, heads.get('b0')!, heads.get('b2')!));
  mustHold(merge.result.clean, 'two branches that touch different files collide');
  const radar = new Radar();
  const all = await timed(() => radar.look(store, heads));
  const moved = new Map(heads).set('b2', await touched(store, heads.get('b0')!, 0, 'another'));
  const step = await timed(() => radar.look(store, moved));
  // Each two neighbours have changed one file in two ways.
  mustHold(all.result.length === Math.floor(heads.size / 2), `${all.result.length} pairs collide`);
  await rm(folder, { recursive: true, force: true });
  return {
    open_first_ms: first.ms,
    open_ms: next.ms,
    snapshot_ms: snapshot.ms,
    merge_ms: merge.ms,
    radar_ms: all.ms,
    radar_step_ms: step.ms,
  };
}

async function repositoryOf(folder: string, files: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < files; n++) {
    const path = join(folder, pathOf(n));
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, textOf(n));
  }
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.test', ...args], { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'first');
  return (await git('rev-parse', 'HEAD')).stdout.trim();
}

async function branchesOf(store: ObjectStore, main: string, count: number): Promise<ReadonlyMap<string, string>> {
  const heads = new Map<string, string>();
  for (let n = 0; n < count; n++) heads.set(`b${n}`, await touched(store, main, n >> 1, `branch ${n}`));
  return heads;
}

async function touched(store: ObjectStore, from: string, file: number, text: string): Promise<string> {
  const edits = [{ path: pathOf(file), content: `${text}\n${textOf(file)}` }];
  return store.commit({ tree: await store.edit(from, edits), parents: [from], message: text, at: AT });
}

function pathOf(n: number): string {
  return `d${n % 80}/e${n % 7}/f${n}.txt`;
}

function textOf(n: number): string {
  return `line of file ${n}\n`.repeat(LINES / 2);
}
