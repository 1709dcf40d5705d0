/** The file about models, as `weft studio` and `weft up` read it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/weft-process.js';

const URL_LINE = /^(http:\/\/\S+\/studio)$/;

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
  const weft = new WeftProcess(['studio', '--listen', '127.0.0.1:0', '--store', store], { env });
  const [url = ''] = await weft.line(URL_LINE);
  const { admin } = JSON.parse(await readFile(join(store, 'studio.tokens.json'), 'utf8')) as { admin: string };
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(`${url}/${path}`, { method, headers, ...sent })).json();
  };
  const wanted = { goal: 'Find it', owner: 'ann', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = (await call('POST', 'workunits', wanted)) as { workUnitId: string };
  await call('POST', 'agents/spawn', { agentType: 'worker', workUnitId });
  let unit: unknown;
  for (let looks = 0; looks < 300; looks++) {
    unit = await call('GET', `workunits/${workUnitId}`);
    if ((unit as { status: string }).status === 'Completed') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(unit).toMatchObject({ status: 'Completed', usage: { turns: 1, costUsd: expect.any(Number) as number } });
  expect((unit as { usage: { costUsd: number } }).usage.costUsd).toBeGreaterThan(0);
  await weft.kill('SIGINT');
  const recorded = (await readFile(join(folder, 'run.jsonl'), 'utf8')).trim().split('\n');
  expect(recorded.map((line) => JSON.parse(line) as object)).toMatchObject([
    { script: 1 },
    { when: { role: 'worker' } },
  ]);
});

it('a file that says something else is refused, and where', async () => {
  const models = join(await tempFolder(), 'models.json');
  await writeFile(models, JSON.stringify({ model: { provider: 'nobody' } }));
  const weft = new WeftProcess(['studio', '--models', models, '--listen', '127.0.0.1:0', '--store', 'memory']);
  expect((await weft.exited).code).not.toBe(0);
  expect(weft.err.join('\n')).toMatch(/models\.json: .*\n?.*model\.provider/);
});
