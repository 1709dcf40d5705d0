import { goalsOf, named } from '../../people/work.js';
import { StudioClient } from '../../studio/studio-client.js';
import { shortId } from '../../studio/event-text.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const stop = cliCommand({
  operands: ['goal'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [wanted]) => {
  const client = new StudioClient(given, terminal);
  const { goalId } = named(await goalsOf(client), (goal) => goal.goalId, wanted, 'goal');
  const stopped = await client.call<{ cancelledWorkUnits: number }>('external-goal.cancel', { goalId });
  const { cancelledWorkUnits: count } = stopped;
  const id = shortId(goalId);
  terminal.out(
    json
      ? JSON.stringify(stopped)
      : `goal ${id} is stopped, with ${count} ${count === 1 ? 'piece' : 'pieces'} of work; weft retry ${id} begins it again`,
  );
});
