/** Long-running programs, such as servers: started, inspected and stopped. They end with the host. */
import { refusal } from '../../reasons.js';
import { AT_ONCE_MS, type Ended, type Runner, type Running } from './runner.js';
import type { SpaceKey } from '../git/spaces/spaces.js';

/** Maximum runtime of a server that nobody stops. */
const MOST_MS = 24 * 3600_000;
const MOST_OUTPUT = 32 << 10;
const MOST_OF_ONE_BRANCH = 8;

export interface RunKey extends SpaceKey {
  readonly rootPath: string;
}

export interface Run extends RunKey {
  readonly running: Running;
  readonly startedAt: string;
}

interface Start extends Pick<Run, 'startedAt'> {
  readonly signal: AbortSignal;
}

export class Runs {
  readonly #runner: Runner;
  readonly #runs = new Set<Run>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** Starts a program in the key's root below a folder, unless it is stopped before it has begun. */
  async start(key: RunKey, folder: string, command: string, about: Start): Promise<Run> {
    const { branchId, rootPath: below } = key;
    const { startedAt, signal } = about;
    signal.throwIfAborted();
    if (this.of(key).length >= MOST_OF_ONE_BRANCH)
      throw refusal('reject.too_many_runs', `${MOST_OF_ONE_BRANCH} programs run on ${branchId}`, { branchId });
    const running = await this.#runner.run({
      folder,
      below,
      command,
      caches: key.repositoryId,
      repositoryId: key.repositoryId,
      timeoutMs: MOST_MS,
      mostBytes: MOST_OUTPUT,
    });
    if (signal.aborted) await running.stop(AT_ONCE_MS);
    signal.throwIfAborted();
    const run: Run = { ...key, running, startedAt };
    this.#runs.add(run);
    void running.ended.then(() => this.#runs.delete(run));
    return run;
  }

  /** Running programs of a branch, oldest first. */
  of({ repositoryId, branchId }: SpaceKey, rootPath?: string): Run[] {
    return [...this.#runs].filter(
      (run) =>
        run.repositoryId === repositoryId &&
        run.branchId === branchId &&
        (rootPath === undefined || run.rootPath === rootPath),
    );
  }
}

/** Exit of a program within a time, or undefined. */
export async function endedWithin({ running }: Run, ms: number): Promise<Ended | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([running.ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
