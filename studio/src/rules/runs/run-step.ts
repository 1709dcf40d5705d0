/** Runs one planned command, and parses its result. */
import type { StepGiven } from '../../record/aggregates/execution/execution.js';
import { refusal } from '../../reasons.js';
import { lintResults } from '../../workspace/programs/lint-lines.js';
import { AT_ONCE_MS, type Runner } from '../../workspace/programs/runner.js';
import type { Setup } from '../../workspace/programs/stacks.js';
import { testCounts } from '../../workspace/programs/test-counts.js';
import type { PlannedStep } from './plan.js';

/** Output kept of each stream. */
const MOST_OUTPUT = 16 << 10;

export interface Limits {
  readonly timeoutSeconds: number;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whose caches of package managers are used. */
  readonly caches: string;
  /** Repository that it works for. Default: that of the caches. */
  readonly repositoryId?: string | undefined;
  readonly onOutput?: (text: string) => void;
  readonly signal?: AbortSignal;
}

export async function runStep(
  runner: Runner,
  folder: string,
  { kind, projectRoot, command, setup, buildSystem }: PlannedStep,
  { timeoutSeconds, environment = {}, caches, repositoryId = caches, onOutput = () => undefined, signal }: Limits,
): Promise<Omit<StepGiven, 'startedAt'>> {
  signal?.throwIfAborted();
  const running = await runner.run({
    folder,
    below: projectRoot,
    command: withSetup(command, setup),
    environment,
    caches,
    repositoryId,
    timeoutMs: timeoutSeconds * 1000,
    mostBytes: MOST_OUTPUT,
    onOutput,
  });
  const stop = (): void => void running.stop(AT_ONCE_MS);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const { exitCode, stdOut, stdErr, truncated, why } = await running.ended.finally(() =>
    signal?.removeEventListener('abort', stop),
  );
  signal?.throwIfAborted();
  // A stopped run has shown nothing.
  if (why === 'stopped') throw refusal('reject.stopping', 'the host is shutting down');
  const said = `${stdOut}\n${stdErr}`;
  return {
    kind,
    projectRoot,
    command,
    exitCode,
    stdOut,
    stdErr,
    truncated,
    ...(buildSystem === undefined ? {} : { buildSystem }),
    ...(kind === 'Test' ? { counts: testCounts(said) } : {}),
    ...(kind === 'Lint' ? { lintResults: lintResults(said, folder) } : {}),
  };
}

/** Shell command, after the one-time setup. */
export function withSetup(command: string, setup: Setup | undefined): string {
  return setup === undefined ? command : `[ -e ${setup.folder} ] || ${setup.command} || exit\n${command}`;
}
