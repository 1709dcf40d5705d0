/** Runs that were recorded are run again on another host, without a model. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { startTestStudio } from '../testing/test-studio.js';
import type { ModelOptions } from '../models/models.js';
import { SCRIPT_HEAD, type WrittenLine, readScript } from '../models/providers/scripted/script.js';

const call = (name: string, input: object) => ({ name: `svc_v1_${name}`, input: { ...input } });
const slice = (sliceId: string, ...dependsOn: string[]) => ({ sliceId, goal: `Write ${sliceId}`, dependsOn });

const SCRIPT: readonly WrittenLine[] = [
  {
    when: { role: 'planner' },
    calls: [
      call('artifact_record_plan', { planContent: JSON.stringify({ slices: [slice('one'), slice('two', 'one')] }) }),
    ],
  },
  {
    when: { role: 'worker', title: 'Write one' },
    calls: [call('workspace_write', { path: 'one.txt', content: '1\n' })],
  },
  {
    calls: [call('merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'one' })],
  },
  {
    when: { role: 'worker', title: 'Write two' },
    text: 'I am at {{unit}}.',
    // Its own name, which is another one in every run.
    calls: [call('workspace_read', { path: 'one.txt' }), call('workunit_get', { workUnitId: '{{unit}}' })],
  },
  {
    calls: [
      call('workspace_write', { path: 'two.txt', content: '2\n' }),
      call('merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'two' }),
    ],
  },
  {
    when: { role: 'reviewer' },
    repeat: true,
    calls: [call('merge_review', { decision: 'Approved', verificationResults: 'read it' })],
  },
];

/** One goal from its statement to its end. Answers what is in the user's folder then. */
async function run(models: ModelOptions): Promise<readonly string[]> {
  const studio = await startTestStudio(undefined, { models, agents: { usual: { provider: 'scripted', model: 'm' } } });
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': 'a\n' });
  await studio.call('POST', '/studio/repositories', { body: { path: user } });
  const policies = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
  const made = await studio.call('POST', '/studio/workunits', {
    body: { goal: 'Write it', owner: 'ann', ...policies },
  });
  const { workUnitId } = made.json as { workUnitId: string };
  await studio.call('POST', '/studio/agents/spawn', { body: { agentType: 'orchestrator', workUnitId } });
  for (let looks = 0; looks < 600; looks++) {
    const { status } = (await studio.call('GET', `/studio/workunits/${workUnitId}`)).json as { status: string };
    const failures = (await studio.call('GET', '/studio/dead-letter')).json as { reason: string }[];
    if (failures[0]) throw new Error(failures[0].reason);
    if (status === 'Merged') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await studio.close();
  return Promise.all(['one.txt', 'two.txt'].map((name) => readFile(join(user, name), 'utf8')));
}

describe('a run that was recorded', () => {
  it('comes to the same end on another host, with the same questions, and no model', async () => {
    const folder = await tempFolder();
    const [script, first, second] = ['script.jsonl', 'first.jsonl', 'second.jsonl'].map((name) => join(folder, name));
    const lines = [SCRIPT_HEAD, ...SCRIPT].map((line) => JSON.stringify(line));
    await writeFile(script!, `${lines.join('\n')}\n`);
    expect(await run({ script: script!, record: first! })).toEqual(['1\n', '2\n']);
    // There is no script any more: what answers is the recording alone.
    expect(await run({ replay: first!, record: second! })).toEqual(['1\n', '2\n']);
    const asked = async (path: string): Promise<unknown[]> =>
      readScript(await readFile(path, 'utf8')).map(({ when, asked, usage }) => [when.role, when.title, asked, usage]);
    expect((await asked(first!)).length).toBeGreaterThan(7);
    expect(await asked(second!)).toEqual(await asked(first!));
  });

  it('answers nothing that was not asked then', async () => {
    const folder = await tempFolder();
    const recording = join(folder, 'empty.jsonl');
    await writeFile(recording, `${JSON.stringify(SCRIPT_HEAD)}\n`);
    await expect(run({ replay: recording })).rejects.toThrow('was not asked when it was recorded');
  });
});
