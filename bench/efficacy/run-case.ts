/** One case with one policy: a real studio with a real repository, tools, programs and landings, and a vendor that refuses what vendors refuse. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { newTokens, startStudio } from '@weft/studio';
import { anthropicWire } from '../../test/vendors/anthropic-wire.js';
import { type Served, openVendorServer } from '../../test/vendors/vendor.js';
import type { Case } from './case.js';
import { type Policy, play } from './policies.js';

const run = promisify(execFile);
const MODEL = 'claude-opus-5-5';
/** Window of the policy that forgets: its conversation is compacted again and again. */
const SMALL_CONTEXT = 30_000;
const MOST_MS = 120_000;

export interface Outcome {
  readonly name: string;
  readonly policy: Policy;
  /** State of the goal in the end. */
  readonly status: string;
  /** Whether the hidden tests pass on what has landed. */
  readonly isRight: boolean;
  /** Whether anything has landed. */
  readonly hasLanded: boolean;
  readonly turns: number;
  readonly tokens: number;
  readonly output: number;
  /** Share of input that came from the cache after the third turn of each conversation. */
  readonly cached: number;
  readonly usd: number;
  /** Requests that the vendor refused, and that were not what came before with more behind it. */
  readonly refused: readonly string[];
  readonly rewritten: number;
  readonly stuck: readonly string[];
  readonly compactions: number;
  /** Versions of what the model was told first: of each role's text, and of the tools. */
  readonly versions: string;
  readonly failures: readonly string[];
  readonly notes: readonly string[];
}

export interface RunOptions {
  /** Whether programs run without a sandbox. */
  readonly isUnconfined: boolean;
}

