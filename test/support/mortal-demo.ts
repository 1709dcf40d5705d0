/** Runs the demonstration so that it dies at a durable boundary, and again so that it goes on. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('mortal-demo.mjs', import.meta.url));
const run = promisify(execFile);

export interface End {
  readonly passed: boolean;
  readonly units: readonly string[];
  /** Those that were in no queue, or in two, right after the start. */
  readonly misplaced: readonly string[];
  /** What the user's branch is made of: its files, and how many merges made it. */
  readonly files: string;
  readonly merges: number;
}

/** Answers where it ended, and how many boundaries there were in the last run. */
export async function demoKilledAt(boundary: number): Promise<{ readonly end: End; readonly count: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-mortal-'));
  try {
    if (boundary > 0) {
      const death: unknown = await run(process.execPath, [PROGRAM, folder, String(boundary)]).catch(
        (error: unknown) => error,
      );
      if (!(death instanceof Error) || !('signal' in death) || death.signal !== 'SIGKILL')
        throw new Error(`it was to die after ${boundary}`, { cause: death });
    }
    const { stdout } = await run(process.execPath, [PROGRAM, folder, '0']);
    const { count, ...told } = JSON.parse(stdout) as {
      count: number;
      passed: boolean;
      units: string[];
      misplaced: string[];
    };
    const git = async (...args: string[]): Promise<string> =>
      (await run('git', ['-C', join(folder, 'calculator'), ...args])).stdout.trim();
    const merges = Number(await git('rev-list', '--count', '--merges', 'main'));
    return { end: { ...told, files: await git('ls-tree', '-r', 'main'), merges }, count };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
