import { table } from '../output/show.js';
import { painted, titleOf } from '../people/narration.js';
import {
  type GoalSeen,
  type Limits,
  TWO_APPROVALS,
  goalsOf,
  isOver,
  limitsIn,
  named,
  waitingIn,
} from '../people/work.js';
import { shortId } from '../studio/event-text.js';
import { StudioClient } from '../studio/studio-client.js';
import { connectionFlags } from '../studio/studio-connection.js';
import { type Terminal, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';

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
  const withLimits = goals.map((goal) => ({ ...goal, ...limits.get(goal.goalId) }));
  if (json) return terminal.out(JSON.stringify({ goals: withLimits, waiting }));
  if (goals.length === 0) {
    const over = every.length > 0 ? `${every.length} over: weft status --all; ` : '';
    return terminal.out(`no goal is under way (${over}weft run "<goal>" sets one)`);
  }
  for (const line of goalTable(withLimits, terminal)) terminal.out(line);
  terminal.out('');
  if (waiting.length === 0) return terminal.out('nothing waits for you');
  terminal.out(terminal.paint('bold', 'waiting for you'));
  for (const { goalId: of, what, commands } of waiting) {
    terminal.out(`  ${shortId(of)} ${what}`);
    for (const command of commands) terminal.out(`      ${terminal.paint('cyan', command)}`);
  }
  if (waiting.some(({ kind }) => kind === 'review' || kind === 'landing'))
    terminal.out(terminal.paint('dim', `  ${TWO_APPROVALS}`));
});

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
