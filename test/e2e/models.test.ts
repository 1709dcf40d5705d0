/** The file about models, as `weft studio` and `weft up` read it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun } from '../support/programs/weft-run.js';

const URL_LINE = /^(http:\/\/\S+\/studio)$/;

type Call = (method: string, path: string, body?: object) => Promise<unknown>;

async function callerOf(url: string, store: string): Promise<Call> {
  const { admin } = JSON.parse(await readFile(join(store, 'studio.tokens.json'), 'utf8')) as { admin: string };
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(`${url}/${path}`, { method, headers, ...sent })).json();
  };
}

/** Last state of the unit, when nothing more happens to it, or after a while. */
async function ended(call: Call, workUnitId: string) {
  let unit: unknown;
  for (let looks = 0; looks < 500; looks++) {
    unit = await call('GET', `workunits/${workUnitId}`);
    if (/^(Completed|Merged|DeadLettered)$/.test((unit as { status: string }).status)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return unit as { status: string; usage: { costUsd: number } };
}

it('agents ask the model of their profile, within the budgets, and every turn is recorded', async () => {
  const folder = await tempFolder();
  const found = { name: 'svc_v1_artifact_record', input: { type: 'Research', title: 'Found', body: 'it' } };
  const script = [{ script: 1 }, { when: { role: 'worker' }, calls: [found], repeat: true }];
  await writeFile(join(folder, 'script.jsonl'), script.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const models = join(folder, 'models.json');
  const prices = { own: { input: 1, output: 1 } };
  const file = { profiles: { worker: { provider: 'scripted', model: 'own' } }, prices, script: 'script.jsonl' };
  await writeFile(models, JSON.stringify({ ...file, record: 'run.jsonl', budgets: { unit: { turns: 1 } } }));
  const env = { WEFT_MODELS: models, WEFT_MODEL_URL: 'http://127.0.0.1:1' };
  const store = join(folder, 'data');
  const weft = new WeftRun(['studio', '--listen', '127.0.0.1:0', '--store', store], { env });
  const [url = ''] = await weft.line(URL_LINE);
  const call = await callerOf(url, store);
  const wanted = { goal: 'Find it', owner: 'ann', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = (await call('POST', 'workunits', wanted)) as { workUnitId: string };
  await call('POST', 'agents/spawn', { agentType: 'worker', workUnitId });
  const unit = await ended(call, workUnitId);
  expect(unit).toMatchObject({ status: 'Completed', usage: { turns: 1, costUsd: expect.any(Number) as number } });
  expect(unit.usage.costUsd).toBeGreaterThan(0);
  await weft.stop();
  const recorded = (await readFile(join(folder, 'run.jsonl'), 'utf8')).trim().split('\n');
  expect(recorded.map((line) => JSON.parse(line) as object)).toMatchObject([
    { script: 1 },
    { when: { role: 'worker' } },
  ]);
});

it('the script of the documentation brings a goal to its end', async () => {
  const folder = await tempFolder();
  const page = await readFile(new URL('../../docs/guide/scripts.md', import.meta.url), 'utf8');
  const [, script = ''] = /```jsonl\n([^]*?)```/.exec(page) ?? [];
  await writeFile(join(folder, 'script.jsonl'), script);
  const models = join(folder, 'models.json');
  await writeFile(models, JSON.stringify({ model: { provider: 'scripted' }, script: 'script.jsonl' }));
  const path = join(folder, 'house');
  const store = join(folder, 'data');
  const weft = new WeftRun(['studio', '--models', models, '--listen', '127.0.0.1:0', '--store', store]);
  const [url = ''] = await weft.line(URL_LINE);
  const call = await callerOf(url, store);
  const { repositoryId } = (await call('POST', 'repositories', { path })) as { repositoryId: string };
  const policy = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
  const wanted = { goal: 'Build a house', repositoryId, ...policy };
  const { workUnitId } = (await call('POST', 'workunits', wanted)) as { workUnitId: string };
  await call('POST', 'agents/spawn', { agentType: 'orchestrator', workUnitId });
  expect(await ended(call, workUnitId)).toMatchObject({ status: 'Merged' });
  expect(await readFile(join(path, 'doors.js'), 'utf8')).toBe('export const doors = 2;\n');
  expect(await readFile(join(path, 'roofs.js'), 'utf8')).toBe('export const roofs = 1;\n');
});

it('a file that says something else is refused, and where', async () => {
  const models = join(await tempFolder(), 'models.json');
  await writeFile(models, JSON.stringify({ model: { provider: 'nobody' } }));
  const weft = new WeftRun(['studio', '--models', models, '--listen', '127.0.0.1:0', '--store', 'memory']);
  expect(await weft.ended).not.toBe(0);
  expect(weft.err.join('\n')).toMatch(/models\.json: .*\n?.*model\.provider/);
});
