import { access } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { registeredAt } from '../people/repository.js';
import { transferred } from '../people/transfer.js';
import { StudioClient } from '../studio/studio-client.js';
import { connectionFlags } from '../studio/studio-connection.js';
import { UsageError, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';

interface Cloned {
  readonly path: string;
  readonly leftOut: readonly string[];
}
interface Fetched {
  readonly branches: Readonly<Record<string, string>>;
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  readonly forwarded: { readonly branch: string } | null;
}
interface Pushed {
  readonly remote: string;
  readonly branch: string;
  readonly moved: boolean;
}

const repo = { summary: 'Folder of the repository.', value: 'folder', default: '.' } as const;

export const clone = cliCommand({
  operands: ['address', 'folder?'],
  flags: {
    depth: { summary: 'Bring this many commits of each branch. All without.', value: 'commits' },
    branch: { summary: 'Bring this branch alone.', value: 'name' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ depth, branch, json, ...given }, terminal, [address, folder]) => {
  const commits = depth === undefined ? undefined : Number(depth);
  if (commits !== undefined && !(Number.isSafeInteger(commits) && commits >= 1))
    throw new UsageError(`--depth takes a number of commits, not ${depth}`);
  const client = new StudioClient(given, terminal);
  const targetPath = resolve(folder ?? nameIn(address));
  const url = await addressOf(address);
  const wish = {
    url,
    targetPath,
    ...(commits === undefined ? {} : { depth: commits }),
    ...(branch === undefined ? {} : { branch }),
  };
  const made = await transferred(client, targetPath, terminal, client.call<Cloned>('repository.clone', wish));
  if (json) return terminal.out(JSON.stringify(made));
  terminal.out(`${made.path} is registered`);
  for (const what of made.leftOut) terminal.err(`weft: ${what}`);
});

export const fetch = cliCommand({
  operands: ['remote?'],
  flags: {
    repo,
    forward: { summary: 'Bring your own branch forward to what came of it.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ repo: folder, forward, json, ...given }, terminal, [remote = 'origin']) => {
  const client = new StudioClient(given, terminal);
  const { repositoryId } = await registeredAt(client, folder);
  const asked = client.call<Fetched>('remote.fetch', { repositoryId, remote, forward });
  const fetched = await transferred(client, repositoryId, terminal, asked);
  if (json) return terminal.out(JSON.stringify(fetched));
  for (const name of fetched.changed) terminal.out(`${remote}/${name} is at ${fetched.branches[name]?.slice(0, 12)}`);
  for (const name of fetched.gone) terminal.out(`${remote}/${name} is gone`);
  if (fetched.forwarded) terminal.out(`${fetched.forwarded.branch} was brought forward`);
  if (fetched.changed.length + fetched.gone.length === 0) terminal.out(`nothing new at ${remote}`);
});

export const push = cliCommand({
  operands: ['branch?'],
  flags: {
    repo,
    remote: { summary: 'Remote to write to; origin where nothing else is set.', value: 'name' },
    to: { summary: 'Name of the branch there.', value: 'name' },
    shape: {
      summary: 'Form of the commits that leave.',
      value: 'name',
      choices: ['as_is', 'merge', 'squash', 'rebase'],
    },
    title: { summary: 'First line of the message of a merge or a squash.', value: 'text' },
    expected: {
      summary: 'Commit that the branch is at there, which may be replaced; none where it must be new.',
      value: 'commit',
    },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ repo: folder, remote, to, shape, title, expected, json, ...given }, terminal, [branchId = 'main']) => {
  const client = new StudioClient(given, terminal);
  const { repositoryId } = await registeredAt(client, folder);
  const named = Object.entries({ remote, branch: to, shape, title, expected }).filter(
    ([, value]) => value !== undefined,
  );
  const asked = client.call<Pushed>('remote.push', { repositoryId, branchId, ...Object.fromEntries(named) });
  const pushed = await transferred(client, repositoryId, terminal, asked);
  if (json) return terminal.out(JSON.stringify(pushed));
  const place = `${pushed.remote}/${pushed.branch}`;
  terminal.out(pushed.moved ? `${place} has your work` : `${place} was there already`);
});

/** What git is asked for: an address, or the full path of a folder of this machine, which the studio may see from elsewhere. */
async function addressOf(given: string): Promise<string> {
  if (given.includes(':')) return given;
  const path = resolve(given);
  await access(path).catch((cause: unknown) => {
    throw new UsageError(
      `there is no folder ${path}, and it is no address: https://host/path, ssh://host/path, or host:path`,
      { cause },
    );
  });
  return path;
}

/** Folder that git would make for an address. */
function nameIn(address: string): string {
  const name = basename(address.replace(/[/\\]+$/, '').replace(/^.*:(?!\/\/)/, '')).replace(/\.git$/, '');
  if (name === '' || name === '.' || name === '..')
    throw new UsageError(`name the folder to clone into: weft clone ${address} <folder>`);
  return name;
}
