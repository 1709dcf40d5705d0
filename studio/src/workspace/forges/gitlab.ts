/** Forge port over the API of GitLab. */
import { z } from 'zod';
import { isReason } from '../../reasons.js';
import type { Check, Forge, Issue, MergeWish, Request, RequestWish, Said } from './forge.js';
import type { ForgeHttp } from './forge-http.js';

const User = z.object({ id: z.number(), username: z.string(), bot: z.boolean().optional() });
const Body = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const IssueRow = z.object({
  iid: z.number(),
  title: z.string(),
  description: Body,
  state: z.string(),
  web_url: z.string(),
  author: User,
  labels: z.array(z.string()),
});
const Note = z.object({
  id: z.number(),
  body: Body,
  author: User,
  created_at: z.string(),
  system: z.boolean(),
  position: z.object({ new_path: z.string().nullish(), new_line: z.number().nullish() }).nullish(),
});
const Discussion = z.object({ id: z.string(), individual_note: z.boolean(), notes: z.array(Note) });
const MergeRequest = z.object({
  iid: z.number(),
  title: z.string(),
  description: Body,
  state: z.string(),
  web_url: z.string(),
  sha: z.string(),
  source_branch: z.string(),
  target_branch: z.string(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  merge_user: User.nullish(),
});
const CommitStatus = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  target_url: z.string().nullish(),
  description: z.string().nullish(),
  allow_failure: z.boolean().optional(),
});
const Member = z.object({ access_level: z.number() });

const DEVELOPER = 30;
const MOST_LOG = 8_000;
/** What a job that may fail can stay at: one that people start by hand waits for nobody. */
const NOT_NEEDED = ['failed', 'canceled', 'manual'];

export class GitLabForge implements Forge {
  readonly #http: ForgeHttp;
  readonly #project: string;
  #me: Promise<string> | undefined;
  readonly #writers = new Map<number, Promise<boolean>>();

  constructor(http: ForgeHttp, project: string) {
    this.#http = http;
    this.#project = `/projects/${encodeURIComponent(project)}`;
  }

  me(): Promise<string> {
    this.#me ??= this.#http.ask(User, 'GET', '/user').then(({ username }) => username);
    this.#me.catch(() => (this.#me = undefined));
    return this.#me;
  }

