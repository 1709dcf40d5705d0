/** Cut-down descriptions of the APIs of GitHub, Gitea and GitLab. */
import type { Described, Kind } from './described.js';

const USER = { login: 'string', id: 'integer', type: 'string' } as const;
const ISSUE = {
  number: 'integer',
  title: 'string',
  body: 'text or null',
  state: 'string',
  html_url: 'string',
  user: 'object',
  labels: 'objects',
} as const;
const COMMENT = { id: 'integer', body: 'string', user: 'object', created_at: 'string' } as const;
const REMARK = { ...COMMENT, path: 'string', line: 'integer or null' } as const;
const REVIEW = { id: 'integer', body: 'text or null', user: 'object', state: 'string' } as const;
const PULL = {
  number: 'integer',
  title: 'string',
  body: 'text or null',
  state: 'string',
  html_url: 'string',
  head: 'object',
  base: 'object',
  merge_commit_sha: 'text or null',
} as const;
const PAGES = ['per_page', 'page'] as const;
const GITEA_PAGES = ['limit', 'page'] as const;
const repo = '/repos/{owner}/{repo}';

/** What both know; comments have pages at GitHub alone. */
const shared = (pages: readonly string[], ofComments: readonly string[]): readonly Described[] => [
  { method: 'GET', path: '/user', status: 200, answer: USER },
  {
    method: 'GET',
    path: `${repo}/issues`,
    query: ['state', 'labels', 'since', 'sort', ...pages],
    status: 200,
    answer: ISSUE,
    isList: true,
  },
  { method: 'GET', path: `${repo}/issues/{number}`, status: 200, answer: ISSUE },
  {
    method: 'GET',
    path: `${repo}/issues/{number}/comments`,
    query: ['since', ...ofComments],
    status: 200,
    answer: COMMENT,
    isList: true,
  },
  {
    method: 'POST',
    path: `${repo}/issues/{number}/comments`,
    required: { body: 'string' },
    status: 201,
    answer: COMMENT,
  },
  { method: 'PATCH', path: `${repo}/issues/comments/{id}`, required: { body: 'string' }, status: 200, answer: COMMENT },
  {
    method: 'POST',
    path: `${repo}/pulls`,
    required: { head: 'string', base: 'string' },
    optional: { title: 'string', body: 'string', draft: 'boolean' },
    status: 201,
    answer: PULL,
  },
  { method: 'GET', path: `${repo}/pulls/{number}`, status: 200, answer: { ...PULL, merged: 'boolean' } },
  {
    method: 'PATCH',
    path: `${repo}/pulls/{number}`,
    optional: { title: 'string', body: 'string', state: 'string', base: 'string' },
    status: 200,
    answer: PULL,
  },
  { method: 'GET', path: `${repo}/pulls/{number}/reviews`, query: pages, status: 200, answer: REVIEW, isList: true },
  {
    method: 'GET',
    path: `${repo}/commits/{ref}/status`,
    query: pages,
    status: 200,
    answer: { state: 'string', total_count: 'integer' },
    within: 'statuses',
  },
  { method: 'GET', path: `${repo}/collaborators/{username}/permission`, status: 200, answer: { permission: 'string' } },
];

export const GITHUB: readonly Described[] = [
  ...shared(PAGES, PAGES),
  { method: 'POST', path: '/api/graphql', required: { query: 'string' }, status: 200, answer: { data: 'object' } },
  {
    method: 'GET',
    path: `${repo}/pulls`,
    query: ['state', 'head', 'base', 'sort', 'direction', ...PAGES],
    status: 200,
    answer: PULL,
    isList: true,
  },
  {
    method: 'GET',
    path: `${repo}/pulls/{number}/comments`,
    query: ['sort', 'since', ...PAGES],
    status: 200,
    answer: REMARK,
    isList: true,
  },
  {
    method: 'POST',
    path: `${repo}/pulls/{number}/comments/{id}/replies`,
    required: { body: 'string' },
    status: 201,
    answer: REMARK,
  },
  {
    method: 'PUT',
    path: `${repo}/pulls/{number}/merge`,
    optional: { sha: 'string', merge_method: 'string', commit_title: 'string', commit_message: 'string' },
    status: 200,
    answer: { sha: 'string', merged: 'boolean', message: 'string' },
  },
  {
    method: 'GET',
    path: `${repo}/commits/{ref}/check-runs`,
    query: ['check_name', 'status', 'filter', ...PAGES],
    status: 200,
    answer: { total_count: 'integer', check_runs: 'objects' },
    within: 'check_runs',
  },
];

