import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { filesBelow } from '../files-below.js';
import { runProgram } from '../../workspace/git/calls/run-program.js';

/** A fixed author and time, so that commits can be compared. */
const WHEN = '2024-01-01T00:00:00Z';
const AUTHOR = {
  GIT_AUTHOR_NAME: 'T',
  GIT_AUTHOR_EMAIL: 't@example.test',
  GIT_AUTHOR_DATE: WHEN,
  GIT_COMMITTER_NAME: 'T',
  GIT_COMMITTER_EMAIL: 't@example.test',
  GIT_COMMITTER_DATE: WHEN,
};

/** Without hooks that nobody runs, and without looking each time whether there is something to tidy up. */
const FIRST_COMMIT = [
  'git init --quiet --initial-branch=main --template=',
  'git add --all',
  'git -c gc.auto=0 -c maintenance.auto=false commit --quiet --allow-empty --message=first',
].join(' && ');

/** Plain git, as a user would call it, with a fixed author. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  return (await run('git', args, folder)).trim();
}

/** A shell script, for several calls of git. */
export async function shell(folder: string, script: string, ...args: string[]): Promise<string> {
  return run('/bin/sh', ['-c', script, ...args], folder);
}

/** What a program prints; it fails with what the program says of its failure. */
async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const [out, err]: Buffer[][] = [[], []];
  const base = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
  const { ended } = runProgram({
    program,
    args,
    folder,
    base,
    environment: AUTHOR,
    input: '',
    onOut: (bytes) => out!.push(bytes),
    onErr: (bytes) => err!.push(bytes),
  });
  const { code, signal } = await ended;
  if (code === 0) return Buffer.concat(out!).toString('utf8');
  const said = Buffer.concat(err!).toString('utf8');
  throw Object.assign(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}: ${said}`), {
    code,
    stderr: said,
  });
}

/** What git made of files, by these files: many tests begin with the same, and three programs are spared each time. */
const made = new Map<string, Readonly<Record<string, Buffer>>>();

/** A repository with one commit that holds the given files; answers the commit. */
export async function gitRepository(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(folder, { recursive: true });
  const isNew = (await readdir(folder)).length === 0;
  await writeFiles(folder, files);
  const key = JSON.stringify(files);
  const at = join(folder, '.git');
  const before = isNew ? made.get(key) : undefined;
  if (before === undefined) {
    await shell(folder, FIRST_COMMIT);
    if (isNew) made.set(key, await bytesBelow(at));
  } else {
    await writeFiles(at, before);
    for (const empty of ['objects/info', 'objects/pack', 'refs/tags'])
      await mkdir(join(at, empty), { recursive: true });
  }
  return (await readFile(join(at, 'refs', 'heads', 'main'), 'utf8')).trim();
}

async function bytesBelow(folder: string): Promise<Record<string, Buffer>> {
  const paths = await filesBelow(folder);
  const read = paths.map(async (path) => [relative(folder, path), await readFile(path)] as const);
  return Object.fromEntries(await Promise.all(read));
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
