import { narrate } from '../../people/narration.js';
import { repositoryAt } from '../../people/repository.js';
import { shortId } from '../../studio/event-text.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { secondsIn } from '../../syntax/duration.js';
import { jsonFlag } from '../../syntax/flags.js';

export const run = cliCommand({
  operands: ['goal'],
  flags: {
    repo: {
      summary: 'Folder of the repository. One that is not registered is, after asking.',
      value: 'folder',
      default: '.',
    },
    criteria: { summary: 'How to tell that it is done.', value: 'text' },
    policy: {
      summary: 'Who approves what comes of it, and each of its parts.',
      value: 'name',
      choices: ['HumanRequired', 'AgentApproval', 'Hybrid'],
      initially: 'agents the parts, a person the whole',
    },
    shape: {
      summary: 'Whether one agent does all of it, or a planner divides it first; by how much its text says without.',
      value: 'name',
      choices: ['auto', 'single', 'planned'],
      initially: 'auto',
    },
    'max-cost': { summary: 'Dollars after which it is paused.', value: 'dollars' },
    'max-tokens': { summary: 'Tokens after which it is paused.', value: 'number' },
    'max-time': { summary: 'Time after which it is paused, such as 90m or 8h.', value: 'time' },
    yes: { summary: 'Register the folder without asking.' },
    detach: { summary: 'Do not watch it.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ repo, criteria, policy, shape, yes, detach, json, ...given }, terminal, [goal]) => {
  const limits = limitsOf(given);
  if (goal.trim() === '') throw new UsageError('the goal is empty: weft run "<what is to be achieved>"');
  const client = new StudioClient(given, terminal);
  const { repositoryId, path } = await repositoryAt(client, repo, yes, terminal);
  const made = await client.call<{ goalId: string }>('external-goal.run', {
    goal,
    repositoryId,
    ...(criteria === undefined ? {} : { successCriteria: criteria }),
    ...(policy === undefined ? {} : { reviewPolicy: policy }),
    ...(shape === undefined ? {} : { shape }),
    ...limits,
  });
  if (json) return terminal.out(JSON.stringify({ ...made, repositoryId }));
  const id = shortId(made.goalId);
  terminal.out(`goal ${id} has begun in ${path}`);
  if (detach) return terminal.out(`weft follow ${id} watches it, weft status shows what waits for you`);
  const { status, waiting } = await narrate(client, made.goalId, terminal, (items) => items.length > 0);
  if (terminal.stop.aborted) return terminal.err(`weft: it goes on without you; weft follow ${id} watches it again`);
  if (waiting.length === 0) terminal.out(`goal ${id} is ${status}`);
});

interface LimitFlags {
  readonly 'max-cost'?: string | undefined;
  readonly 'max-tokens'?: string | undefined;
  readonly 'max-time'?: string | undefined;
}

/** Limits of the goal, in the units in which the studio counts. */
function limitsOf({ 'max-cost': cost, 'max-tokens': tokens, 'max-time': time }: LimitFlags) {
  if (cost !== undefined && !(/^\d{1,7}(\.\d{1,6})?$/.test(cost) && Number(cost) > 0))
    throw new UsageError('--max-cost takes dollars, above 0 and with at most six decimals: 2.50');
  if (tokens !== undefined && !/^[1-9]\d{0,11}$/.test(tokens))
    throw new UsageError('--max-tokens takes a whole number: 500000');
  const seconds = time === undefined ? undefined : secondsIn('max-time', time);
  if (seconds !== undefined && seconds % 60 !== 0) throw new UsageError('--max-time takes whole minutes: 90m');
  return {
    ...(cost === undefined ? {} : { maxGoalDollars: Number(cost) }),
    ...(tokens === undefined ? {} : { maxGoalTokens: Number(tokens) }),
    ...(seconds === undefined ? {} : { maxGoalDurationMinutes: seconds / 60 }),
  };
}
