import { table } from '../../output/show.js';
import { painted, titleOf } from '../../people/narration.js';
import {
  type GoalSeen,
  type Limits,
  type SetUpFailure,
  TWO_APPROVALS,
  goalsOf,
  isOver,
  limitsIn,
  named,
  setUpFailuresIn,
  waitingIn,
} from '../../people/work.js';
import { shortId } from '../../studio/event-text.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { type Terminal, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const status = cliCommand({
  operands: ['goal?'],
  flags: { all: { summary: 'Goals that are over, too.' }, ...connectionFlags, json: jsonFlag },
}).run(async ({ all, json, ...given }, terminal, [goalId]) => {
  const client = new StudioClient(given, terminal);
  const every = await goalsOf(client);
  const goals =
    goalId === undefined
      ? every.filter((goal) => all || !isOver(goal))
      : [named(every, (goal) => goal.goalId, goalId, 'goal')];
  const waiting = await waitingIn(client, goals);
  const limits = await limitsIn(client, goals);
  const setUpFailures = await setUpFailuresIn(client, goals);
  const withLimits = goals.map((goal) => ({ ...goal, ...limits.get(goal.goalId) }));
  if (json) return terminal.out(JSON.stringify({ goals: withLimits, waiting, setUpFailures }));
  if (goals.length === 0) {
    const over = every.length > 0 ? `${every.length} over: weft status --all; ` : '';
    return terminal.out(`no goal is under way (${over}weft run "<goal>" sets one)`);
  }
  for (const line of goalTable(withLimits, terminal)) terminal.out(line);
  terminal.out('');
  if (setUpFailures.length > 0) tellSetUps(setUpFailures, terminal);
  if (waiting.length === 0) return terminal.out('nothing waits for you');
  terminal.out(terminal.paint('bold', 'waiting for you'));
  for (const { goalId: of, what, commands } of waiting) {
    terminal.out(`  ${shortId(of)} ${what}`);
    for (const command of commands) terminal.out(`      ${terminal.paint('cyan', command)}`);
  }
  if (waiting.some(({ kind }) => kind === 'review' || kind === 'landing'))
    terminal.out(terminal.paint('dim', `  ${TWO_APPROVALS}`));
});

/** Letters at the beginning of what is told of a set-up, which name the script, and at its end, which say what went wrong. */
const BEGINNING = 60;
const END = 120;

/** Folders that could not be set up: nothing waits for a person, but the work goes on without what it needs. */
function tellSetUps(failures: readonly SetUpFailure[], terminal: Terminal): void {
  terminal.out(terminal.paint('bold', 'folders that were not set up'));
  for (const { goalId, workUnitId, text } of failures) {
    const line = text.replaceAll(/\s+/g, ' ');
    const short = line.length > BEGINNING + END ? `${line.slice(0, BEGINNING)} … ${line.slice(-END)}` : line;
    terminal.out(`  ${shortId(workUnitId)} ${short}`);
    terminal.out(`      ${terminal.paint('cyan', `weft follow ${shortId(goalId)}`)}`);
  }
  const how = 'mend the script under "setUp" in the file of models, and start the studio again; new folders use it';
  terminal.out(terminal.paint('dim', `  The agents are told and go on. For others: ${how}.`));
  terminal.out('');
}

function goalTable(goals: readonly (GoalSeen & Limits)[], terminal: Terminal): string[] {
  const limits = goals.map(inWords);
  const hasLimits = limits.some((text) => text !== '');
  const rows = goals.map(({ goalId, status: is, goal, usage }, n) => [
    shortId(goalId),
    painted(is, is, terminal),
    usage?.tokens ?? 0,
    ...(hasLimits ? [limits[n]!] : []),
    titleOf(goal),
  ]);
  return table(['goal', 'state', 'tokens', ...(hasLimits ? ['at most'] : []), 'what'], rows, terminal);
}

/** How much of each it may use. */
function inWords({ maxGoalTokens, maxGoalDollars, maxGoalDurationMinutes, usage }: GoalSeen & Limits): string {
  return [
    ...(maxGoalDollars === undefined ? [] : [`$${(usage?.costUsd ?? 0).toFixed(2)} of $${maxGoalDollars}`]),
    ...(maxGoalTokens === undefined ? [] : [`${maxGoalTokens} tokens`]),
    ...(maxGoalDurationMinutes === undefined ? [] : [`${maxGoalDurationMinutes} min`]),
  ].join(', ');
}
