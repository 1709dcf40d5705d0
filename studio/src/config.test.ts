import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModelFile } from './config.js';
import { tempFolder } from './testing/temp-folder.js';

async function read(content: unknown) {
  const folder = await tempFolder();
  const path = join(folder, 'models.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return { folder, file: await readModelFile(path) };
}

describe('the file about models', () => {
  it('says who asks which, what that costs, and how much may be spent', async () => {
    const model = { provider: 'openai', model: 'some', baseUrl: 'http://localhost:1/v1', credentialRef: 'mine' };
    const { file, folder } = await read({
      model,
      profiles: { planner: { provider: 'claude-cli' }, SecurityAgent: { provider: 'scripted' } },
      models: { some: { context: 64_000, output: 8000, effort: 'high', thinking: 'none', wire: 'responses' } },
      keys: { mine: { env: 'MY_KEY' }, other: { file: 'other.key' }, third: { command: ['pass', 'show', 'third'] } },
      prices: { some: { input: 1.25, cachedInput: 0.125, output: 10 } },
      budgets: { goal: { usd: 5, minutes: 90 }, unit: { tokens: 1000 }, agent: { turns: 7 } },
      workers: { worker: 2 },
      programs: {
        acp: { command: ['agent', '--acp'], keyName: 'AGENT_KEY', hosts: ['models.corp'] },
        'claude-cli': { command: ['claude'] },
      },
      hooks: [
        { name: 'look', when: 'before', program: 'hooks/look.sh', repository: '../app', profiles: ['worker'] },
        {
          name: 'tell',
          when: 'after',
          url: 'https://hooks.example/x',
          tools: ['merge_*'],
          seconds: 2,
          onFailure: 'allow',
        },
      ],
      setUp: [{ repository: '../app', script: 'npm ci', lockfiles: ['package-lock.json'], online: true }],
      network: [{ repository: '../app', hosts: ['npm.corp', 'http://10.0.0.5:4873'] }],
      script: 'script.jsonl',
      record: '/runs/one.jsonl',
      replay: 'old/one.jsonl',
    });
    expect(file).toEqual({
      networks: [{ repository: join(folder, '../app'), hosts: ['npm.corp', 'http://10.0.0.5:4873'] }],
      setUps: [
        {
          repository: join(folder, '../app'),
          script: 'npm ci',
          lockfiles: ['package-lock.json'],
          seconds: 600,
          isOnline: true,
        },
      ],
      toolHooks: [
        {
          name: 'look',
          when: 'before',
          tools: ['*'],
          seconds: 10,
          onFailure: 'refuse',
          asks: { program: join(folder, 'hooks/look.sh'), args: [] },
          profiles: ['worker'],
          repository: join(folder, '../app'),
        },
        {
          name: 'tell',
          when: 'after',
          tools: ['merge_*'],
          seconds: 2,
          onFailure: 'allow',
          asks: { url: 'https://hooks.example/x' },
        },
      ],
      agents: {
        usual: model,
        usualOf: { planner: { provider: 'claude-cli' }, SecurityAgent: { provider: 'scripted' } },
        rows: { some: { context: 64_000, output: 8000, effort: 'high', thinking: 'none', wire: 'responses' } },
        prices: { some: { input: 1.25, cachedInput: 0.125, output: 10 } },
        budgets: {
          goal: { microUsd: 5_000_000, milliseconds: 5_400_000 },
          unit: { tokens: 1000 },
          agent: { turns: 7 },
        },
        workersOf: { worker: 2 },
      },
      models: {
        keys: {
          mine: { env: 'MY_KEY' },
          other: { file: join(folder, 'other.key') },
          third: { command: ['pass', 'show', 'third'] },
        },
        commands: { acp: ['agent', '--acp'], 'claude-cli': ['claude'] },
        hosts: { acp: ['models.corp'] },
        keyName: 'AGENT_KEY',
        script: join(folder, 'script.jsonl'),
        record: '/runs/one.jsonl',
        replay: join(folder, 'old/one.jsonl'),
      },
    });
  });

  it('may say nothing', async () => {
    expect((await read({})).file).toEqual({
      toolHooks: [],
      setUps: [],
      networks: [],
      agents: {},
      models: { keys: {}, commands: {}, hosts: {} },
    });
  });

  it.each([
    ['[', 'it is no JSON'],
    [{ modell: {} }, 'modell'],
    [{ network: [{ repository: 'a', hosts: ['a b'] }] }, 'a b is no server'],
    [
      { models: { some: { context: 10_000, output: 4001 } } },
      'models.some.output: answers of 4001 tokens do not fit behind a conversation in a context of 10000: say 4000 or less',
    ],
    // The context is that of its family where none is said.
    [{ models: { 'claude-sonnet-4-5': { output: 100_000 } } }, 'in a context of 200000: say 80000 or less'],
    [{ model: { provider: 'somebody' } }, 'provider'],
    [{ budgets: { goal: { usd: -1 } } }, 'usd'],
    [{ programs: { acp: { command: ['x'], hosts: ['a b'] } } }, 'programs.acp: a b is no server'],
    [{ programs: { openai: { command: ['x'] } } }, 'openai'],
    [{ model: { provider: 'openai', apiKey: 'k' } }, 'apiKey'],
  ])('%j is refused, and said where', async (content, why) => {
    await expect(read(content)).rejects.toThrow(why);
  });
});
