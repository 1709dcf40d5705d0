/** Goals begin only when they can: a repository that is known, a model that can be asked, and its key. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecord } from '../../testing/record/open-record.js';
import { aRepository } from '../../testing/work/a-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { tool } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';
import type { StudioOptions } from '../../studio.js';

const run = (record: Awaited<ReturnType<typeof openRecord>>, input: object = {}) =>
  record.call('external-goal.run', { goal: 'fly', ...input });

describe('the repository of a goal', () => {
  it('is needed: without one nothing begins', async () => {
    const record = await openRecord();
    await expect(run(record)).rejects.toMatchObject({ reason: 'reject.repository_needed', data: { repositories: [] } });
    expect(record.records.goals.all()).toEqual([]);
  });

  it('is the only one, or has to be named, out of a list', async () => {
    const record = await openRecord();
    await aRepository(record, 'one');
    await run(record);
    expect(record.records.goals.all()).toMatchObject([{ repositoryId: 'one' }]);
    await aRepository(record, 'two');
    await expect(run(record)).rejects.toMatchObject({
      reason: 'reject.repository_needed',
      message: expect.stringContaining('one (/nowhere/one), two (/nowhere/two)') as string,
    });
    await run(record, { repositoryId: 'two' });
    expect(record.records.goals.all()).toHaveLength(2);
  });
});

describe('the model of a goal', () => {
  async function studioWith(options: Partial<StudioOptions>) {
    const studio = await startTestStudio(undefined, options);
    const path = await tempFolder();
    expect((await studio.call('POST', '/studio/repositories', { body: { path } })).status).toBe(200);
    const goal = () => tool(studio, 'svcs_v1_goal_run', { goal: 'fly' });
    const goals = async (): Promise<unknown> =>
      ((await studio.call('GET', '/studio/goals')).json as { goals: unknown }).goals;
    return { ...studio, goal, goals };
  }

  it('is refused without its key, and begins once that was given to the running studio', async () => {
    const usual = { provider: 'openai', model: 'gpt' };
    const studio = await studioWith({ agents: { usual } });
    expect(studio.missingKeys).toEqual(['openai']);
    expect(await studio.goal()).toMatchObject({
      code: 'reject.key_missing',
      message: expect.stringContaining('weft key set openai') as string,
    });
    expect(await studio.goals()).toEqual([]);
    const given = { credentialRef: 'openai', apiKey: 'sk-secret' };
    const kept = await studio.call('POST', '/studio/credentials', { body: given });
    expect([kept.status, kept.json]).toEqual([200, { credentialRef: 'openai' }]);
    const listed = await studio.call('GET', '/studio/credentials', { as: 'read' });
    expect([listed.json, listed.text.includes('sk-secret')]).toEqual([[{ credentialRef: 'openai' }], false]);
    // The vendor is not reached: the goal only has its turn.
    await studio.call('POST', '/studio/stop-all', { body: {} });
    expect(await studio.goal()).toHaveProperty('data');
    expect(await studio.goals()).toHaveLength(1);
  });

  it('is asked for the key of the planner only where something may be planned', async () => {
    const usualOf = { planner: { provider: 'openai', model: 'gpt' } } as const;
    const studio = await studioWith({
      agents: { usual: { provider: 'anthropic' }, usualOf },
      keys: { anthropic: 'k' },
    });
    await studio.call('POST', '/studio/stop-all', { body: {} });
    const run = (shape: string) => studio.call('POST', '/studio/goals/run', { body: { goal: 'fly', shape } });
    for (const shape of ['auto', 'planned']) {
      const { status, text } = await run(shape);
      expect(status).not.toBe(200);
      expect(text).toContain('the model of planner needs the key');
    }
    expect((await run('single')).status).toBe(200);
    expect(await studio.goals()).toHaveLength(1);
  });

  it('has the keys that the host was started with', async () => {
    const studio = await studioWith({ agents: { usual: { provider: 'openai', model: 'gpt' } }, keys: { openai: 'k' } });
    expect(studio.missingKeys).toEqual([]);
  });

  it('is refused where none was chosen', async () => {
    const { goal, goals } = await studioWith({ agents: {} });
    expect(await goal()).toMatchObject({
      code: 'reject.model_unknown',
      message: expect.stringContaining('--model') as string,
    });
    expect(await goals()).toEqual([]);
  });

  it('stops the start where its script is missing or broken, or its provider is unknown', async () => {
    const script = join(await tempFolder(), 's.jsonl');
    const start = (provider: string) =>
      startTestStudio(undefined, { agents: { usual: { provider } }, models: { script } });
    await expect(start('scripted')).rejects.toThrow(/the script .*s\.jsonl cannot be played: ENOENT/);
    await writeFile(script, '{"script":1}\n{"calls":3}\n');
    await expect(start('scripted')).rejects.toThrow(/the script .*s\.jsonl cannot be played: line 2/);
    await expect(start('nobody')).rejects.toThrow(/no provider is called "nobody"; there are anthropic/);
  });
});
