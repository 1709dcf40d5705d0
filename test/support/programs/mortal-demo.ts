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
  /** Units that were in no queue, or in two, right after the start. */
  readonly misplaced: readonly string[];
  /** Files of the user's branch, and the number of merges that made it. */
  readonly files: string;
  readonly merges: number;
}

interface Told {
  readonly count: number;
  readonly passed: boolean;
  readonly units: readonly string[];
  readonly misplaced: readonly string[];
}

const ATTEMPTS = 3;

/**
 * Answers where it ended, and how many boundaries there were in the last run. Where more became durable at once than in another run
 * there are fewer of them: a run that ended before it was to die is repeated, to die before its end.
 */
export async function demoKilledAt(boundary: number): Promise<{ readonly end: End; readonly count: number }> {
  let at = boundary;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const folder = await mkdtemp(join(tmpdir(), 'weft-mortal-'));
    try {
      const early = at > 0 ? await dies(folder, at) : undefined;
      if (early === undefined) return await goesOn(folder);
      at = Math.min(at - 1, early.count - attempt);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(`it was to die after ${boundary}, and did not in ${ATTEMPTS} runs`);
}

/** Run that dies at a boundary; answers what it told if it did not die. */
async function dies(folder: string, boundary: number): Promise<Told | undefined> {
  try {
    const { stdout } = await run(process.execPath, [PROGRAM, folder, String(boundary)]);
    return JSON.parse(stdout) as Told;
  } catch (death) {
    if (death instanceof Error && 'signal' in death && death.signal === 'SIGKILL') return undefined;
    throw new Error(`it was to be killed after ${boundary}`, { cause: death });
  }
}

async function goesOn(folder: string): Promise<{ readonly end: End; readonly count: number }> {
  const { stdout } = await run(process.execPath, [PROGRAM, folder, '0']);
  const { count, ...told } = JSON.parse(stdout) as Told;
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', ['-C', join(folder, 'calculator'), ...args])).stdout.trim();
  const merges = Number(await git('rev-list', '--count', '--merges', 'main'));
  return { end: { ...told, files: await git('ls-tree', '-r', 'main'), merges }, count };
}
