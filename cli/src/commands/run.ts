import { narrate } from '../people/narration.js';
import { repositoryAt } from '../people/repository.js';
import { shortId } from '../studio/event-text.js';
import { StudioClient } from '../studio/studio-client.js';
import { connectionFlags } from '../studio/studio-connection.js';
import { UsageError, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';

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
      summary: 'Who approves what comes of it.',
      value: 'name',
      choices: ['HumanRequired', 'AgentApproval', 'Hybrid'],
      initially: 'HumanRequired',
    },
    shape: {
      summary: 'Whether one agent does all of it, or a planner divides it first; by how much its text says without.',
      value: 'name',
      choices: ['auto', 'single', 'planned'],
      initially: 'auto',
    },
    yes: { summary: 'Register the folder without asking.' },
    detach: { summary: 'Do not watch it.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ repo, criteria, policy, shape, yes, detach, json, ...given }, terminal, [goal]) => {
  if (goal.trim() === '') throw new UsageError('the goal is empty: weft run "<what is to be achieved>"');
  const client = new StudioClient(given, terminal);
  const { repositoryId, path } = await repositoryAt(client, repo, yes, terminal);
  const made = await client.call<{ goalId: string }>('external-goal.run', {
    goal,
    repositoryId,
    ...(criteria === undefined ? {} : { successCriteria: criteria }),
    ...(policy === undefined ? {} : { reviewPolicy: policy }),
    ...(shape === undefined ? {} : { shape }),
  });
  if (json) return terminal.out(JSON.stringify({ ...made, repositoryId }));
  const id = shortId(made.goalId);
  terminal.out(`goal ${id} has begun in ${path}`);
  if (detach) return terminal.out(`weft follow ${id} watches it, weft status shows what waits for you`);
  const { status, waiting } = await narrate(client, made.goalId, terminal, (items) => items.length > 0);
  if (terminal.stop.aborted) return terminal.err(`weft: it goes on without you; weft follow ${id} watches it again`);
  if (waiting.length === 0) terminal.out(`goal ${id} is ${status}`);
});
