import { table } from '../../output/show.js';
import { painted, titleOf } from '../../people/narration.js';
import { type DrawnUnit, goalPicture } from '../../people/goal-picture.js';
import { goalsOf, named } from '../../people/work.js';
import { shortId } from '../../studio/event-text.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const graph = cliCommand({
  operands: ['goal?'],
  flags: {
    svg: { summary: 'As a picture, to be written into a file.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ svg, json, ...given }, terminal, [wanted]) => {
  const client = new StudioClient(given, terminal);
  const goals = await goalsOf(client);
  const newest = goals.at(-1);
  const goal = wanted === undefined ? newest : named(goals, ({ goalId }) => goalId, wanted, 'goal');
  if (!goal) return terminal.out('there are no goals yet; weft run "<goal>" sets one');
  const { goalId: root } = goal;
  const units = await client.call<DrawnUnit[]>('workunit.list', { goalId: root });
  if (svg) return terminal.out(goalPicture(root, units));
  const of = unitsBelow(root, units);
  if (json) return terminal.out(JSON.stringify(of.map(({ unit }) => unit)));
  const rows = of.map(({ unit: { workUnitId, status, goal: what, dependsOn }, depth }) => [
    shortId(workUnitId),
    painted(status, status, terminal),
    `${'  '.repeat(depth)}${titleOf(what)}`,
    dependsOn.map(shortId).join(' '),
  ]);
  for (const line of table(['unit', 'state', 'what', 'after'], rows, terminal)) terminal.out(line);
});

/** A unit and all below it, parents first. */
function unitsBelow(root: string, units: readonly DrawnUnit[]): { readonly unit: DrawnUnit; readonly depth: number }[] {
  const found: { unit: DrawnUnit; depth: number }[] = [];
  const seen = new Set<string>();
  const visit = (id: string, depth: number): void => {
    const unit = units.find(({ workUnitId }) => workUnitId === id);
    if (!unit || seen.has(id)) return;
    seen.add(id);
    found.push({ unit, depth });
    for (const { workUnitId, parentWorkUnitId } of units) if (parentWorkUnitId === id) visit(workUnitId, depth + 1);
  };
  visit(root, 0);
  return found;
}
