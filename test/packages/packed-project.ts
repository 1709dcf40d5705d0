import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';

const run = promisify(execFile);
const bound = { timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };

export const checkout = fileURLToPath(new URL('../../', import.meta.url));

export const packageFolders = [
  'core',
  'server',
  'client/studio',
  'client/face',
  'studio',
  'client/web',
  'cli',
] as const;
export type PackageFolder = (typeof packageFolders)[number];

/** What an application that uses a binding has by itself. */
const peers = [
  'react',
  'vue',
  'solid-js',
  'monaco-editor',
  '@codemirror/state',
  '@codemirror/view',
  'prosemirror-model',
  'prosemirror-state',
  'prosemirror-transform',
  'prosemirror-view',
  '@tiptap/core',
];

export interface Packed {
  readonly tarball: string;
  /** Paths inside it. */
  readonly paths: readonly string[];
}

const Report = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }));

/** An empty project into which the packed packages were installed, as a stranger would have it. */
export interface PackedProject {
  readonly folder: string;
  readonly packages: ReadonlyMap<PackageFolder, Packed>;
  remove(): Promise<void>;
}

export async function createPackedProject(): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-packed-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const packages = await pack(folder);
    const tarballs = [...packages.values()].map(({ tarball }) => tarball);
    await writeFile(join(folder, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }\n');
    const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...quiet, ...tarballs], { ...bound, cwd: folder });
    for (const peer of peers) {
      const place = join(folder, 'node_modules', peer);
      await mkdir(dirname(place), { recursive: true });
      await symlink(join(checkout, 'node_modules', peer), place);
    }
    return { folder, packages, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Packs all by one `npm`, whose start takes longer than packing. */
async function pack(destination: string): Promise<ReadonlyMap<PackageFolder, Packed>> {
  const options = ['--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', destination];
  const folders = packageFolders.map((name) => `./${name}`);
  const { stdout } = await run('npm', ['pack', ...options, ...folders], { ...bound, cwd: checkout });
  const report = Report.parse(JSON.parse(stdout));
  return new Map(
    packageFolders.map((name, index) => {
      const { filename, files } = report[index]!;
      return [name, { tarball: join(destination, filename), paths: files.map(({ path }) => path) }];
    }),
  );
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
