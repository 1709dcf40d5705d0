/**
 * One case of the suite, worked on through a whole studio of its own: repository, tools, programs, reviews and landings are real, and what
 * has landed is judged by tests that nobody at work sees. Which model works on it is the caller's choice.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import type { AgentsOptions } from '../runtime.js';
import type { ModelOptions } from '../models/models.js';
import { startStudio } from '../studio.js';
import { newTokens } from '../tokens.js';
import { NEW_REPOSITORIES } from '../workspace/git/calls/run-git.js';
import type { ConfinementOptions } from '../workspace/sandbox/node-confinement.js';
import type { Case } from './case.js';
import { writeCase, writeFiles } from './write-case.js';

const run = promisify(execFile);
/** Time in which hidden tests end. */
const MOST_JUDGING_MS = 60_000;
const LOOK_MS = 50;

export interface SolveOptions {
  readonly agents: AgentsOptions;
  readonly models?: ModelOptions | undefined;
  readonly keys?: Readonly<Record<string, string>> | undefined;
  readonly confinement?: ConfinementOptions | undefined;
  /** Profile that works on it. Default: `worker`. */
  readonly profileId?: string | undefined;
  /** Time after which a goal that goes on is left. */
  readonly mostMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Solved {
  /** State of the goal in the end. */
  readonly status: string;
  /** Whether the hidden tests pass on what has landed. */
  readonly isRight: boolean;
  /** Whether anything has landed. */
  readonly hasLanded: boolean;
  readonly turns: number;
  readonly tokens: number;
  readonly usd: number;
  readonly seconds: number;
  readonly failures: readonly string[];
  readonly notes: readonly string[];
}

/** Works on a case until nothing goes on with it by itself, and judges what has landed. */
export async function solve(one: Case, options: SolveOptions): Promise<Solved> {
  const { agents, models, keys, confinement, profileId = 'worker', mostMs, signal } = options;
  const base = await mkdtemp(join(tmpdir(), 'weft-eval-'));
  const user = join(base, 'user');
  await makeRepository(user, one);
  const before = await commitOf(user);
  const tokens = newTokens();
  const host = createHost({ store: memoryStore() });
  const studio = await startStudio({
    host,
    folder: join(base, 'studio'),
    roots: [base],
    listen: '127.0.0.1:0',
    tokens,
    rateLimit: { perSecond: 1e6, burst: 1e6 },
    log: () => undefined,
    agents,
    ...(models && { models }),
    ...(keys && { keys }),
    ...(confinement && { confinement }),
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
    await ask('POST', '/scheduler/enqueue', { workUnitId, profileId });
    const begun = performance.now();
    const status = await endOf(ask, workUnitId, { mostMs, signal });
    const seconds = (performance.now() - begun) / 1000;
    const { usage } = await ask<{ usage: { tokens: number; turns: number; costUsd: number } }>(
      'GET',
      `/goals/${workUnitId}/guardrail-status`,
    );
    const dead = await ask<{ kind: string; reason: string }[]>('GET', '/dead-letter');
    const proposals = await ask<{ status: string; reviewNotes?: string | null }[]>('GET', '/merges');
    return {
      status,
      ...(await judge(base, user, one, before)),
      turns: usage.turns,
      tokens: usage.tokens,
      usd: usage.costUsd,
      seconds,
      failures: dead.map(({ kind, reason }) => `${kind}: ${reason}`),
      notes: proposals.map((proposal) => `${proposal.status}: ${proposal.reviewNotes ?? ''}`),
    };
  } finally {
    await studio.close();
    await host.close();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Whether programs of agents can be confined on this machine. */
export async function canConfine(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-eval-'));
  const host = createHost({ store: memoryStore() });
  const said: string[] = [];
  const log = ({ level }: { readonly level: string }): void => void said.push(level);
  const studio = await startStudio({ host, folder, roots: [folder], listen: '127.0.0.1:0', tokens: newTokens(), log });
  await studio.close();
  await host.close();
  await rm(folder, { recursive: true, force: true });
  return !said.includes('warn');
}

const OVER = ['Merged', 'Completed', 'DeadLettered', 'Cancelled', 'Failed'];

/** State of a goal when nothing goes on with it by itself. */
async function endOf(
  ask: <T>(method: string, path: string) => Promise<T>,
  workUnitId: string,
  { mostMs, signal }: Pick<SolveOptions, 'mostMs' | 'signal'>,
): Promise<string> {
  const until = performance.now() + mostMs;
  for (;;) {
    const { status } = await ask<{ status: string }>('GET', `/workunits/${workUnitId}`);
    const failures = await ask<{ resolution?: string }[]>('GET', '/dead-letter');
    const questions = await ask<{ status?: string }[]>('GET', '/clarifications');
    const waits = questions.some((one) => one.status === 'pending' || one.status === 'Pending');
    if (OVER.includes(status) || failures.length > 0) return status;
    if (waits) return `${status}, waits for a person`;
    if (performance.now() > until) return `${status}, hanging`;
    if (signal?.aborted === true) return `${status}, stopped`;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function makeRepository(folder: string, one: Case): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeCase(folder, one);
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'add', '--all');
  await git(folder, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '--quiet', '--message', 'Begin');
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', folder, ...args], { env: { ...process.env, ...NEW_REPOSITORIES } });
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
  await writeFiles(copy, one.hidden.files);
  return run('/bin/sh', ['-c', one.hidden.command], { cwd: copy, timeout: MOST_JUDGING_MS }).then(
    () => true,
    () => false,
  );
}
