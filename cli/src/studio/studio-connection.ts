/** Address of a running studio, and a token for it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Patience } from '@weft/server';
import type { Scope } from '@weft/studio';
import { type Terminal, UsageError } from '../syntax/define.js';

export const connectionFlags = {
  at: {
    summary: 'Address of the running studio.',
    value: 'url',
    initially: 'that of WEFT_STUDIO_LISTEN, or http://127.0.0.1:7880',
  },
  store: {
    summary: 'Its data folder, for the token. WEFT_TOKEN is used before it.',
    value: 'folder',
    initially: '$WEFT_STORE, or ./weft-data',
  },
} as const;

export interface StudioConnection {
  readonly origin: string;
  readonly token: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Connection from flags, variables and the data folder; `scope` chooses one of the tokens in the folder. */
export async function studioConnection(
  given: { readonly at: string | undefined; readonly store: string | undefined },
  scope: Scope,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<StudioConnection> {
  const { WEFT_STUDIO_LISTEN: listen = '127.0.0.1:7880', WEFT_STORE, WEFT_TOKEN } = environment;
  const { at = `http://${listen}`, store = WEFT_STORE ?? './weft-data' } = given;
  const url = URL.canParse(at) ? new URL(at) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--at takes an address such as http://127.0.0.1:7880, not ${at}`);
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new UsageError(`a token is not sent to ${url.host} in the open: use https`);
  return { origin: url.origin, token: WEFT_TOKEN ?? (await tokenIn(store, scope)) };
}

/** Patience with a studio that may have been stopped: how it is probed, and what the user is told. */
export function patienceWith(origin: string): Pick<Patience, 'who' | 'remedy' | 'probe'> {
  return {
    who: `the studio at ${origin}`,
    remedy:
      'kill -CONT and its process lets one go on that was stopped; what it has acknowledged is kept however it ends',
    probe: (signal) => fetch(origin, { method: 'HEAD', signal }),
  };
}

async function tokenIn(store: string, scope: Scope): Promise<string> {
  const { TOKENS_FILE } = await import('@weft/studio');
  const path = join(store, TOKENS_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`no token: set WEFT_TOKEN, or name the studio's data folder with --store (no ${path})`, {
      cause,
    });
  }
  const tokens: unknown = JSON.parse(text);
  const token: unknown =
    typeof tokens === 'object' && tokens !== null
      ? Object.entries(tokens).find(([name]) => name === scope)?.[1]
      : undefined;
  if (typeof token === 'string') return token;
  throw new Error(`${path} holds no token of scope ${scope}`);
}
