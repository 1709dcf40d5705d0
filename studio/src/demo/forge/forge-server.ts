/**
 * A forge on this machine: real git over HTTP, and an API that takes nothing but what the vendor's description says, and is held to it
 * in what it answers. It keeps what people do there.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ForgeKind } from '../../workspace/forges/forge.js';
import { type Described, answerFaults, find, requestFaults } from './described.js';
import { GITEA, GITHUB, GITLAB } from './descriptions.js';
import { githubAnswer } from './github-face.js';
import { gitlabAnswer } from './gitlab-face.js';
import { type GitServer, openGitServer } from './http-git.js';
import { ForgeModel, type User } from './model.js';

const BASES = { github: '/api/v3', gitea: '/api/gitea/v1', gitlab: '/api/v4' } as const;
const DESCRIBED = { github: GITHUB, gitea: GITEA, gitlab: GITLAB } as const;

/** Whom a token was made for: a person, an app of the vendor's, or a person for these repositories alone. */
export type TokenOf = 'person' | 'app' | 'person, for few repositories';

/** What GitHub refuses to which tokens, whatever they may do beside it. */
const HIDDEN: Partial<Record<TokenOf, { readonly path: RegExp; readonly message: string }>> = {
  app: { path: /^\/user$/, message: 'Resource not accessible by integration' },
  'person, for few repositories': {
    path: /\/check-runs$/,
    message: 'Resource not accessible by personal access token',
  },
};

export interface ForgeServer {
  readonly kind: ForgeKind;
  readonly git: GitServer;
  readonly model: ForgeModel;
  readonly api: string;
  readonly project: string;
  readonly token: string;
  readonly tokenOf: TokenOf;
  /** Account that the token acts as. */
  readonly me: User;
  /** Requests to the API so far. */
  readonly asked: string[];
  /** What was asked or answered against the description. */
  readonly violations: string[];
  /** What comes before the API: answers whether it has answered itself. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  close(): Promise<void>;
}

export async function openForgeServer(
  kind: ForgeKind,
  folder: string,
  project: string,
  tokenOf: TokenOf = 'person',
): Promise<ForgeServer> {
  const git = await openGitServer(folder);
  const model = new ForgeModel(await git.make(project), kind !== 'gitlab');
  // Chance makes it this server’s alone: what is found elsewhere is found because it got there.
  const token = `token-of-${kind}-${randomBytes(8).toString('hex')}`;
  const self: ForgeServer = {
    kind,
    git,
    model,
    api: `${git.origin}${BASES[kind]}`,
    project,
    token,
    tokenOf,
    me: tokenOf === 'app' ? model.user('weft[bot]', { isBot: true }) : model.user('weft-bot'),
    asked: [],
    violations: [],
    before: () => false,
    close: () => git.close(),
  };
  git.credentials = `${kind === 'gitlab' ? 'oauth2' : 'x-access-token'}:${token}`;
  git.before = async (request, response) => {
    if (!(request.url ?? '').startsWith('/api/')) return false;
    await serve(self, request, response);
    return true;
  };
  return self;
}

async function serve(self: ForgeServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { kind, model, git } = self;
  const method = request.method ?? 'GET';
  const url = new URL(request.url ?? '/', git.origin);
  const base = BASES[kind];
  const path = url.pathname.startsWith(`${base}/`) ? url.pathname.slice(base.length) : url.pathname;
  self.asked.push(`${method} ${path}`);
  if (await self.before(request, response)) return;
  const send = (status: number, json: unknown, isText = false, link = ''): void => {
    const type = { 'content-type': isText ? 'text/plain' : 'application/json' };
    response.writeHead(status, link === '' ? type : { ...type, link });
    response.end(isText ? String(json) : JSON.stringify(json));
  };
  if (!isAuthorized(self, request)) return send(401, { message: 'Bad credentials' });
  const hidden = HIDDEN[self.tokenOf];
  if (kind === 'github' && hidden?.path.test(path) === true) return send(403, { message: hidden.message });
  const body = await jsonOf(request);
  const found = find(DESCRIBED[kind], method, path);
  if (!found) {
    self.violations.push(`${method} ${path}: no such operation`);
    return send(404, { message: 'Not Found' });
  }
  const { described, values } = found;
  const faults = requestFaults(described, url, body);
  if (faults.length > 0) {
    self.violations.push(`${method} ${path}: ${faults.join(', ')}`);
    return send(422, { message: 'Validation Failed', errors: faults });
  }
  if (!isOfProject(self, described, values)) return send(404, { message: 'Not Found' });
  const origin = kind === 'gitea' ? `${git.origin}/gitea` : git.origin;
  const asked = { method, template: described.path, values, query: url.searchParams, body: body ?? {}, me: self.me };
  const answer = await (kind === 'gitlab' ? gitlabAnswer : githubAnswer)(model, origin, asked);
  const { status = described.status } = answer;
  const { json, link } = paged(described, answer.json, url);
  if (status < 300 && !described.isText)
    self.violations.push(...answerFaults(described, json).map((fault) => `${method} ${path}: ${fault}`));
  send(status, json, described.isText, link);
}

function isAuthorized({ kind, token, violations }: ForgeServer, { headers }: IncomingMessage): boolean {
  if (headers['user-agent'] === undefined) violations.push('no user-agent');
  if (kind === 'gitlab') return headers['private-token'] === token;
  if (kind === 'gitea') return headers.authorization === `token ${token}`;
  if (headers['x-github-api-version'] === undefined) violations.push('no version of the API');
  return headers.authorization === `Bearer ${token}`;
}

function isOfProject({ kind, project }: ForgeServer, { path }: Described, values: readonly string[]): boolean {
  if (!path.startsWith('/repos/') && !path.startsWith('/projects/')) return true;
  return (kind === 'gitlab' ? values[0] : `${values[0]}/${values[1]}`) === project;
}

/** One page of a list; that another one follows is said as vendors do. Lists without pages come whole, as some of Gitea's. */
function paged({ isList, within, query = [] }: Described, json: unknown, url: URL) {
  const all = within === undefined ? json : (json as Record<string, unknown>)[within];
  if ((!isList && within === undefined) || !Array.isArray(all) || !query.includes('page')) return { json, link: '' };
  const { searchParams } = url;
  const size = Number(searchParams.get('per_page') ?? searchParams.get('limit') ?? 30);
  const page = Number(searchParams.get('page') ?? 1);
  const some: unknown[] = all.slice((page - 1) * size, page * size);
  const next = new URL(url);
  next.searchParams.set('page', String(page + 1));
  const link = page * size < all.length ? `<${next.href}>; rel="next"` : '';
  return { json: within === undefined ? some : { ...(json as object), [within]: some }, link };
}

async function jsonOf(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  return text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
}
