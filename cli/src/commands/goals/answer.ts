import { goalsOf, named, waitingIn } from '../../people/work.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const answer = cliCommand({
  operands: ['question', 'text'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [wanted, response]) => {
  const client = new StudioClient(given, terminal);
  const open = (await waitingIn(client, await goalsOf(client))).filter(({ kind }) => kind === 'question');
  // The goal is as good a name where it asks one thing.
  const ofGoal = open.filter(({ goalId }) => goalId.startsWith(wanted));
  const { id } = ofGoal.length === 1 ? ofGoal[0]! : named(open, (one) => one.id, wanted, 'open question');
  const answered = await client.call<object>('clarification.respondById', { clarificationId: id, response });
  terminal.out(json ? JSON.stringify(answered) : 'answered; the work goes on');
});
