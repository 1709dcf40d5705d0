/**
 * Toolchains of the cases, on this machine: whether each is there, and the compiler of TypeScript as the package that a repository brings
 * with it, so that it is installed without a network. A case whose toolchain is missing is not tried, and it is said.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Toolchain = 'go' | 'make' | 'python3' | 'typescript';

/** Path of the packed compiler in a repository. */
export const COMPILER_AT = 'vendor/typescript.tgz';

/** What tells that a program is there, and how one gets it. */
const PROGRAMS: Readonly<Record<Exclude<Toolchain, 'typescript'>, readonly [argument: string, get: string]>> = {
  go: ['version', 'install Go 1.19 or later (golang-go on Debian)'],
  make: ['--version', 'install make'],
  python3: ['--version', 'install Python 3'],
};

/** Why a case cannot be tried here, in one line; undefined when it can. */
export async function missingOf(needs: readonly Toolchain[]): Promise<string | undefined> {
  for (const need of needs) {
    const why = await missing(need);
    if (why !== undefined) return why;
  }
  return undefined;
}

async function missing(need: Toolchain): Promise<string | undefined> {
  if (need === 'typescript') {
    const get = 'npm install --global typescript@5';
    return compilerFolder() === undefined ? `typescript is not here: ${get}` : undefined;
  }
  const [argument, get] = PROGRAMS[need];
  return run(need, [argument]).then(
    () => undefined,
    () => `${need} is not here: ${get}`,
  );
}

/** Folder of the package, where Node finds it from here, from the folder that one works in, or beside Node's own programs. */
function compilerFolder(): string | undefined {
  const from = [import.meta.url, join(process.cwd(), 'x.js'), join(dirname(process.execPath), '../lib/x.js')];
  for (const one of from)
    try {
      // The compiler in JavaScript; later versions are programs of a platform, and of another layout.
      return dirname(dirname(createRequire(one).resolve('typescript/lib/_tsc.js')));
    } catch {
      // Not from there.
    }
  return undefined;
}

let packed: Promise<Buffer> | undefined;

/** Package of the compiler, as npm installs it, of those of its files that a build reads. Made once. */
export function packedCompiler(): Promise<Buffer> {
  return (packed ??= pack());
}

async function pack(): Promise<Buffer> {
  const from = compilerFolder();
  if (from === undefined) throw new Error(await missing('typescript'));
  const aside = await mkdtemp(join(tmpdir(), 'weft-compiler-'));
  try {
    const types = (await readdir(join(from, 'lib'))).filter((name) => /^lib\.(es|dec|d\.ts).*$/.test(name));
    await mkdir(join(aside, 'package/lib'), { recursive: true });
    for (const path of ['package.json', 'bin', 'lib/tsc.js', 'lib/_tsc.js', ...types.map((name) => `lib/${name}`)])
      await cp(join(from, path), join(aside, 'package', path), { recursive: true });
    await run('tar', ['-czf', join(aside, 'packed.tgz'), '-C', aside, 'package']);
    return await readFile(join(aside, 'packed.tgz'));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
