/** `weft eval`: the suite of efficacy with a model of one's own, and what has changed from one run to another. */
import { access, constants, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { EvalOutcome, EvalReport, Sums } from '@weft/studio/efficacy';
import { studioFlags, studioOf } from '../../serving/studio-flags.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';
import { VERSION } from '../../version.js';

const { model, models, sandbox, unconfined } = studioFlags;
const MINUTE_MS = 60_000;

export const evaluate = cliCommand({
  flags: {
    suite: { summary: 'Which cases.', value: 'name', choices: ['small', 'traps', 'all'], initially: 'small' },
    cases: { summary: 'Only cases with one of these words in their name, separated by commas.', value: 'words' },
    model,
    models,
    'model-url': studioFlags['model-url'],
    'goal-tokens': studioFlags['goal-tokens'],
    minutes: { summary: 'How long one case may take.', value: 'number', initially: '30' },
    save: {
      summary: 'File for the report. Default: one named after the model and the time, in this folder.',
      value: 'file',
    },
    sandbox,
    unconfined,
    json: jsonFlag,
  },
}).run(async (flags, terminal) => {
  const { suite = 'small', cases = '', minutes = '30', save, json } = flags;
  if (!/^[1-9]\d{0,3}$/.test(minutes)) throw new UsageError(`--minutes takes a number from 1 to 9999, not ${minutes}`);
  const given = {
    agents: 'on',
    remotes: 'none',
    roots: undefined,
    'webhook-hosts': undefined,
    'tool-hosts': undefined,
    'sandbox-hosts': undefined,
    folder: undefined,
    standby: false,
    ...flags,
  };
  const { agents, models: programs, keys, confinement } = await studioOf(given, terminal);
  const { usual } = agents ?? {};
  if (!agents || (usual === undefined && agents.usualOf === undefined))
    throw new UsageError(
      'name the model to be tried: --model provider/name, or --models <file>; each case asks it, and costs what it costs',
    );
  const name = flags.model ?? flags.models ?? '';
  const { runSuite, sumsOf } = await import('@weft/studio/efficacy');
  const begunAt = new Date().toISOString();
  const file = save ?? `weft-eval-${name.replaceAll(/[^\w.-]+/g, '-')}-${begunAt.replaceAll(/[:.]/g, '-')}.json`;
  // Before anything is spent: a report that cannot be kept would be lost at the end.
  await access(dirname(resolve(file)), constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(
      `cannot keep the report in ${dirname(resolve(file))} (${cause.code}); name a file with --save`,
      { cause },
    );
  });
  const line = json ? terminal.err : terminal.out;
  const report = await runSuite({
    suite,
    cases: cases.split(',').filter((word) => word !== ''),
    model: name,
    version: VERSION,
    begunAt,
    agents,
    models: programs,
    keys,
    confinement,
    mostMs: Number(minutes) * MINUTE_MS,
    signal: terminal.stop,
    onNotTried: (one, why) => line(`${one}: not tried, ${why}`),
    onOutcome: async (outcome, soFar) => {
      line(outcomeText(outcome));
      // Kept after each case: what was paid for is not lost.
      await keep(file, soFar);
    },
  });
  const [lacking] = report.notTried ?? [];
  if (report.outcomes.length === 0 && lacking) throw new UsageError(`no case could be tried: ${lacking.why}`);
  if (report.outcomes.length === 0)
    throw new UsageError('no case was tried: weft eval --suite all tries every one of them');
  if (json) return terminal.out(JSON.stringify({ ...report, file }));
  terminal.out(sumsText(sumsOf(report.outcomes)));
  const [left, isStopped] = [report.notTried?.length ?? 0, terminal.stop.aborted];
  const whole = left === 0 ? 'the report' : `the report, without ${left} that this machine cannot try,`;
  terminal.out(
    `${isStopped ? 'it was stopped; the report so far' : whole} is ${file}; weft eval compare <file> <file> holds two against each other`,
  );
});

export const compare = cliCommand({
  operands: ['before', 'after'],
  flags: { json: jsonFlag },
}).run(async ({ json }, terminal, [before, after]) => {
  const { compareReports } = await import('@weft/studio/efficacy');
  const compared = compareReports(await reportIn(before), await reportIn(after));
  if (json) return terminal.out(JSON.stringify(compared));
  terminal.out(`before   ${sumsText(compared.before)}`);
  terminal.out(`after    ${sumsText(compared.after)}`);
  for (const [title, names] of [
    ['solved now', compared.gained],
    ['solved no more', compared.lost],
    ['tried by one alone, and not counted', compared.alone],
  ] as const)
    if (names.length > 0) terminal.out(`${title}: ${names.join(', ')}`);
});

async function reportIn(file: string): Promise<EvalReport> {
  const { readReport } = await import('@weft/studio/efficacy');
  const named = 'name one that weft eval has kept';
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read the report ${file} (${cause.code}); ${named}`, { cause });
  });
  try {
    return readReport(text);
  } catch (cause) {
    throw new UsageError(`${file} is no report; ${named}`, { cause });
  }
}

async function keep(file: string, report: EvalReport): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(report, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}

function outcomeText({ name, trait, isRight, hasLanded, status, turns, tokens, usd, failures }: EvalOutcome): string {
  const end = isRight ? 'solved' : hasLanded ? 'landed, and wrong' : `not solved (${status})`;
  const why = failures.length === 0 ? '' : `; ${failures.join('; ')}`;
  return `${name} (${trait}): ${end}; ${turns} turns, ${tokens} tokens, $${usd.toFixed(2)}${why}`;
}

function sumsText({ cases, solved, wrong, turns, tokens, usd, seconds }: Sums): string {
  return `${solved} of ${cases} solved, ${wrong} landed and wrong; ${turns} turns, ${tokens} tokens, $${usd.toFixed(2)}, ${Math.round(seconds)} s`;
}
