/** What GitHub and Gitea answer, of a forge's state. */
import type { Comment, ForgeModel, IssueState, MergeForm, RequestState, Review, User } from './model.js';

export interface Answer {
  readonly status?: number;
  readonly json: unknown;
}

export interface Asked {
  readonly method: string;
  readonly template: string;
  readonly values: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly me: User;
}

const NOT_FOUND: Answer = { status: 404, json: { message: 'Not Found' } };
const invalid = (message: string): Answer => ({
  status: 422,
  json: { message: 'Validation Failed', errors: [{ message }] },
});

export async function githubAnswer(model: ForgeModel, origin: string, asked: Asked): Promise<Answer> {
  const { method, template, values, query, body, me } = asked;
  const [owner = '', name = '', first = '', second = ''] = values;
  const number = Number(first);
  const shown = (issue: IssueState) => issueOf(issue, `${origin}/${owner}/${name}`);
  const pull = (request: RequestState) => pullOf(model, request, `${origin}/${owner}/${name}`);
  const issue = [...model.issues, ...model.requests].find((one) => one.number === number);
  const request = model.requests.find((one) => one.number === number);
  switch (`${method} ${template.replace('/repos/{owner}/{repo}', '')}`) {
    case 'GET /user':
      return { json: userOf(me) };
    case 'POST /api/graphql':
      return { json: { data: { viewer: { login: me.login } } } };
    case 'GET /issues': {
      const label = query.get('labels');
      const all = [...model.issues, ...model.requests].filter(({ isOpen }) => isOpen || query.get('state') === 'all');
      const since = query.get('since') ?? '';
      const wanted = all.filter((one) => one.changedAt >= since && (label === null || one.labels.includes(label)));
      return { json: wanted.map(shown) };
    }
    case 'GET /issues/{number}':
      return issue ? { json: shown(issue) } : NOT_FOUND;
    case 'GET /issues/{number}/comments':
      return issue ? { json: issue.comments.map(commentOf) } : NOT_FOUND;
    case 'POST /issues/{number}/comments':
      return issue ? { json: commentOf(model.comment(issue, me, String(body['body']))) } : NOT_FOUND;
    case 'PATCH /issues/comments/{id}': {
      const all = [...model.issues, ...model.requests].flatMap(({ comments }) => comments);
      const found = all.find(({ id }) => id === number);
      if (!found || found.author !== me) return NOT_FOUND;
      found.body = String(body['body']);
      return { json: commentOf(found) };
    }
    case 'GET /pulls': {
      const head = query.get('head');
      const all = model.requests.filter(({ isOpen }) => isOpen || query.get('state') === 'all');
      const wanted = all.filter(({ branch }) => head === null || head === `${owner}:${branch}`);
      return { json: await Promise.all(wanted.map(pull)) };
    }
    case 'POST /pulls': {
      const { head, base, title = '', body: text = '' } = body;
      const made = await model.openRequest(me, {
        branch: String(head),
        base: String(base),
        title: String(title),
        body: String(text),
      });
      return typeof made === 'string' ? invalid(made) : { json: await pull(made) };
    }
    case 'GET /pulls/{number}':
      return request ? { json: await pull(request) } : NOT_FOUND;
    case 'PUT /pulls/{number}/merge':
      return request ? merging(model, request, asked, String(body['merge_method']), body['sha']) : NOT_FOUND;
    case 'POST /pulls/{number}/merge':
      return request ? merging(model, request, asked, String(body['Do']), body['head_commit_id']) : NOT_FOUND;
    case 'PATCH /pulls/{number}': {
      if (!request) return NOT_FOUND;
      if (typeof body['title'] === 'string') request.title = body['title'];
      if (typeof body['body'] === 'string') request.body = body['body'];
      return { json: await pull(request) };
    }
    case 'GET /pulls/{number}/reviews':
      return request ? { json: request.reviews.map(reviewOf) } : NOT_FOUND;
    case 'GET /pulls/{number}/reviews/{id}/comments': {
      const mine = request?.remarks.filter(({ reviewId }) => reviewId === Number(second));
      return mine ? { json: mine.map(remarkOf) } : NOT_FOUND;
    }
    case 'GET /pulls/{number}/comments':
      return request ? { json: request.remarks.map(remarkOf) } : NOT_FOUND;
    case 'POST /pulls/{number}/comments/{id}/replies': {
      const thread = request?.remarks.find(({ id, replyTo }) => id === Number(second) && replyTo === undefined);
      if (!request || !thread) return NOT_FOUND;
      const given = { body: String(body['body']), path: thread.path ?? '', replyTo: thread.id };
      return { json: remarkOf(model.remark(request, me, given)) };
    }
    case 'GET /commits/{ref}/check-runs': {
      const runs = model.checks
        .filter(({ commit }) => commit === first)
        .map((one) => ({
          id: one.id,
          name: one.name,
          status: one.state === 'pending' ? 'in_progress' : 'completed',
          conclusion: one.state === 'pending' ? null : one.state === 'passed' ? 'success' : 'failure',
          html_url: `${origin}/checks/${one.id}`,
          output: { title: null, summary: one.said, text: null },
        }));
      return { json: { total_count: runs.length, check_runs: runs } };
    }
    case 'GET /commits/{ref}/status': {
      // Gitea shows its checks here; those of GitHub are runs.
      const statuses = model.checks
        .filter(({ commit }) => commit === first)
        .map(({ id, name: context, state, said: description }) => ({
          id,
          context,
          status: state === 'passed' ? 'success' : state === 'failed' ? 'failure' : 'pending',
          description,
          target_url: null,
        }));
      const shown = origin.includes('gitea') ? statuses : [];
      return { json: { state: 'pending', total_count: shown.length, statuses: shown } };
    }
    case 'GET /collaborators/{username}/permission': {
      const user = model.users.find(({ login }) => login === first);
      return user ? { json: { permission: user.mayWrite ? 'write' : 'read' } } : NOT_FOUND;
    }
    default:
      return NOT_FOUND;
  }
}