/** Gitea knows no `head` of a list of requests, no answers to remarks, and no runs of checks. */
export const GITEA: readonly Described[] = [
  ...shared(GITEA_PAGES, []),
  {
    method: 'GET',
    path: `${repo}/pulls`,
    query: ['state', 'sort', 'milestone', 'labels', ...GITEA_PAGES],
    status: 200,
    answer: PULL,
    isList: true,
  },
  {
    method: 'POST',
    path: `${repo}/pulls/{number}/merge`,
    required: { Do: 'string' },
    optional: { head_commit_id: 'string', MergeTitleField: 'string', delete_branch_after_merge: 'boolean' },
    status: 200,
  },
  {
    method: 'GET',
    path: `${repo}/pulls/{number}/reviews/{id}/comments`,
    status: 200,
    answer: { ...COMMENT, path: 'string' },
    isList: true,
  },
];

const LAB_USER = { id: 'integer', username: 'string' } as const;
const LAB_ISSUE = {
  iid: 'integer',
  title: 'string',
  description: 'text or null',
  state: 'string',
  web_url: 'string',
  author: 'object',
  labels: 'strings',
} as const;
const NOTE = { id: 'integer', body: 'string', author: 'object', created_at: 'string', system: 'boolean' } as const;
const MERGE_REQUEST: Readonly<Record<string, Kind>> = {
  ...{
    iid: 'integer',
    title: 'string',
    description: 'text or null',
    state: 'string',
    web_url: 'string',
    sha: 'string',
  },
  source_branch: 'string',
  target_branch: 'string',
  merge_commit_sha: 'text or null',
};
const DISCUSSION = { id: 'string', individual_note: 'boolean', notes: 'objects' } as const;
const project = '/projects/{id}';

export const GITLAB: readonly Described[] = [
  { method: 'GET', path: '/user', status: 200, answer: LAB_USER },
  {
    method: 'GET',
    path: `${project}/issues`,
    query: ['state', 'labels', 'order_by', 'updated_after', ...PAGES],
    status: 200,
    answer: LAB_ISSUE,
    isList: true,
  },
  { method: 'GET', path: `${project}/issues/{iid}`, status: 200, answer: LAB_ISSUE },
  ...(['issues', 'merge_requests'] as const).flatMap((of): Described[] => [
    {
      method: 'GET',
      path: `${project}/${of}/{iid}/notes`,
      query: ['sort', 'order_by', ...PAGES],
      status: 200,
      answer: NOTE,
      isList: true,
    },
    { method: 'POST', path: `${project}/${of}/{iid}/notes`, required: { body: 'string' }, status: 201, answer: NOTE },
    {
      method: 'PUT',
      path: `${project}/${of}/{iid}/notes/{id}`,
      required: { body: 'string' },
      status: 200,
      answer: NOTE,
    },
  ]),
  {
    method: 'GET',
    path: `${project}/merge_requests`,
    query: ['state', 'source_branch', 'target_branch', 'order_by', ...PAGES],
    status: 200,
    answer: MERGE_REQUEST,
    isList: true,
  },
  {
    method: 'POST',
    path: `${project}/merge_requests`,
    required: { source_branch: 'string', target_branch: 'string', title: 'string' },
    optional: { description: 'string', remove_source_branch: 'boolean', squash: 'boolean', labels: 'string' },
    status: 201,
    answer: MERGE_REQUEST,
  },
  { method: 'GET', path: `${project}/merge_requests/{iid}`, status: 200, answer: MERGE_REQUEST },
  {
    method: 'PUT',
    path: `${project}/merge_requests/{iid}`,
    optional: { title: 'string', description: 'string', state_event: 'string', target_branch: 'string' },
    status: 200,
    answer: MERGE_REQUEST,
  },
  {
    method: 'PUT',
    path: `${project}/merge_requests/{iid}/merge`,
    optional: { sha: 'string', squash: 'boolean', should_remove_source_branch: 'boolean' },
    status: 200,
    answer: MERGE_REQUEST,
  },
  {
    method: 'GET',
    path: `${project}/merge_requests/{iid}/discussions`,
    query: PAGES,
    status: 200,
    answer: DISCUSSION,
    isList: true,
  },
  { method: 'GET', path: `${project}/merge_requests/{iid}/discussions/{id}`, status: 200, answer: DISCUSSION },
  {
    method: 'POST',
    path: `${project}/merge_requests/{iid}/discussions/{id}/notes`,
    required: { body: 'string' },
    status: 201,
    answer: NOTE,
  },
  {
    method: 'GET',
    path: `${project}/repository/commits/{sha}/statuses`,
    query: ['ref', 'stage', 'name', 'all', ...PAGES],
    status: 200,
    answer: { id: 'integer', name: 'string', status: 'string', sha: 'string' },
    isList: true,
  },
  { method: 'GET', path: `${project}/jobs/{id}/trace`, status: 200, isText: true },
  {
    method: 'GET',
    path: `${project}/members/all/{user}`,
    status: 200,
    answer: { ...LAB_USER, access_level: 'integer' },
  },
];
