import { execFile } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchFolder } from './folder.js';

const run = promisify(execFile);

const root = join(benchFolder, '..');

/** What a bench runs: everything but words, tests and what was measured before. */
const measured = ['.', ':!bench/history', ':!*.md', ':!*.svg', ':!*.test.ts', ':!docs', ':!test'];

export interface Machine {
  /** Name of the machine in file names, such as `amd-epyc-2-cores`. The host's own name says nothing to a reader. */
  readonly name: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly node: string;
  readonly platform: string;
}

export function describeMachine(): Machine {
  const all = cpus();
  const cpu = (all[0]?.model ?? 'unknown processor').replace(/\s+/g, ' ').trim();
  return {
    name: nameMachine(cpu, all.length),
    cpu,
    cores: all.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
}

export function nameMachine(cpu: string, cores: number): string {
  const words = cpu
    .toLowerCase()
    .replace(/\((r|tm)\)/g, '')
    .replace(/[^a-z0-9]+/g, '-');
  return `${words.replace(/^-|-$/g, '')}-${cores}-cores`;
}

/** The commit that is measured, with a mark when what runs differs from it: figures that were saved meanwhile change nothing. */
export async function describeCommit(folder = root): Promise<string> {
  const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: folder })).stdout.trim();
  try {
    const commit = await git('rev-parse', '--short=12', 'HEAD');
    return (await git('status', '--porcelain', '--untracked-files=no', '--', ...measured)) === ''
      ? commit
      : `${commit}+`;
  } catch {
    // No git, or nothing committed yet: the figures are still worth having.
    return 'none';
  }
}

/** Whether what a commit was measured as is what there is now. */
export async function isMeasuredSince(commit: string, folder = root): Promise<boolean> {
  try {
    await run('git', ['diff', '--quiet', commit, '--', ...measured], { cwd: folder });
    return true;
  } catch {
    // Something differs, or nobody knows that commit here, as one whose files were changed.
    return false;
  }
}
