/** The code of a page, as it stands in its fences, and a project in which it runs. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { checkout } from '../architecture/source-tree.js';
import { tempFolder } from '../support/temp-folder.js';

/** What is in the fences of one language, block by block. */
export function blocksOf(page: string, language: 'sh' | 'ts' | 'js' | 'html' | 'json' | 'jsonl'): readonly string[] {
  const text = readFileSync(join(checkout, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
}

/** Commands of a block for the shell, without what they say of themselves. */
export function commandsIn(block: string): string[] {
  return block
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, ''));
}

/** A folder that finds the packages of this checkout, for one test. */
export async function projectFolder(): Promise<string> {
  const folder = await tempFolder();
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** TypeScript of a page becomes a program of the project. Answers its name. */
export async function writeProgram(folder: string, source: string): Promise<string> {
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20' });
  await writeFile(join(folder, 'program.mjs'), code);
  return 'program.mjs';
}

/** Answers what the program has printed; fails when it fails. */
export async function runProgram(folder: string, source: string): Promise<string> {
  return run(folder, process.execPath, [await writeProgram(folder, source)]);
}

/**
 * Answers what the commands have printed; what they have started ends with them. `npx` is npm's own where the project has
 * `weft` installed, and else a program that runs the one of this checkout.
 */
export async function runShell(folder: string, commands: string, weft?: 'of this checkout'): Promise<string> {
  const programs = join(folder, 'bin');
  if (weft !== undefined) {
    await mkdir(programs);
    const program = `exec "${process.execPath}" "${join(checkout, 'cli/bin/weft.js')}" "$@"`;
    await writeFile(join(programs, 'npx'), `#!/bin/sh\nshift\n${program}\n`, { mode: 0o755 });
  }
  // What runs is noted for this folder's commands alone.
  const state = `export XDG_STATE_HOME="${join(folder, 'state')}" OPENAI_API_KEY=none`;
  const ending = `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT`;
  return run(folder, 'bash', ['-c', ['set -eu', state, `PATH="${programs}:$PATH"`, ending, commands].join('\n')]);
}

function run(folder: string, program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder, timeout: 170_000 }, (error, out) => {
      if (error) reject(new Error(`${error.message}\n${out}`));
      else resolve(out);
    });
  });
}

/** Pages name the usual ports; a test takes free ones in their place. */
export async function onFreePorts(text: string, ports: readonly number[]): Promise<string> {
  const free = await Promise.all(ports.map(() => freePort()));
  return ports.reduce((changed, port, index) => changed.replaceAll(`${port}`, `${free[index]}`), text);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
