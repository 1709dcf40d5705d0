/** Tools with which agents run programs on their branch: commands, builds, tests and checks, whose failures are named. */
import { z } from 'zod';
import { type Execution, type Step, succeeded } from '../../record/aggregates/execution/execution.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import { latestExecution } from '../../record/views/executions.js';
import { branchFiles } from '../../rules/branches/files.js';
import { execute } from '../../rules/runs/execute.js';
import { folderToRun } from '../../rules/runs/folder-to-run.js';
import { type Ordered, isUsual } from '../../rules/runs/plan.js';
import { refusal } from '../../reasons.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { Command } from '../../workspace/programs/commands.js';
import { inRepository } from '../../workspace/programs/failure-places.js';
import { type Failure, failuresIn } from '../../workspace/programs/failures.js';
import { AT_ONCE_MS } from '../../workspace/programs/runner.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS } from '../kernel/hints.js';
import { MOST_TOLD, OWN_TOOL_REFUSALS, Told, bothEnds, firstLines, ownWork } from './own-work.js';

const RUNS = { ...ADDS, openWorld: true };
const Folder = z.string().min(1).max(4096).optional();
const LONGEST_WAIT_S = 600;
/** Time in which a command that stays running shows that it does. */
const SETTLE_MS = 1000;
const DAY_MS = 24 * 3600_000;
/** Characters of output shown at once. */
const MOST_OUTPUT = 20_000;

export const run = operation({
  summary:
    'Run a shell command on the branch. It has no terminal, and is stopped after its time, unless it is to stay running in the background. ' +
    'Its output can be read again with run_output. For the builds and tests of the project, build and test also record that they were run.',
  scope: 'operate',
  in: z.object({
    command: z.string().min(1).max(10_000).describe('Shell line.'),
    folder: Folder.describe('Folder in which it begins. Default: the root.'),
    seconds: z.number().int().min(1).max(LONGEST_WAIT_S).default(120).describe('How long it may take.'),
    background: z.boolean().default(false).describe('Whether it stays running: a server, or what takes longer.'),
  }),
  out: Told,
  tool: 'run',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: RUNS,
}).run(async (context, { command: line, folder: named, seconds, background }) => {
  const { branch, hasEnded } = await ownWork(context);
  const { folder } = await folderToRun(context, branch, 'run');
  const { commands, underWay } = context.programs;
  const begun = { line, folder, timeoutMs: background ? DAY_MS : seconds * 1000, ...belowOf(named) };
  const startedAt = Date.parse(context.now());
  const command = await underWay.run(
    branch,
    async (signal) => {
      signal.throwIfAborted();
      const started = await commands.start(branch, begun);
      const stop = (): void => void started.running.stop(AT_ONCE_MS);
      if (signal.aborted) stop();
      if (background) return started;
      signal.addEventListener('abort', stop);
      await started.running.ended.finally(() => signal.removeEventListener('abort', stop));
      return started;
    },
    hasEnded,
  );
  if (background) await commands.wait(command, SETTLE_MS);
  const took = `${((Date.parse(context.now()) - startedAt) / 1000).toFixed(1)} s`;
  return { text: `${headOf(command, took, seconds)}\n${outputOf(command)}` };
});

export const runOutput = operation({
  summary:
    'Read what a command has written, from its end or from a line on, also with only the lines that have a text. Of one that runs in the ' +
    'background it can wait for its end, or for a text: that is better than asking again and again.',
  scope: 'read',
  in: z.object({
    run: z.string().min(1).max(1000).describe('Number that run has said, or the name that build and test have said.'),
    from: z.number().int().min(1).max(10_000_000).optional().describe('First line. Default: the last lines.'),
    lines: z.number().int().min(1).max(10_000).default(200).describe('Lines to read.'),
    containing: z.string().min(1).max(1000).optional().describe('Only lines with this text.'),
    wait: z.number().int().min(0).max(LONGEST_WAIT_S).default(0).describe('Seconds to wait at the most.'),
    until: z.string().min(1).max(1000).optional().describe('Text to wait for. Default: the end.'),
  }),
  out: Told,
  tool: 'run_output',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: READS,
}).run(async (context, { run: name, from, lines, containing, wait, until }) => {
  const { branch } = await ownWork(context);
  const recorded = context.records.executions.get(name);
  if (recorded?.branchId === branch.branchId) {
    const text = recorded.steps.map((step) => `$ ${step.command}\n${step.stdOut}${step.stdErr}`).join('\n');
    return { text: `${name}:\n${partOf(text, from, lines, containing)}` };
  }
  const command = commandOf(context, branch, name);
  if (wait > 0) await context.programs.commands.wait(command, wait * 1000, until);
  const hasCome = until === undefined || command.running.output().includes(until);
  const note = command.ended === undefined && wait > 0 && !hasCome ? `${until} has not come yet. ` : '';
  return { text: `${note}${headOf(command)}\n${partOf(command.running.output(), from, lines, containing)}` };
});

