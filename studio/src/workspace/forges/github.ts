/** Forge port over the API of GitHub, and that of Gitea, which is like it. */
import { z } from 'zod';
import { isReason, refusal } from '../../reasons.js';
import type { Check, Forge, Issue, MergeWish, Request, RequestWish, Said } from './forge.js';
import type { ForgeHttp } from './forge-http.js';

const User = z.object({ login: z.string(), type: z.string().optional() });
const Body = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const WRITERS = ['OWNER', 'MEMBER', 'COLLABORATOR'];

const IssueRow = z.object({
  number: z.number(),
  title: z.string(),
  body: Body,
  state: z.string(),
  html_url: z.string(),
  user: User,
  author_association: z.string().optional(),
  labels: z.array(z.object({ name: z.string() })),
  pull_request: z.unknown().optional(),
});
const Comment = z.object({
  id: z.number(),
  body: Body,
  user: User,
  created_at: z.string(),
  author_association: z.string().optional(),
  path: z.string().optional(),
  line: z.number().nullish(),
  in_reply_to_id: z.number().optional(),
});
const Review = z.object({
  id: z.number(),
  body: Body,
  user: User,
  state: z.string(),
  submitted_at: z.string().optional(),
  author_association: z.string().optional(),
});
const Pull = z.object({
  number: z.number(),
  title: z.string(),
  body: Body,
  state: z.string(),
  html_url: z.string(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
  merged: z.boolean().optional(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  merged_by: User.nullish(),
});
const CheckRun = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  html_url: z.string().nullish(),
  output: z
    .object({ title: z.string().nullish(), summary: z.string().nullish(), text: z.string().nullish() })
    .nullish(),
});
const CheckRuns = z
  .object({ total_count: z.number(), check_runs: z.array(CheckRun) })
  .transform(({ total_count: total, check_runs: some }) => ({ total, some }));
