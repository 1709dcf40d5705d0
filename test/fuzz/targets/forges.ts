/** What forges answer: one line of JSON for each request, with its status and what it says of limits and of further pages. */
import { Rejection } from '../../../core/src/rejection.js';
import type { Clock } from '../../../studio/src/clock.js';
import { isStudioReason } from '../../../studio/src/reasons.js';
import type { Forge } from '../../../studio/src/workspace/forges/forge.js';
import { makeForge } from '../../../studio/src/workspace/forges/make-forge.js';
import { type Target, bytesOf, textOf } from '../target.js';

/** A clock whose timers are over at once, so that waits for a limit cost nothing. */
class Hurried {
  #now = 1_800_000_000_000;
  now = (): number => this.#now;

  after(ms: number, run: () => void): () => void {
    let isOff = false;
    setImmediate(() => {
      this.#now += ms;
      if (!isOff) run();
    });
    return () => (isOff = true);
  }
}

interface Line {
  readonly status?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
}

function lineOf(text: string): Line {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? read : { body: read };
  } catch {
    return { body: text };
  }
}

/** Answer to the next request, such as a server may send it. */
function responseOf({ status, headers, body }: Line): Response {
  const isStatus = Number.isInteger(status) && (status as number) >= 200 && (status as number) < 600;
  const code = isStatus && ![204, 205, 304].includes(status as number) ? (status as number) : 200;
  const said = new Headers();
  for (const [name, value] of Object.entries(Object(headers) as object))
    if (/^[a-z-]+$/.test(name) && /^[\x20-\x7e]*$/.test(String(value))) said.set(name, String(value));
  return new Response(typeof body === 'string' ? body : JSON.stringify(body ?? null), { status: code, headers: said });
}

async function answering(bytes: Uint8Array, ask: () => Promise<unknown>): Promise<void> {
  const real = globalThis.fetch;
  const lines = textOf(bytes).split('\n');
  globalThis.fetch = () => Promise.resolve(responseOf(lineOf(lines.shift() ?? '{"status":404,"body":"none"}')));
  try {
    await ask();
  } finally {
    globalThis.fetch = real;
  }
}

function forgeOf(kind: 'github' | 'gitlab' | 'gitea'): Forge {
  const clock = new Hurried() as unknown as Clock;
  const address = { kind, api: 'http://127.0.0.1:9/api', project: 'team/plans' } as Parameters<typeof makeForge>[0];
  return makeForge(address, { token: () => Promise.resolve('t'), clock });
}

/** All that is asked of a forge, one question after the other; each may be refused. */
async function askAll(forge: Forge): Promise<void> {
  const head = 'a1'.repeat(20);
  const questions = [
    () => forge.issue(4),
    () => forge.labelled('weft'),
    () => forge.request(7),
    () => forge.said(7),
    () => forge.checks(head),
    () => forge.say(4, 'issue', '<!-- mark -->', 'Done.'),
    () => forge.open({ branch: 'b', base: 'main', title: 'T', body: 'B' }),
    () => forge.merge(7, { head, form: 'squash' } as Parameters<Forge['merge']>[1]),
  ];
  for (const question of questions)
    await question().catch((error: unknown) => {
      if (!(error instanceof Rejection && isStudioReason(error.reason))) throw error;
    });
}

const user = { login: 'ann', username: 'ann', type: 'User', id: 1 };
const issue = {
  number: 4,
  iid: 4,
  id: 4,
  title: 'T',
  body: 'B',
  description: 'B',
  state: 'open',
  html_url: 'u',
  web_url: 'u',
  user,
  author: user,
  labels: [{ name: 'weft' }],
  author_association: 'OWNER',
  created_at: '2026-01-01T00:00:00Z',
};
const pull = { ...issue, number: 7, head: { ref: 'b', sha: 'a1'.repeat(20) }, merged: false, sha: 'a1'.repeat(20) };
const line = (body: unknown, headers: object = {}, status = 200): string => JSON.stringify({ status, headers, body });
const SEEDS: readonly (readonly string[])[] = [
  [line(issue), line([{ ...issue, user, created_at: 'x' }]), line([issue]), line(pull), line([]), line([]), line([])],
  [
    line({ message: 'slow down' }, { 'retry-after': '2' }, 429),
    line(issue),
    line([], { link: '<http://x>; rel="next"' }),
  ],
  [
    line('no', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000009' }, 403),
    line({ message: 'no' }, {}, 401),
  ],
  [
    line(issue),
    line([]),
    line([]),
    line(pull),
    line([]),
    line({
      total_count: 1,
      check_runs: [{ id: 1, name: 'n', status: 'completed', conclusion: 'failure', html_url: null }],
    }),
  ],
  [line({ message: 'down' }, {}, 502), line({ message: 'down' }, {}, 503), line(issue)],
];

export const forgeTargets: readonly Target[] = (['github', 'gitea', 'gitlab'] as const).map((kind) => ({
  name: `${kind}-answers`,
  form: 'json-lines',
  words: ['"status":429', '"retry-after":"-1"', '"retry-after":"1e9"', '"link":"<a>; rel=next"', '"total_count":1e308'],
  seeds: () => SEEDS.map((lines) => bytesOf(lines.join('\n'))),
  decode: (bytes) => answering(bytes, () => askAll(forgeOf(kind))),
  isRefusal: () => false,
  perByte: 1 << 14,
}));
