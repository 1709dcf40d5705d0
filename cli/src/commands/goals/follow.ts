import { desktopNotices } from '../../output/desktop.js';
import { narrate } from '../../people/narration.js';
import { goalsOf, isOver, named } from '../../people/work.js';
import { shortId, withPayload } from '../../studio/event-text.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { UsageError, cliCommand } from '../../syntax/define.js';

export const follow = cliCommand({
  operands: ['goal?'],
  flags: {
    notify: { summary: 'Show what needs you as notices on your desktop too, each once.' },
    ...connectionFlags,
    json: { summary: 'Print each event as JSON, for programs.' },
  },
}).run(async ({ json, notify, ...given }, terminal, [wanted]) => {
  if (json && notify) throw new UsageError('--json is for programs, and --notify for people: give one of them');
  const client = new StudioClient(given, terminal);
  const goals = await goalsOf(client);
  const goal =
    wanted === undefined ? goals.findLast((one) => !isOver(one)) : named(goals, ({ goalId }) => goalId, wanted, 'goal');
  if (!goal)
    throw new UsageError(
      'no goal is under way: weft run "<goal>" sets one, weft status --all shows those that are over',
    );
  const { goalId } = goal;
  if (json)
    return client.follow('event.follow', { goalId, after: 0 }, (event) =>
      terminal.out(JSON.stringify(withPayload(event))),
    );
  terminal.out(`goal ${shortId(goalId)}: ${goal.goal}`);
  const tell = notify ? desktopNotices(terminal) : undefined;
  const { status } = await narrate(client, goalId, terminal, () => false, tell);
  if (!terminal.stop.aborted) terminal.out(`goal ${shortId(goalId)} is ${status}`);
});
