import { table } from '../../output/show.js';
import { titleOf } from '../../people/narration.js';
import { type Usage, goalsOf, named } from '../../people/work.js';
import { shortId } from '../../studio/event-text.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

interface ByModel extends Usage {
  readonly provider?: string;
  readonly model?: string;
}

export const cost = cliCommand({
  operands: ['goal?'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [wanted]) => {
  const client = new StudioClient(given, terminal);
  const goals = await goalsOf(client);
  if (wanted !== undefined) {
    const { goalId: workUnitId } = named(goals, ({ goalId }) => goalId, wanted, 'goal');
    const spent = await client.call<{ byModel?: ByModel[] }>('goal.guardrail', { workUnitId });
    if (json) return terminal.out(JSON.stringify(spent));
    const { byModel = [] } = spent;
    if (byModel.length === 0) return terminal.out('no model was asked yet');
    const rows = byModel.map(({ provider = '', model = '', ...usage }) => [`${provider}/${model}`, ...cells(usage)]);
    for (const line of table(['model', ...COLUMNS], rows, terminal)) terminal.out(line);
    return;
  }
  if (json)
    return terminal.out(
      JSON.stringify(goals.map(({ goalId, goal, usage }) => ({ goalId, goal, usage: usage ?? null }))),
    );
  if (goals.length === 0) return terminal.out('there are no goals yet; weft run "<goal>" sets one');
  const rows = goals.map(({ goalId, goal, usage }) => [shortId(goalId), ...cells(usage), titleOf(goal)]);
  for (const line of table(['goal', ...COLUMNS, 'what'], rows, terminal)) terminal.out(line);
});

const COLUMNS = ['tokens', 'dollars', 'questions', 'minutes'];

function cells(usage: Usage | undefined): (string | number)[] {
  const { tokens = 0, costUsd = 0, turns = 0, seconds = 0 } = usage ?? {};
  // Nothing is spent only where no price is known.
  const dollars = costUsd === 0 && tokens > 0 ? 'unknown' : costUsd.toFixed(2);
  return [tokens, dollars, turns, (seconds / 60).toFixed(1)];
}
