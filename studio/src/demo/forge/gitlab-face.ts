/** What GitLab answers, of a forge's state. */
import type { Answer, Asked } from './github-face.js';
import type { Comment, ForgeModel, IssueState, RequestState, User } from './model.js';

const NOT_FOUND: Answer = { status: 404, json: { message: '404 Not Found' } };

export async function gitlabAnswer(model: ForgeModel, origin: string, asked: Asked): Promise<Answer> {
  const { method, template, values, query, body, me } = asked;
  const [project = '', first = '', second = ''] = values;
  const number = Number(first);
  const page = `${origin}/${project}/-`;
  const issue = model.issues.find((one) => one.number === number);
  const request = model.requests.find((one) => one.number === number);
  const shown = (one: IssueState) => issueOf(one, page);
  const merge = (one: RequestState) => mergeRequestOf(model, one, page);
  const notesOf = (on: IssueState | undefined): Answer => (on ? { json: on.comments.map(noteOf) } : NOT_FOUND);
  const saying = (on: IssueState | undefined): Answer =>
    on ? { json: noteOf(model.comment(on, me, String(body['body']))) } : NOT_FOUND;
  const editing = (on: IssueState | undefined): Answer => {
    const found = on?.comments.find(({ id }) => id === Number(second));
    if (!found || found.author !== me) return NOT_FOUND;
    found.body = String(body['body']);
    return { json: noteOf(found) };
  };
  switch (`${method} ${template.replace('/projects/{id}', '')}`) {
    case 'GET /user':
      return { json: userOf(me) };
    case 'GET /issues': {
      const label = query.get('labels');
      const all = model.issues.filter(({ isOpen }) => isOpen || query.get('state') !== 'opened');
      const since = query.get('updated_after') ?? '';
      const wanted = all.filter((one) => one.changedAt >= since && (label === null || one.labels.includes(label)));
      return { json: wanted.map(shown) };
    }
    case 'GET /issues/{iid}':
      return issue ? { json: shown(issue) } : NOT_FOUND;
    case 'GET /issues/{iid}/notes':
      return notesOf(issue);
    case 'POST /issues/{iid}/notes':
      return saying(issue);
    case 'PUT /issues/{iid}/notes/{id}':
      return editing(issue);
    case 'GET /merge_requests/{iid}/notes':
      return notesOf(request);
    case 'POST /merge_requests/{iid}/notes':
      return saying(request);
    case 'PUT /merge_requests/{iid}/notes/{id}':
      return editing(request);
    case 'GET /merge_requests': {
      const all = model.requests.filter(({ isOpen }) => isOpen || query.get('state') !== 'opened');
      const wanted = all.filter(({ branch }) => (query.get('source_branch') ?? branch) === branch);
      return { json: await Promise.all(wanted.map(merge)) };
    }
    case 'POST /merge_requests': {
      const { source_branch: branch, target_branch: base, title, description = '' } = body;
      const given = { branch: String(branch), base: String(base), title: String(title), body: String(description) };
      const made = await model.openRequest(me, given);
      return typeof made === 'string' ? { status: 409, json: { message: [made] } } : { json: await merge(made) };
    }
    case 'GET /merge_requests/{iid}':
      return request ? { json: await merge(request) } : NOT_FOUND;
    case 'PUT /merge_requests/{iid}': {
      if (!request) return NOT_FOUND;
      if (typeof body['title'] === 'string') request.title = body['title'];
      if (typeof body['description'] === 'string') request.body = body['description'];
      return { json: await merge(request) };
    }
    case 'PUT /merge_requests/{iid}/merge': {
      if (!request) return NOT_FOUND;
      const not = model.refusesMerges ?? (request.isOpen ? undefined : '405 Method Not Allowed');
      if (not !== undefined) return { status: 405, json: { message: not } };
      if (body['sha'] !== (await model.headOf(request)))
        return { status: 409, json: { message: 'SHA does not match HEAD of source branch' } };
      await model.merge(request, me, body['squash'] === true ? 'squash' : 'merge');
      return { json: await merge(request) };
    }
    case 'GET /merge_requests/{iid}/discussions':
      return request ? { json: discussionsOf(request) } : NOT_FOUND;
    case 'GET /merge_requests/{iid}/discussions/{id}': {
      const found = request && discussionsOf(request).find(({ id }) => id === second);
      return found ? { json: found } : NOT_FOUND;
    }
    case 'POST /merge_requests/{iid}/discussions/{id}/notes': {
      const thread = request?.remarks.find(({ id, replyTo }) => `thread-${id}` === second && replyTo === undefined);
      if (!request || !thread) return NOT_FOUND;
      return { json: noteOf(model.remark(request, me, { body: String(body['body']), replyTo: thread.id })) };
    }
    case 'GET /repository/commits/{sha}/statuses': {
      const states = { passed: 'success', failed: 'failed', pending: 'running' } as const;
      const all = model.checks.filter(({ commit }) => commit === first);
      return {
        json: all.map(({ id, name, state }) => ({
          id,
          name,
          sha: first,
          status: states[state],
          target_url: null,
          description: null,
        })),
      };
    }
    case 'GET /jobs/{id}/trace': {
      const job = model.checks.find(({ id }) => id === number);
      return job ? { json: job.said } : NOT_FOUND;
    }
    case 'GET /members/all/{user}': {
      const user = model.users.find(({ id }) => id === number);
      return user ? { json: { ...userOf(user), access_level: user.mayWrite ? 40 : 20 } } : NOT_FOUND;
    }
    default:
      return NOT_FOUND;
  }
}

function userOf({ id, login, isBot }: User) {
  return { id, username: login, bot: isBot };
}

function issueOf({ number, title, body, isOpen, author, labels }: IssueState, page: string) {
  const state = isOpen ? 'opened' : 'closed';
  return {
    iid: number,
    title,
    description: body,
    state,
    web_url: `${page}/issues/${number}`,
    author: userOf(author),
    labels,
  };
}

function noteOf({ id, body, author, at, path, line }: Comment) {
  const position = path === undefined ? null : { new_path: path, new_line: line ?? null };
  return { id, body, author: userOf(author), created_at: at, system: false, position };
}

function discussionsOf({ comments, remarks, reviews }: RequestState) {
  const threads = remarks.filter(({ replyTo }) => replyTo === undefined);
  return [
    ...[...comments, ...reviews.filter(({ body }) => body !== '')].map((one) => ({
      id: `alone-${one.id}`,
      individual_note: true,
      notes: [noteOf(one)],
    })),
    ...threads.map((first) => ({
      id: `thread-${first.id}`,
      individual_note: false,
      notes: [first, ...remarks.filter(({ replyTo }) => replyTo === first.id)].map(noteOf),
    })),
  ];
}

async function mergeRequestOf(model: ForgeModel, request: RequestState, page: string) {
  const { number, title, body, isOpen, branch, base, mergedAs, mergedBy, mergeForm } = request;
  return {
    iid: number,
    title,
    description: body,
    web_url: `${page}/merge_requests/${number}`,
    state: mergedAs !== undefined ? 'merged' : isOpen ? 'opened' : 'closed',
    // A rebase moves the branch of the request itself, and makes no commit of its own.
    sha: mergeForm === 'rebase' ? mergedAs : await model.headOf(request),
    source_branch: branch,
    target_branch: base,
    merge_commit_sha: mergeForm === 'merge' ? mergedAs : null,
    squash_commit_sha: mergeForm === 'squash' ? mergedAs : null,
    merge_user: mergedBy ? userOf(mergedBy) : null,
  };
}
