/** Address of a running studio, and a token for it. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Patience } from '@weft/server/patience';
import type { Scope } from '@weft/studio';
import { type Terminal, UsageError } from '../syntax/define.js';
import { TOKENS_FILE } from './calls.js';
import { type KnownStudio, knownStudios } from './known-studios.js';

export const connectionFlags = {
  at: {
    summary: 'Address of the running studio; a port alone is one of this machine.',
    value: 'url',
    initially:
      'that of WEFT_STUDIO_LISTEN, else that of the studio on the data folder, else the only one of yours that runs',
  },
  store: {
    summary: 'Its data folder, for the token; it counts before WEFT_TOKEN.',
    value: 'folder',
    initially: '$WEFT_STORE, or ./weft-data, or that of the running studio',
  },
} as const;

export interface StudioConnection {
  readonly origin: string;
  readonly token: string;
  /** Where the token was found, for a studio that does not know it. */
  readonly tokenFrom: string;
}

export interface GivenConnection {
  readonly at?: string | undefined;
  readonly store?: string | undefined;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const USUAL = '127.0.0.1:7880';
const USUAL_STORE = './weft-data';

/** Connection from flags, variables, data folders and what runs; `scope` chooses one of the tokens in a folder. */
export async function studioConnection(
  { at, store }: GivenConnection,
  scope: Scope,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<StudioConnection> {
  const { WEFT_STUDIO_LISTEN: listen, WEFT_STORE, WEFT_TOKEN: given } = environment;
  const known = await knownStudios({ environment });
  const folder = store ?? WEFT_STORE;
  const said = at ?? listen;
  const found = said === undefined ? foundStudio(known, folder) : undefined;
  const url = addressIn(said ?? found?.origin ?? USUAL, at === undefined ? 'WEFT_STUDIO_LISTEN' : '--at');
  const { origin } = url;
  if (store === undefined && given !== undefined && given !== '')
    return { origin, token: lineOf(given), tokenFrom: 'WEFT_TOKEN' };
  const own = folder ?? (found ?? known.find((one) => one.origin === origin))?.store;
  // The folder that happens to be here belongs to a studio of this machine.
  if (own === undefined && !LOOPBACK.test(url.hostname))
    throw new UsageError(`no token for ${url.host}: set WEFT_TOKEN, or name that studio's data folder with --store`);
  const others = own === undefined ? known : [];
  return { origin, ...(await tokenIn(own ?? USUAL_STORE, scope, (path) => unknownStudio(origin, path, others))) };
}

/** What is said where no token was found. `others` are studios of this user at other addresses. */
function unknownStudio(origin: string, path: string, others: readonly KnownStudio[]): string {
  const [other] = others;
  if (other)
    return `no studio of yours is known at ${origin}: ${other.origin} (${other.store}) is; for another set WEFT_TOKEN, or name its data folder with --store`;
  return `no studio of yours is known here (no ${path}): start one with weft up, name its data folder with --store, or set WEFT_TOKEN`;
}

/** Token of the environment, where it can stand in a header. */
function lineOf(token: string): string {
  if (/^[!-~]+$/.test(token)) return token;
  throw new UsageError('WEFT_TOKEN holds no token: one is a line without spaces, as weft token show prints it');
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

/** The studio on a folder, or on the one that is usual here; else the only one that runs. */
function foundStudio(known: readonly KnownStudio[], folder: string | undefined): KnownStudio | undefined {
  const on = (store: string) => known.find((one) => one.store === resolve(store));
  if (folder !== undefined) return on(folder);
  const here = on(USUAL_STORE);
  if (here || known.length < 2) return here ?? known[0];
  const choices = known.map(({ origin, store }) => `--at ${origin} (${store})`).join(', ');
  throw new UsageError(`${known.length} studios of yours run; name one: ${choices}`);
}

function addressIn(text: string, where: string): URL {
  const full = fullAddress(text);
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`${where} takes an address such as http://127.0.0.1:7880, not ${text}`);
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new UsageError(`a token is not sent to ${url.host} in the open: use https`);
  return url;
}

/** Address with its protocol: a port alone is one of this machine, and `host:port` is without TLS. */
function fullAddress(text: string): string {
  if (/^\d+$/.test(text)) return `http://127.0.0.1:${text}`;
  return /^[^/:]+:\d+$/.test(text) ? `http://${text}` : text;
}

async function tokenIn(
  store: string,
  scope: Scope,
  missing: (path: string) => string,
): Promise<Pick<StudioConnection, 'token' | 'tokenFrom'>> {
  const path = join(store, TOKENS_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(missing(path), { cause });
  }
  return { token: tokenOf(text, scope, path), tokenFrom: path };
}

function tokenOf(text: string, scope: Scope, path: string): string {
  let tokens: unknown;
  try {
    tokens = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${path} is damaged: stop the studio, delete the file, and start the studio again`, { cause });
  }
  const named = typeof tokens === 'object' && tokens !== null ? Object.entries(tokens) : [];
  const token: unknown = named.find(([name]) => name === scope)?.[1];
  if (typeof token === 'string') return token;
  throw new UsageError(`${path} holds no token of scope ${scope}: delete the file, and start the studio again`);
}