/** Merges by the interface: of the commit that the caller has seen alone. */
async function merging(
  model: ForgeModel,
  request: RequestState,
  { me }: Asked,
  form: string,
  seen: unknown,
): Promise<Answer> {
  const not = model.refusesMerges ?? (request.isOpen ? undefined : 'Pull Request is not mergeable');
  if (not !== undefined) return { status: 405, json: { message: not } };
  if (seen !== (await model.headOf(request))) return { status: 409, json: { message: 'Head branch was modified' } };
  const sha = await model.merge(request, me, form as MergeForm);
  return { json: { sha, merged: true, message: 'Pull Request successfully merged' } };
}

function userOf({ id, login, isBot }: User) {
  return { id, login, type: isBot ? 'Bot' : 'User' };
}

function association({ mayWrite }: User): string {
  return mayWrite ? 'MEMBER' : 'NONE';
}

function issueOf({ number, title, body, isOpen, author, labels, ...rest }: IssueState, page: string) {
  const isRequest = 'branch' in rest;
  return {
    number,
    title,
    body,
    state: isOpen ? 'open' : 'closed',
    html_url: `${page}/issues/${number}`,
    user: userOf(author),
    author_association: association(author),
    labels: labels.map((name) => ({ name })),
    ...(isRequest ? { pull_request: { url: `${page}/pulls/${number}` } } : {}),
  };
}

function commentOf({ id, body, author, at }: Comment) {
  return { id, body, user: userOf(author), created_at: at, author_association: association(author) };
}

function remarkOf(remark: Comment) {
  const { path = '', line = null, replyTo } = remark;
  return { ...commentOf(remark), path, line, ...(replyTo === undefined ? {} : { in_reply_to_id: replyTo }) };
}

function reviewOf({ id, body, author, state, at }: Review) {
  return { id, body, user: userOf(author), state, submitted_at: at, author_association: association(author) };
}

async function pullOf(model: ForgeModel, request: RequestState, page: string) {
  const { number, title, body, isOpen, branch, base, mergedAs, mergedBy } = request;
  return {
    number,
    title,
    body,
    state: isOpen ? 'open' : 'closed',
    html_url: `${page}/pull/${number}`,
    head: { ref: branch, sha: await model.headOf(request) },
    base: { ref: base },
    // While a request is open, GitHub names the commit of a trial merge here.
    merge_commit_sha: mergedAs ?? (isOpen ? 'f'.repeat(40) : null),
    merged: mergedAs !== undefined,
    merged_at: mergedAs === undefined ? null : '2026-01-01T00:00:00Z',
    merged_by: mergedBy ? userOf(mergedBy) : null,
  };
}
