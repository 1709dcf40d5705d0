/** The repository that somebody means by a folder. */
import { access, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { StudioClient } from '../studio/studio-client.js';
import { type Terminal, UsageError } from '../syntax/define.js';
import { agrees } from './ask.js';

interface Repository {
  readonly repositoryId: string;
  readonly path: string;
}

/** The registered repository around a folder. */
export async function registeredAt(client: StudioClient, folder: string): Promise<Repository> {
  const top = await topOf(folder);
  const found = await knownAt(client, top);
  if (found) return found;
  throw new UsageError(
    `${top} is not registered with the studio; weft studio repository register --path ${top} does that`,
  );
}

/** The registered repository around a folder; registers it when the user wants that. */
export async function repositoryAt(
  client: StudioClient,
  folder: string,
  isAgreed: boolean,
  terminal: Terminal,
): Promise<Repository> {
  const top = await topOf(folder);
  const found = await knownAt(client, top);
  if (found) return found;
  const plan = await client.call<{ does: string }>('repository.plan', { path: top });
  if (!isAgreed) {
    if (!terminal.canAsk)
      throw new UsageError(`${top} is not registered with the studio (${plan.does}): give --yes to register it`);
    if (!(await agrees(terminal, `${top} is not registered yet: ${plan.does}. Register it?`)))
      throw new UsageError('nothing was registered and nothing has begun');
  }
  const registered = await client.call<Repository>('repository.register', { path: top });
  // Whoever agreed has read it.
  if (isAgreed) terminal.err(`weft: ${top} is registered: ${plan.does}`);
  return registered;
}

/** Root of the git repository around a folder; the folder itself where there is none. */
async function topOf(folder: string): Promise<string> {
  if (folder.includes('://'))
    throw new UsageError(`${folder} is an address: weft clone ${folder} copies it, then name the folder with --repo`);
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

async function knownAt(client: StudioClient, top: string): Promise<Repository | undefined> {
  const known = await client.call<Repository[]>('repository.list');
  return known.find(({ path }) => path === top);
}
