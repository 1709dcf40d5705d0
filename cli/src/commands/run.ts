import { access, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { agrees } from '../people/ask.js';
import { narrate } from '../people/narration.js';
import { shortId } from '../studio/event-text.js';
import { StudioClient } from '../studio/studio-client.js';
import { connectionFlags } from '../studio/studio-connection.js';
import { type Terminal, UsageError, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';

interface Repository {
  readonly repositoryId: string;
  readonly path: string;
}

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

/** The registered repository around a folder; registers it when the user wants that. */
async function repositoryAt(
  client: StudioClient,
  folder: string,
  isAgreed: boolean,
  terminal: Terminal,
): Promise<Repository> {
  const top = await topOf(folder);
  const known = await client.call<Repository[]>('repository.list');
  const found = known.find(({ path }) => path === top);
  if (found) return found;
  const plan = await client.call<{ does: string }>('repository.plan', { path: top });
  if (!isAgreed) {
    if (!terminal.canAsk)
      throw new UsageError(`${top} is not registered with the studio (${plan.does}): give --yes to register it`);
    if (!(await agrees(terminal, `${top} is not registered yet: ${plan.does}. Register it?`)))
      throw new UsageError('nothing was registered and nothing has begun');
  } else terminal.err(`weft: ${top} is registered: ${plan.does}`);
  return client.call<Repository>('repository.register', { path: top });
}

/** Root of the git repository around a folder; the folder itself where there is none. */
async function topOf(folder: string): Promise<string> {
  const start = await realpath(resolve(folder)).catch((cause: unknown) => {
    throw new UsageError(`there is no folder ${resolve(folder)}; name one with --repo`, { cause });
  });
  for (let at = start; ; at = dirname(at)) {
    const isTop = await access(join(at, '.git')).then(
      () => true,
      () => false,
    );
    if (isTop) return at;
    if (at === dirname(at)) return start;
  }
}