export const runStop = operation({
  summary: 'Stop a command that runs in the background, and all that it has started.',
  scope: 'operate',
  in: z.object({ run: z.string().min(1).max(20).describe('Number that run has said.') }),
  out: Told,
  tool: 'run_stop',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: ENDS,
}).run(async (context, { run: name }) => {
  const { branch } = await ownWork(context);
  const command = commandOf(context, branch, name);
  await command.running.stop();
  return { text: `run ${command.number} (${command.line}) is stopped.` };
});

const CHECKS = {
  command: z.string().min(1).max(10_000).optional().describe('How. Default: as the project says.'),
  root: Folder.describe('Folder of the project that is meant. Default: all.'),
  seconds: z.number().int().min(1).max(86_400).optional().describe('How long one command may take.'),
};
interface Check {
  readonly command?: string | undefined;
  readonly root?: string | undefined;
  readonly seconds?: number | undefined;
}
const checked = {
  scope: 'operate',
  in: z.object(CHECKS),
  out: Told,
  refuses: OWN_TOOL_REFUSALS,
  annotations: RUNS,
} as const;

export const build = operation({
  ...checked,
  summary: 'Build the branch, and name what is wrong. What was run is recorded, and shown to who reviews the work.',
  tool: 'build',
  dispatch: true,
}).run((context, check) =>
  checkWith(context, check, (how) => ({ build: how ?? optionsOf(context).buildCommand ?? true })),
);

export const test = operation({
  ...checked,
  summary:
    'Test the branch, and name the tests that fail, with file, line and message, and what has changed since the last run. A command can ' +
    'name a single file. What was run is recorded, and shown to who reviews the work.',
  tool: 'test',
  dispatch: true,
}).run((context, check) =>
  checkWith(context, check, (how) => ({ test: how ?? optionsOf(context).testCommand ?? true })),
);

export const lint = operation({
  ...checked,
  summary: 'Check the branch as the project does (linter, types, format), and name what is wrong.',
  tool: 'lint',
  dispatch: true,
}).run((context, check) => checkWith(context, check, (how) => ({ lint: how ?? true })));

async function checkWith(
  context: Context,
  { command, root, seconds = optionsOf(context).executionTimeoutSeconds }: Check,
  ordered: (how: string | undefined) => Partial<Ordered>,
): Promise<{ text: string }> {
  const own = await ownWork(context);
  const before = latestExecution(context.records, own.branch.branchId);
  const rootPath = root === undefined ? undefined : /^\.?\/?$/.test(root) ? '.' : safePath(root);
  const { folder } = await folderToRun(context, own.branch, 'run');
  const finish = await execute(context, {
    ...own,
    ordered: { ...NOTHING, ...ordered(command), rootPath },
    timeoutSeconds: seconds,
    asAsked: command !== undefined || root !== undefined,
    isOfAgent: !isUsual(ordered(command), optionsOf(context)),
  });
  const files = new Set(await branchFiles(context, own.branch));
  return context.answer((change) => ({ text: executionText(finish(change), { folder, files }, before) }));
}

const NOTHING: Ordered = { build: false, test: false, lint: false };

const MOST_FAILURES = 40;

interface Where {
  readonly folder: string;
  readonly files: ReadonlySet<string>;
}

function executionText({ resultId, steps }: Execution, where: Where, before: Execution | undefined): string {
  const shown = steps.map((step) => {
    const said = `${step.stdOut}\n${step.stdErr}`;
    const failures = succeeded(step) ? [] : failuresOf(step, where);
    const counts = step.counts && step.counts.totalTests > 0 ? countsText(step.counts) : '';
    const left = failures.length - MOST_FAILURES;
    return [
      `${step.kind} in ${step.projectRoot} (${step.command}): ${endOf(step)}${counts}`,
      ...failures.slice(0, MOST_FAILURES).map((one) => `- ${failureText(one)}`),
      ...(left > 0 ? [`[${left} more failures]`] : []),
      ...(step.kind === 'Test' ? changesSince(failures, previous(before, step), where) : []),
      succeeded(step)
        ? lastLines(said, 8)
        : bothEnds(said.trim(), MOST_STEP, `run_output shows them for run ${resultId}`),
    ].join('\n');
  });
  const cut = steps.some(({ truncated }) => truncated) ? ' The middle of a long output is not kept.' : '';
  return `${firstLines(shown.join('\n\n'), MOST_TOLD, (left) => `${left} characters left out`)}\n\nRecorded as run ${resultId}.${cut}`;
}