export async function runCase(one: Case, policy: Policy, { isUnconfined }: RunOptions): Promise<Outcome> {
  const base = await mkdtemp(join(tmpdir(), 'weft-efficacy-'));
  const user = join(base, 'user');
  await makeRepository(user, one.files);
  const before = await commitOf(user);
  const { model, stuck, compactions } = play(policy, one);
  const vendor = await openVendorServer(anthropicWire(), model);
  const tokens = newTokens();
  const host = createHost({ store: memoryStore() });
  const context = policy === 'forgetful' ? { context: SMALL_CONTEXT } : {};
  const studio = await startStudio({
    host,
    folder: join(base, 'studio'),
    roots: [base],
    listen: '127.0.0.1:0',
    tokens,
    rateLimit: { perSecond: 1e6, burst: 1e6 },
    log: () => undefined,
    ...(isUnconfined ? { confinement: { unconfined: true } } : {}),
    agents: { usual: { provider: 'anthropic', model: MODEL, baseUrl: vendor.url }, rows: { [MODEL]: context } },
    keys: { ANTHROPIC_API_KEY: 'none' },
  });
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${studio.port}/studio${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  };
  try {
    await ask('POST', '/repositories', { path: user });
    await ask('POST', '/options', { requireTestBeforeProposal: one.failsBefore.length === 0 });
    const { workUnitId } = await ask<{ workUnitId: string }>('POST', '/workunits', {
      goal: one.goal,
      taskReviewPolicy: 'AgentApproval',
      workspaceReviewPolicy: 'AgentApproval',
      ...(one.scope.length === 0 ? {} : { fileScope: one.scope }),
    });
    await ask('POST', '/scheduler/enqueue', { workUnitId, profileId: 'worker' });
    const status = await endOf(ask, workUnitId);
    const dead = await ask<{ kind: string; reason: string }[]>('GET', '/dead-letter');
    const proposals = await ask<{ status: string; reviewNotes?: string | null }[]>('GET', '/merges');
    return {
      name: one.name,
      policy,
      status,
      ...(await judge(base, user, one, before)),
      ...figuresOf(vendor.served),
      refused: vendor.refusals(),
      stuck,
      compactions: compactions(),
      failures: dead.map(({ kind, reason }) => `${kind}: ${reason}`),
      notes: proposals.map((proposal) => `${proposal.status}: ${proposal.reviewNotes ?? ''}`),
    };
  } finally {
    await studio.close();
    await host.close();
    await vendor.close();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

const OVER = ['Merged', 'Completed', 'DeadLettered', 'Cancelled', 'Failed'];

/** Whether programs of agents can be confined on this machine. */
export async function canConfine(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-efficacy-'));
  const host = createHost({ store: memoryStore() });
  const said: string[] = [];
  const log = ({ level }: { readonly level: string }): void => void said.push(level);
  const studio = await startStudio({ host, folder, roots: [folder], listen: '127.0.0.1:0', tokens: newTokens(), log });
  await studio.close();
  await host.close();
  await rm(folder, { recursive: true, force: true });
  return !said.includes('warn');
}

/** State of a goal when nothing goes on with it by itself. */
async function endOf(ask: <T>(method: string, path: string) => Promise<T>, workUnitId: string): Promise<string> {
  const until = Date.now() + MOST_MS;
  for (;;) {
    const { status } = await ask<{ status: string }>('GET', `/workunits/${workUnitId}`);
    const failures = await ask<{ resolution?: string }[]>('GET', '/dead-letter');
    const questions = await ask<{ status?: string }[]>('GET', '/clarifications');
    const waits = questions.some((one) => one.status === 'pending' || one.status === 'Pending');
    if (OVER.includes(status) || failures.length > 0) return status;
    if (waits) return `${status}, waits for a person`;
    if (Date.now() > until) return `${status}, hanging`;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function makeRepository(folder: string, files: Case['files']): Promise<void> {
  await mkdir(folder, { recursive: true });
  await write(folder, files);
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'add', '--all');
  await git(folder, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '--quiet', '--message', 'Begin');
}

async function write(folder: string, files: Case['files']): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', folder, ...args]);
  return stdout.trim();
}

const commitOf = (folder: string): Promise<string> => git(folder, 'rev-parse', 'main');

/** Hidden tests on what has landed, and whether anything has. */
async function judge(base: string, user: string, one: Case, before: string) {
  const hasLanded = (await commitOf(user)) !== before;
  return { hasLanded, isRight: hasLanded && (await passesHidden(base, user, one)) };
}

/** Runs the hidden tests of a case on what a repository has on its main branch. */
async function passesHidden(base: string, user: string, one: Case): Promise<boolean> {
  const copy = join(base, 'hidden');
  await rm(copy, { recursive: true, force: true });
  await git(base, 'clone', '--quiet', user, copy);
  await write(copy, one.hidden.files);
  return run('/bin/sh', ['-c', one.hidden.command], { cwd: copy, timeout: 60_000 }).then(
    () => true,
    () => false,
  );
}

/** Price of a million tokens of the model that is played. */
const PRICE = { fresh: 4, written: 5, read: 0.2, output: 20 };

function figuresOf(served: readonly Served[]) {
  const taken = served.flatMap(({ body, usage }) => (usage ? [{ body, usage }] : []));
  const talks = new Map<string, typeof taken>();
  for (const one of taken) {
    const { frame, messages } = conversationOf(one.body);
    const key = `${frame} ${messages[0] ?? ''}`;
    talks.set(key, [...(talks.get(key) ?? []), one]);
  }
  const late = [...talks.values()].flatMap((talk) => talk.slice(3));
  const sum = (of: (usage: (typeof taken)[number]['usage']) => number, all = taken): number =>
    all.reduce((total, { usage }) => total + of(usage), 0);
  const input = sum(({ fresh, read, written }) => fresh + read + written, late);
  return {
    turns: taken.length,
    tokens: sum(({ fresh, read, written }) => fresh + read + written),
    output: sum(({ output }) => output),
    versions: versionsOf(taken.map(({ body }) => body)),
    cached: input === 0 ? 1 : sum(({ read }) => read, late) / input,
    usd:
      sum((usage) =>
        (Object.keys(PRICE) as (keyof typeof PRICE)[]).reduce((all, kind) => all + usage[kind] * PRICE[kind], 0),
      ) / 1e6,
    rewritten: [...talks.values()].reduce((all, talk) => all + rewrittenIn(talk.map(({ body }) => body)), 0),
  };
}

/** Digests of the texts that are the same for all agents of a role, and of the tools. */
function versionsOf(bodies: readonly string[]): string {
  const frames = new Set(bodies.map((body) => conversationOf(body).frame));
  return [...frames].map((frame) => createHash('sha256').update(frame).digest('hex').slice(0, 8)).join(' ');
}

/** Requests of one conversation that do not begin with all of the one before them. */
function rewrittenIn(bodies: readonly string[]): number {
  const taken = bodies.map(conversationOf);
  return taken.filter(({ messages }, place) => {
    const before = taken[place - 1];
    return before?.messages.some((message, at) => message !== messages[at]) ?? false;
  }).length;
}

/** What a conversation is, without the marks that tell a cache what to keep. */
function conversationOf(body: string): { frame: string; messages: string[] } {
  const { messages, system, tools } = JSON.parse(body, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  ) as { messages: { role: string; content: unknown[] }[]; system: unknown; tools: unknown };
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => JSON.stringify({ role, block })));
  return { frame: JSON.stringify([system, tools]), messages: blocks };
}