  async issue(number: number): Promise<Issue> {
    const row = await this.#http.ask(IssueRow, 'GET', `${this.#project}/issues/${number}`);
    const notes = await this.#notes(number, 'issue');
    return {
      number,
      title: row.title,
      body: row.description,
      author: row.author.username,
      authorMayWrite: await this.#mayWrite(row.author.id),
      url: row.web_url,
      isOpen: row.state === 'opened',
      labels: row.labels,
      comments: await Promise.all(notes.map((note) => this.#said(note))),
    };
  }

  async labelled(label: string): Promise<number[]> {
    const path = `${this.#project}/issues?state=opened&labels=${encodeURIComponent(label)}`;
    return (await this.#http.list(IssueRow, path)).map(({ iid }) => iid);
  }

  async changed(since: string): Promise<number[]> {
    const path = `${this.#project}/issues?state=opened&order_by=updated_at&updated_after=${encodeURIComponent(since)}`;
    return (await this.#http.page(IssueRow, path)).map(({ iid }) => iid);
  }

  async say(number: number, kind: 'issue' | 'request', mark: string, text: string): Promise<void> {
    const me = await this.me();
    const mine = (await this.#notes(number, kind)).find(
      ({ body, author }) => author.username === me && body.includes(mark),
    );
    const body = `${text}\n\n${mark}`;
    if (mine?.body === body) return;
    const place = `${this.#project}/${kind === 'issue' ? 'issues' : 'merge_requests'}/${number}/notes`;
    if (mine) await this.#http.ask(Note, 'PUT', `${place}/${mine.id}`, { body });
    else await this.#http.ask(Note, 'POST', place, { body });
  }

  async open({ branch, base, title, body }: RequestWish): Promise<Request> {
    const path = `${this.#project}/merge_requests?state=opened&source_branch=${encodeURIComponent(branch)}`;
    const [found] = await this.#http.list(MergeRequest, path);
    if (found) return asRequest(found);
    const given = { source_branch: branch, target_branch: base, title, description: body };
    return asRequest(await this.#http.ask(MergeRequest, 'POST', `${this.#project}/merge_requests`, given));
  }

  async update(number: number, { title, body }: { readonly title?: string; readonly body?: string }): Promise<void> {
    const change = { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { description: body }) };
    await this.#http.ask(MergeRequest, 'PUT', `${this.#project}/merge_requests/${number}`, change);
  }

  async request(number: number): Promise<Request> {
    return asRequest(await this.#http.ask(MergeRequest, 'GET', `${this.#project}/merge_requests/${number}`));
  }

  async merge(number: number, { head, form }: MergeWish): Promise<void> {
    const wish = { sha: head, squash: form === 'squash' };
    await this.#http.ask(MergeRequest, 'PUT', `${this.#project}/merge_requests/${number}/merge`, wish);
  }

  async said(number: number): Promise<Said[]> {
    const discussions = await this.#http.list(Discussion, `${this.#project}/merge_requests/${number}/discussions`);
    const all = discussions.flatMap(({ id, individual_note: isAlone, notes }) =>
      notes.filter(({ system }) => !system).map((note) => ({ note, threadId: isAlone ? undefined : id })),
    );
    return Promise.all(
      all.map(async ({ note, threadId }) => ({
        ...(await this.#said(note)),
        ...(threadId === undefined ? {} : { threadId }),
      })),
    );
  }

  async reply(number: number, threadId: string, mark: string, text: string): Promise<void> {
    const me = await this.me();
    const place = `${this.#project}/merge_requests/${number}/discussions/${threadId}`;
    const { notes } = await this.#http.ask(Discussion, 'GET', place);
    if (notes.some(({ body, author }) => author.username === me && body.includes(mark))) return;
    await this.#http.ask(Note, 'POST', `${place}/notes`, { body: `${text}\n\n${mark}` });
  }

  async checks(commit: string): Promise<Check[]> {
    const rows = await this.#http.list(CommitStatus, `${this.#project}/repository/commits/${commit}/statuses`);
    return Promise.all(
      rows.map(async ({ id, name, status, target_url: url, description, allow_failure: mayFail = false }) => {
        const state =
          status === 'success' || status === 'skipped' || (mayFail && NOT_NEEDED.includes(status))
            ? ('passed' as const)
            : status === 'failed' || status === 'canceled'
              ? ('failed' as const)
              : ('pending' as const);
        const log = state === 'failed' ? await this.#http.end(`${this.#project}/jobs/${id}/trace`, MOST_LOG) : '';
        return { id: `job-${id}`, name, state, url: url ?? undefined, said: log === '' ? (description ?? '') : log };
      }),
    );
  }

  async #notes(number: number, kind: 'issue' | 'request'): Promise<z.infer<typeof Note>[]> {
    const place = kind === 'issue' ? 'issues' : 'merge_requests';
    const notes = await this.#http.list(Note, `${this.#project}/${place}/${number}/notes?sort=asc`);
    return notes.filter(({ system }) => !system);
  }

  async #said(note: z.infer<typeof Note>): Promise<Said> {
    const { new_path: path, new_line: line } = note.position ?? {};
    return {
      id: `note-${note.id}`,
      author: note.author.username,
      mayWrite: await this.#mayWrite(note.author.id),
      isBot: note.author.bot ?? false,
      text: note.body,
      at: note.created_at,
      ...(path == null ? {} : { path }),
      ...(line == null ? {} : { line }),
    };
  }

  #mayWrite(userId: number): Promise<boolean> {
    const known =
      this.#writers.get(userId) ??
      this.#http
        .ask(Member, 'GET', `${this.#project}/members/all/${userId}`)
        .then(({ access_level: level }) => level >= DEVELOPER)
        .catch((error: unknown) => {
          // Whoever is no member may not write.
          if (isReason(error, 'reject.forge_absent')) return false;
          throw error;
        });
    this.#writers.set(userId, known);
    known.catch(() => this.#writers.delete(userId));
    return known;
  }
}

function asRequest(row: z.infer<typeof MergeRequest>): Request {
  return {
    number: row.iid,
    url: row.web_url,
    title: row.title,
    body: row.description,
    state: row.state === 'merged' ? 'merged' : row.state === 'opened' ? 'open' : 'closed',
    base: row.target_branch,
    head: row.sha,
    mergedAs: row.merge_commit_sha ?? row.squash_commit_sha ?? (row.state === 'merged' ? row.sha : undefined),
    mergedBy: row.merge_user?.username,
  };
}