function failuresOf({ stdOut, stdErr, projectRoot }: Step, { folder, files }: Where): Failure[] {
  return inRepository(failuresIn(`${stdOut}\n${stdErr}`, folder), files, projectRoot);
}

const MOST_STEP = 8000;

function endOf({ exitCode }: Step): string {
  if (exitCode === 0) return 'passed';
  return exitCode === 124 ? 'stopped, because it took too long' : `failed with exit code ${exitCode}`;
}

function countsText({ passed, failed, skipped }: NonNullable<Step['counts']>): string {
  return `; ${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function failureText({ test, file, line, message }: Failure): string {
  const place = file === undefined ? '' : line === undefined ? file : `${file}:${line}`;
  return [test, place, message].filter((part) => part !== undefined && part !== '').join(' — ');
}

/** Step of the run before that was the same command. */
function previous(before: Execution | undefined, { command, projectRoot }: Step): Step | undefined {
  return before?.steps.find((step) => step.command === command && step.projectRoot === projectRoot);
}

function changesSince(failures: readonly Failure[], before: Step | undefined, where: Where): string[] {
  if (!before) return [];
  const [then, now] = [namesOf(failuresOf(before, where)), namesOf(failures)];
  const [fresh, mended] = [now.filter((name) => !then.includes(name)), then.filter((name) => !now.includes(name))];
  if (fresh.length + mended.length === 0) return [];
  const said = [
    fresh.length > 0 ? `fails now: ${fresh.join(', ')}` : '',
    mended.length > 0 ? `no longer fails: ${mended.join(', ')}` : '',
  ];
  return [`Since the last run: ${said.filter((part) => part !== '').join('; ')}`];
}

function namesOf(failures: readonly Failure[]): string[] {
  return failures.flatMap(({ test }) => test ?? []);
}

function headOf({ number, line, ended }: Command, took?: string, seconds?: number): string {
  const name = `run ${number} (${firstLines(line, 200, () => '…')})`;
  if (!ended) return `${name} runs.`;
  if (ended.why === 'stopped') return `${name} was stopped.`;
  if (ended.why === 'timed-out')
    return `${name} was stopped after ${seconds ?? 'its'} seconds. Give it more, or run it in the background.`;
  return `${name} ended with exit code ${ended.exitCode}${took === undefined ? '' : ` after ${took}`}.`;
}

function outputOf({ number, running }: Command): string {
  const text = running.output();
  if (text.trim() === '') return 'It has written nothing.';
  return bothEnds(text, MOST_OUTPUT, `run_output shows them for run ${number}`);
}

/** Lines of an output, with their numbers. */
function partOf(text: string, from: number | undefined, most: number, containing: string | undefined): string {
  const all = text.replace(/\n$/, '').split('\n');
  const wanted = all.flatMap((line, index) =>
    containing === undefined || line.includes(containing) ? [{ line, number: index + 1 }] : [],
  );
  if (wanted.length === 0 || text.trim() === '') return 'No such lines were written.';
  const start =
    from === undefined ? Math.max(wanted.length - most, 0) : wanted.findIndex(({ number }) => number >= from);
  if (start < 0) return `There are ${all.length} lines.`;
  const part = wanted.slice(start, start + most);
  const shown = part.map(({ line, number }) => `${number}\t${line}`).join('\n');
  const of = `lines ${part[0]!.number}-${part.at(-1)!.number} of ${all.length}${containing === undefined ? '' : `, those with ${containing}`}`;
  return `${of}\n${firstLines(shown, MOST_TOLD - 200, (left) => `${left} characters left out; read fewer lines`)}`;
}

function lastLines(text: string, most: number): string {
  return text.trim().split('\n').slice(-most).join('\n');
}

function commandOf(context: Context, branch: { repositoryId: string; branchId: string }, name: string): Command {
  const { commands } = context.programs;
  const number = Number(name.replace(/^run /, ''));
  const found = commands.find(branch, number);
  if (found) return found;
  const known = commands.numbers(branch);
  const others = known.length === 0 ? 'none is known' : `known are ${known.join(', ')}`;
  throw refusal(
    'reject.not_running',
    `no run is called ${name}; ${others}. Runs from before a restart are forgotten: run it again`,
  );
}

function belowOf(folder: string | undefined): { below?: string } {
  return folder === undefined || /^\.?\/?$/.test(folder) ? {} : { below: safePath(folder) };
}

function optionsOf({ records }: Context) {
  return records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
}
