/** Makes the adapter of a forge. Its token is read anew for each request, and goes nowhere else. */
import type { Clock } from '../../clock.js';
import { refusal } from '../../reasons.js';
import type { Forge, ForgeAddress } from './forge.js';
import { ForgeHttp } from './forge-http.js';
import { GitHubForge } from './github.js';
import { GitLabForge } from './gitlab.js';

/** Longest wait for a limit inside a call. A longer one is told, and begun again when it is over. */
const MOST_WAIT_MS = 120_000;

const PAGES = { name: 'per_page', size: 100 } as const;
const GITEA_PAGES = { name: 'limit', size: 50 } as const;

export interface ForgeAccess {
  readonly token: () => Promise<string | undefined>;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export function makeForge({ kind, api, project }: ForgeAddress, { token, clock, signal }: ForgeAccess): Forge {
  requireForgeAddress(api);
  const headers = async (): Promise<Record<string, string>> => {
    const secret = await token();
    if (secret === undefined) return {};
    if (kind === 'gitlab') return { 'private-token': secret };
    if (kind === 'gitea') return { authorization: `token ${secret}` };
    return {
      authorization: `Bearer ${secret}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    };
  };
  const pages = kind === 'gitea' ? GITEA_PAGES : PAGES;
  const http = new ForgeHttp({ api, headers, clock, pages, mostWaitMs: MOST_WAIT_MS, signal });
  if (kind === 'gitlab') return new GitLabForge(http, project);
  if (kind === 'gitea') return new GitHubForge(http, project, { isGitea: true });
  // A server of one's own has it beside the versions of this one.
  const queries = /\/v3\/*$/.test(api) ? '/../graphql' : '/graphql';
  return new GitHubForge(http, project, { isGitea: false, queries });
}

/** Guard: a token travels encrypted, or not at all. */
export function requireForgeAddress(api: string): void {
  const url = URL.canParse(api) ? new URL(api) : undefined;
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (isHere || url.protocol === 'https:')) return;
  throw refusal(
    'reject.forge_address',
    `${api.slice(0, 200)} is no address for a forge: name the https address of its interface, such as https://git.example.com/api/v4, without a user or a query`,
  );
}
