/**
 * A program outside, with nothing but its fifteen tools, and agents that really work: they follow a script, so it is the same
 * each time. What the program does next follows from what the tools show it, as it would for a person.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SCRIPT_HEAD, type WrittenLine, readScript } from './models/providers/scripted/script.js';
import { scripted } from './models/providers/scripted/scripted.js';
import { git, gitRepository } from './testing/git/git-repository.js';
import { tempFolder } from './testing/temp-folder.js';
import { startTestStudio } from './testing/test-studio.js';
import { type ToolClient, toolClient } from './testing/doors/tool-client.js';

const FRENCH = 'Greet in French';
const GERMAN = 'Greet in German';
/** So many turns the profile of workers gives. */
const TURNS = 30;

const call = (name: string, input: object) => ({ name: `svc_v1_${name}`, input: { ...input } });
const write = (path: string, content: string) => call('workspace_write', { path, content });
const propose = (summary: string) => call('merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary });

const SCRIPT: readonly WrittenLine[] = [
  {
    when: { role: 'planner' },
    calls: [
      call('artifact_record_plan', {
        planContent: JSON.stringify({
          slices: [
            { sliceId: 'french', goal: FRENCH, contract: 'french.txt' },
            { sliceId: 'german', goal: GERMAN, contract: 'german.txt' },
          ],
        }),
      }),
    ],
  },
  {
    when: { role: 'worker', title: FRENCH },
    calls: [call('clarification_request', { question: 'Formally?', options: ['yes', 'no'] })],
  },
  { calls: [write('french.txt', 'Bonjour\n'), propose('It says bonjour')] },
  // It looks for what is not there until its turns are used up, and does it when it is told to go on.
  ...Array.from({ length: TURNS }, (_, n) => ({
    when: { role: 'worker', title: GERMAN },
    calls: [call('workspace_exists', { path: `missing-${n}` })],
  })),
  { calls: [write('german.txt', 'Guten Tag\n'), propose('It says guten Tag')] },
];

interface Status {
  readonly status: string;
  readonly pendingClarifications: readonly { readonly clarificationId: string; readonly question: string }[];
  readonly deadLetter: { readonly kind: string; readonly recoverableActions: readonly string[] } | null;
}
interface Proposal {
  readonly proposalId: string;
  readonly status: string;
  readonly summary: string;
  readonly filesTouched: readonly string[];
}

const PAUSE_MS = 25;
const MOST_LOOKS = 4000;

/** Does what the goal needs of a person, until it needs nothing any more. Answers what that was. */
async function seeThrough(outside: ToolClient, goalId: string): Promise<string[]> {
  const did: string[] = [];
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { status, pendingClarifications, deadLetter } = await outside.ask<Status>('svcs_v1_goal_status', { goalId });
    if (status === 'Converged') return did;
    const [asked] = pendingClarifications;
    const { proposals } = await outside.ask<{ proposals: Proposal[] }>('svcs_v1_results_get', { goalId });
    const waiting = proposals.find((one) => one.status === 'Draft' || one.status === 'ReadyForReview');
    if (asked) {
      const { clarificationId, question } = asked;
      await outside.ask('svcs_v1_clarification_respond', { clarificationId, response: 'no' });
      did.push(`answered ${question}`);
    } else if (deadLetter) {
      expect(deadLetter.recoverableActions).toContain('continue');
      await outside.ask('svcs_v1_goal_recover', { goalId, action: 'continue' });
      did.push(`continued after ${deadLetter.kind}`);
    } else if (waiting) {
      await outside.ask('svcs_v1_results_apply', { proposalId: waiting.proposalId });
      did.push(`applied ${[...waiting.filesTouched].sort().join(' and ')}`);
    } else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the goal does not come to its end: ${did.join(', ')}`);
}

it('a program outside sees a goal through that agents work on: asked, failed and continued, approved, applied', async () => {
  const text = [SCRIPT_HEAD, ...SCRIPT].map((line) => JSON.stringify(line)).join('\n');
  const provider = scripted(readScript(`${text}\n`));
  const studio = await startTestStudio(undefined, { agents: { models: () => ({ provider, model: 'script' }) } });
  const limited = await studio.call('PUT', '/studio/agent-profiles/worker', { body: { maxIterations: TURNS } });
  expect(limited.status).toBe(200);
  const outside = await toolClient(studio);
  expect(await outside.names()).toHaveLength(15);
  const folder = join(await tempFolder(), 'user');
  await gitRepository(folder, { 'readme.md': 'hello\n' });
  const { repositoryId } = await outside.ask<{ repositoryId: string }>('svcs_v1_repo_register', { path: folder });
  const wanted = {
    goal: 'Greet in two languages',
    repositoryId,
    successCriteria: 'Both files are there.',
    shape: 'planned',
    reviewPolicy: 'HumanRequired',
  };
  const { goalId } = await outside.ask<{ goalId: string }>('svcs_v1_goal_run', wanted);

  const did = await seeThrough(outside, goalId);
  expect(did.slice(0, -1).sort()).toEqual([
    'answered Formally?',
    'applied french.txt',
    'applied german.txt',
    'continued after MaxIterationsExceeded',
  ]);
  expect(did.at(-1)).toBe('applied french.txt and german.txt');
  expect(await readFile(join(folder, 'french.txt'), 'utf8')).toBe('Bonjour\n');
  expect(await readFile(join(folder, 'german.txt'), 'utf8')).toBe('Guten Tag\n');
  expect(await git(folder, 'status', '--porcelain')).toBe('');
  expect(await outside.ask('svcs_v1_workspace_status')).toMatchObject({
    goals: { total: 1, byStatus: { Converged: 1 } },
    pendingClarificationCount: 0,
    goalsNeedingInput: [],
  });
});
