import { goalsOf, named } from '../../people/work.js';
import { StudioClient } from '../../studio/studio-client.js';
import { shortId } from '../../studio/event-text.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const retry = cliCommand({
  operands: ['goal'],
  flags: {
    with: { summary: 'Try again with this correction.', value: 'text' },
    'go-on': { summary: 'Let an agent go on that has used up its turns.' },
    'plan-anew': { summary: 'Plan the failed part anew, or what was stopped and is needed.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ with: correction, 'go-on': goOn, 'plan-anew': anew, json, ...given }, terminal, [wanted]) => {
  if ([correction !== undefined, goOn, anew].filter(Boolean).length > 1)
    throw new UsageError('one of --with, --go-on and --plan-anew is taken; see weft retry --help');
  const client = new StudioClient(given, terminal);
  const { goalId, status } = named(await goalsOf(client), (goal) => goal.goalId, wanted, 'goal');
  const wasStopped = status === 'Abandoned';
  const action = correction !== undefined ? 'retry_with_context' : goOn ? 'continue' : anew ? 'replan' : 'retry';
  const done = wasStopped
    ? await client.call<object>('external-goal.requeue', {
        goalId,
        ...(correction === undefined ? {} : { notes: correction }),
      })
    : await client.call<object>('external-goal.recover', {
        goalId,
        action,
        ...(correction === undefined ? {} : { steeringContext: correction }),
      });
  terminal.out(
    json ? JSON.stringify(done) : `goal ${shortId(goalId)} goes on; weft follow ${shortId(goalId)} watches it`,
  );
});
