import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const bound = { timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };

export const checkout = fileURLToPath(new URL('../../', import.meta.url));

export const packageFolders = ['core', 'server', 'studio', 'cli'] as const;
export type PackageFolder = (typeof packageFolders)[number];

/** An empty project into which the packed packages were installed, as a stranger would have it. */
export interface PackedProject {
  readonly folder: string;
  readonly tarballs: ReadonlyMap<PackageFolder, string>;
  remove(): Promise<void>;
}

export async function createPackedProject(): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-packed-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const packed = await Promise.all(packageFolders.map(async (name) => [name, await pack(name, folder)] as const));
    const tarballs = new Map(packed);
    await writeFile(join(folder, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }\n');
    const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...quiet, ...tarballs.values()], { ...bound, cwd: folder });
    return { folder, tarballs, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function pack(name: PackageFolder, destination: string): Promise<string> {
  const options = ['--ignore-scripts', '--loglevel=error', '--pack-destination', destination];
  const { stdout } = await run('npm', ['pack', ...options], { ...bound, cwd: join(checkout, name) });
  return join(destination, stdout.trim().split('\n').at(-1) ?? '');
}

/** Paths inside a tarball, without npm's leading `package/`. */
export async function listTarball(tarball: string): Promise<string[]> {
  const { stdout } = await run('tar', ['-tzf', tarball], bound);
  return stdout
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
}

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Runs a program with this node in `folder`. A failing program is an outcome, not an exception. */
export async function runNode(folder: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { ...bound, cwd: folder }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}