const StatusRow = z.object({
  id: z.number(),
  context: z.string(),
  // Gitea says it by another name.
  state: z.string().optional(),
  status: z.string().optional(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});
const Statuses = z
  .object({ total_count: z.number(), statuses: z.array(StatusRow).nullish() })
  .transform(({ total_count: total, statuses }) => ({ total, some: statuses ?? [] }));
const Permission = z.object({ permission: z.string() });
const Viewer = z.object({ data: z.object({ viewer: z.object({ login: z.string() }) }) });

const MOST_SAID = 8_000;
const PASSED = ['success', 'neutral', 'skipped'];

export interface Vendor {
  readonly isGitea: boolean;
  /** Path of the interface that takes queries; Gitea has none. */
  readonly queries?: string;
}

export class GitHubForge implements Forge {
  readonly #http: ForgeHttp;
  readonly #repo: string;
  readonly #owner: string;
  readonly #isGitea: boolean;
  readonly #queries: string;
  #me: Promise<string> | undefined;
  readonly #writers = new Map<string, Promise<boolean>>();

  constructor(http: ForgeHttp, project: string, { isGitea, queries = '' }: Vendor) {
    this.#http = http;
    this.#queries = queries;
    this.#repo = `/repos/${project.split('/').map(encodeURIComponent).join('/')}`;
    this.#owner = project.split('/')[0] ?? '';
    this.#isGitea = isGitea;
  }

  me(): Promise<string> {
    this.#me ??= this.#http
      .ask(User, 'GET', '/user')
      .then(({ login }) => login)
      .catch((error: unknown) => this.#viewer(error));
    this.#me.catch(() => (this.#me = undefined));
    return this.#me;
  }

  /** Login of an app: its tokens are no user's, so who they are is asked of the other interface. */
  async #viewer(denied: unknown): Promise<string> {
    if (this.#isGitea || !isReason(denied, 'reject.forge_denied')) throw denied;
    const query = 'query { viewer { login } }';
    return (await this.#http.ask(Viewer, 'POST', this.#queries, { query })).data.viewer.login;
  }

  async issue(number: number): Promise<Issue> {
    const row = await this.#http.ask(IssueRow, 'GET', `${this.#repo}/issues/${number}`);
    const comments = await this.#comments(number);
    return {
      number,
      title: row.title,
      body: row.body,
      author: row.user.login,
      authorMayWrite: await this.#mayWrite(row.user.login, row.author_association),
      url: row.html_url,
      isOpen: row.state === 'open' && row.pull_request == null,
      labels: row.labels.map(({ name }) => name),
      comments,
    };
  }

  async labelled(label: string): Promise<number[]> {
    const path = `${this.#repo}/issues?state=open&labels=${encodeURIComponent(label)}`;
    const rows = await this.#http.list(IssueRow, path);
    return rows.filter((row) => row.pull_request == null).map(({ number }) => number);
  }

  async changed(since: string): Promise<number[]> {
    const path = `${this.#repo}/issues?state=open&sort=updated&since=${encodeURIComponent(since)}`;
    const rows = await this.#http.page(IssueRow, path);
    return rows.filter((row) => row.pull_request == null).map(({ number }) => number);
  }

  async say(number: number, _kind: 'issue' | 'request', mark: string, text: string): Promise<void> {
    const me = await this.me();
    const rows = await this.#commentsOf(number);
    const mine = rows.find(({ body, user }) => user.login === me && body.includes(mark));
    const body = `${text}\n\n${mark}`;
    if (mine?.body === body) return;
    if (mine) await this.#http.ask(Comment, 'PATCH', `${this.#repo}/issues/comments/${mine.id}`, { body });
    else await this.#http.ask(Comment, 'POST', `${this.#repo}/issues/${number}/comments`, { body });
  }

  async open({ branch, base, title, body }: RequestWish): Promise<Request> {
    const found = await this.#openFor(branch);
    if (found) return found;
    return asRequest(await this.#http.ask(Pull, 'POST', `${this.#repo}/pulls`, { head: branch, base, title, body }));
  }

  async update(number: number, change: { readonly title?: string; readonly body?: string }): Promise<void> {
    await this.#http.ask(Pull, 'PATCH', `${this.#repo}/pulls/${number}`, change);
  }

  async request(number: number): Promise<Request> {
    return asRequest(await this.#http.ask(Pull, 'GET', `${this.#repo}/pulls/${number}`));
  }

  async merge(number: number, { head, form }: MergeWish): Promise<void> {
    const path = `${this.#repo}/pulls/${number}/merge`;
    if (this.#isGitea) await this.#http.ask(z.unknown(), 'POST', path, { Do: form, head_commit_id: head });
    else await this.#http.ask(z.unknown(), 'PUT', path, { sha: head, merge_method: form });
  }

  async said(number: number): Promise<Said[]> {
    const comments = await this.#comments(number);
    const reviews = await this.#http.list(Review, `${this.#repo}/pulls/${number}/reviews`);
    const remarks = this.#isGitea
      ? (
          await Promise.all(
            reviews.map(({ id }) => this.#whole(`${this.#repo}/pulls/${number}/reviews/${id}/comments`)),
          )
        ).flat()
      : await this.#http.list(Comment, `${this.#repo}/pulls/${number}/comments`);
    return [
      ...comments,
      ...(await Promise.all(reviews.map((row) => this.#review(row)))),
      ...(await Promise.all(
        remarks.map(async (row) => ({
          ...(await this.#comment(row, 'remark')),
          threadId: String(row.in_reply_to_id ?? row.id),
        })),
      )),
    ];
  }

  async reply(number: number, threadId: string, mark: string, text: string): Promise<void> {
    // Gitea has no answers to a remark; it is said at the request instead.
    if (this.#isGitea) return this.say(number, 'request', mark, text);
    const me = await this.me();
    const rows = await this.#http.list(Comment, `${this.#repo}/pulls/${number}/comments`);
    if (rows.some(({ body, user }) => user.login === me && body.includes(mark))) return;
    const body = `${text}\n\n${mark}`;
    await this.#http.ask(Comment, 'POST', `${this.#repo}/pulls/${number}/comments/${threadId}/replies`, { body });
  }

  async checks(commit: string): Promise<Check[]> {
    const at = `${this.#repo}/commits/${commit}`;
    const statuses = (await this.#http.listWithin(Statuses, `${at}/status`)).map(checkOfStatus);
    // Gitea has no runs.
    if (this.#isGitea) return statuses;
    const runs = await this.#http.listWithin(CheckRuns, `${at}/check-runs`).catch((error: unknown) => {
      if (!isReason(error, 'reject.forge_denied')) throw error;
      throw refusal(
        'reject.forge_denied',
        `the forge does not show this token the runs of checks at ${commit}: fine-grained tokens of GitHub cannot read them where a repository is private; give a classic token with the scope repo, or one of an app that may read checks`,
        error.data,
      );
    });
    return [...statuses, ...runs.map(checkOfRun)];
  }

  async #openFor(branch: string): Promise<Request | undefined> {
    const head = this.#isGitea ? '' : `&head=${encodeURIComponent(`${this.#owner}:${branch}`)}`;
    const rows = await this.#http.list(Pull, `${this.#repo}/pulls?state=open${head}`);
    const found = rows.find((row) => row.head.ref === branch);
    return found && asRequest(found);
  }

  async #comments(number: number): Promise<Said[]> {
    const rows = await this.#commentsOf(number);
    return Promise.all(rows.map((row) => this.#comment(row, 'comment')));
  }

  #commentsOf(number: number): Promise<z.infer<typeof Comment>[]> {
    const path = `${this.#repo}/issues/${number}/comments`;
    return this.#isGitea ? this.#whole(path) : this.#http.list(Comment, path);
  }

  /** Comments that Gitea gives without pages. */
  #whole(path: string): Promise<z.infer<typeof Comment>[]> {
    return this.#http.ask(z.array(Comment), 'GET', path);
  }

  async #comment(row: z.infer<typeof Comment>, kind: 'comment' | 'remark'): Promise<Said> {
    return {
      id: `${kind}-${row.id}`,
      author: row.user.login,
      mayWrite: await this.#mayWrite(row.user.login, row.author_association),
      isBot: row.user.type === 'Bot',
      text: row.body,
      at: row.created_at,
      ...(row.path === undefined ? {} : { path: row.path }),
      ...(row.line == null ? {} : { line: row.line }),
    };
  }

  async #review(row: z.infer<typeof Review>): Promise<Said> {
    const verdict = {
      APPROVED: 'approved',
      CHANGES_REQUESTED: 'changes_requested',
      REQUEST_CHANGES: 'changes_requested',
    } as const;
    const known = Object.entries(verdict).find(([state]) => state === row.state)?.[1];
    return {
      id: `review-${row.id}`,
      author: row.user.login,
      mayWrite: await this.#mayWrite(row.user.login, row.author_association),
      isBot: row.user.type === 'Bot',
      text: row.body,
      at: row.submitted_at ?? '',
      ...(known === undefined ? {} : { verdict: known }),
    };
  }

  /** GitHub says what an author is to the repository; Gitea is asked. */
  #mayWrite(login: string, association: string | undefined): Promise<boolean> {
    if (!this.#isGitea && association !== undefined && !WRITERS.includes(association)) return Promise.resolve(false);
    const known =
      this.#writers.get(login) ??
      this.#http
        .ask(Permission, 'GET', `${this.#repo}/collaborators/${encodeURIComponent(login)}/permission`)
        .then(({ permission }) => ['admin', 'write', 'owner', 'maintain'].includes(permission));
    this.#writers.set(login, known);
    known.catch(() => this.#writers.delete(login));
    return known;
  }
}

function checkOfStatus(row: z.infer<typeof StatusRow>): Check {
  const { id, context: name, description, target_url: url } = row;
  const word = row.state ?? row.status ?? 'pending';
  return {
    id: `status-${id}`,
    name,
    // A warning, which Gitea knows, is no failure.
    state: word === 'success' || word === 'warning' ? 'passed' : word === 'pending' ? 'pending' : 'failed',
    url: url ?? undefined,
    said: description ?? '',
  };
}

function checkOfRun({ id, name, status, conclusion, html_url: url, output }: z.infer<typeof CheckRun>): Check {
  return {
    id: `run-${id}`,
    name,
    state: status !== 'completed' ? 'pending' : PASSED.includes(conclusion ?? '') ? 'passed' : 'failed',
    url: url ?? undefined,
    said: [output?.title, output?.summary, output?.text].filter(Boolean).join('\n').slice(-MOST_SAID),
  };
}

function asRequest(row: z.infer<typeof Pull>): Request {
  const isMerged = row.merged ?? row.merged_at != null;
  return {
    number: row.number,
    url: row.html_url,
    title: row.title,
    body: row.body,
    state: isMerged ? 'merged' : row.state === 'open' ? 'open' : 'closed',
    base: row.base.ref,
    head: row.head.sha,
    mergedAs: isMerged ? (row.merge_commit_sha ?? undefined) : undefined,
    mergedBy: row.merged_by?.login,
  };
}
