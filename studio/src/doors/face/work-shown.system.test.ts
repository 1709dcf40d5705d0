/** Work as the page shows it, in Chromium: a train with its gates, files while they are written, a pull request, who changed an agent. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe } from '../../../../test/support/browsers/axe.js';
import { browser } from '../../../../test/support/browsers/browser.js';
import { forgeAtWork } from '../../testing/git/forge-at-work.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { studioWith, withRepository } from '../../testing/git/studio-repository.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';

async function opened(studio: TestStudio, faults: string[]): Promise<Page> {
  const page = await (await browser()).newPage({ viewport: { width: 1280, height: 900 } });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(studio.link());
  await page.locator('.live[data-state=live]').waitFor();
  return page;
}

it('a train shows what was tested of each change, and the change that a refused promotion has found', async () => {
  const at = await studioWith({ a: 'good\n', b: '1\n' });
  const { studio } = at;
  const options = { buildCommand: 'true', testCommand: '! grep -q bad a' };
  await at.post('options', options);
  for (const [name, files] of [
    ['first', { b: '2\n' }],
    ['breaks', { a: 'bad\n' }],
    ['last', { c: '3\n' }],
  ] as const) {
    await at.branch(name, files);
    await at.post(`merges/${await at.approved(name, 'candidate')}/apply`);
  }
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.goto(`${studio.origin}/candidate`);
  await page.getByText('Nothing is built or tested before your branch moves').waitFor();
  const change = (name: string) => page.locator('.train li', { hasText: name });
  await change('take first').getByText('no build or test was recorded').waitFor();
  await at.post('options', { requireTestBeforeProposal: true });
  // What is offered from now on is tested by itself.
  const unit = (await at.post('workunits', { goal: 'write d' })).json as { workUnitId: string; branchId: string };
  await at.post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'd', content: 'd\n' }] });
  const proposalId = await at.approved(unit.branchId, 'candidate', { workUnitId: unit.workUnitId });
  await at.post(`merges/${proposalId}/apply`);
  await page.locator('.train').getByText('Test passed').waitFor();
  await page.getByText('only if the whole passes its tests').waitFor();
  await axe(page, faults);
  const promote = page.locator('[data-operation="candidate.promote"]');
  await promote.click();
  await promote.click();
  await change('take breaks').getByText('the checks fail since this one').waitFor();
  await change('take first').getByText('passes with those before it').waitFor();
  await change('take last').getByText('behind the one that fails').waitFor();
  await axe(page, faults);
  expect(faults).toEqual([]);
});

it('work shows the files that its agent writes, and is answered where it stands', async () => {
  let goOn = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => (goOn = resolve));
  const models = scriptedModels(async ({ turn }) => {
    if (turn === 0) return { calls: [['workspace_write', { path: 'one.txt', content: '1\n' }]] };
    if (turn === 1) await isHeld;
    if (turn === 1) return { calls: [['workspace_write', { path: 'two.txt', content: '2\n' }]] };
    return { calls: [['clarification_request', { question: 'Which colour?', options: ['red', 'blue'] }]] };
  });
  const studio = await startTestStudio(undefined, { agents: { models } });
  const folder = join(await tempFolder(), 'shelf');
  const at = await withRepository(studio, folder, await gitRepository(folder, { a: '1\n' }));
  const begun = await at.post('goals/run', { goal: 'Paint it', repositoryId: at.repositoryId, shape: 'single' });
  const { workUnitId } = begun.json as { workUnitId: string };
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.goto(`${studio.origin}/units/${workUnitId}/files`);
  const files = page.getByRole('tabpanel').locator('code');
  await expect.poll(() => files.allInnerTexts()).toEqual(['one.txt']);
  goOn();
  await expect.poll(() => files.allInnerTexts()).toEqual(['two.txt', 'one.txt']);
  const waits = page.getByRole('region', { name: 'It waits for you' });
  await waits.getByText('Which colour?').waitFor();
  await axe(page, faults);
  await waits.getByRole('button', { name: 'blue', exact: true }).click();
  await expect.poll(async () => JSON.stringify((await at.get('clarifications')).json)).toContain('blue');
  expect(faults).toEqual([]);
});

it('a result is opened as a pull request, and its review leads there; without a forge it says how to connect one', async () => {
  const at = await forgeAtWork('github', {}, { publishes: false });
  const { studio, server, repositoryId } = at;
  const made = await at.post('goals/run', { goal: 'Greet anew', repositoryId, shape: 'single' });
  expect(made.status, made.text).toBe(200);
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.getByRole('link', { name: 'Look at the changes' }).click();
  await page.getByText('Open as a pull request').click();
  await page.getByText('to be merged there into').waitFor();
  expect(server.model.requests).toEqual([]);
  await axe(page, faults);
  await page.getByRole('button', { name: 'Offer it there' }).click();
  const link = page.getByRole('link', { name: /^#\d+ at / });
  await link.waitFor();
  expect(server.model.requests).toMatchObject([{ base: 'main' }]);
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');

  const alone = await studioWith({ a: '1\n' });
  const root = (await alone.post('workunits', { goal: 'Write a' })).json as {
    workUnitId: string;
    branchId: string;
  };
  await alone.post(`branches/${root.branchId}/resync-files`, { files: [{ path: 'a', content: '2\n' }] });
  const proposalId = await alone.approved(root.branchId, 'main', { workUnitId: root.workUnitId });
  const other = await opened(alone.studio, faults);
  await other.goto(`${alone.studio.origin}/reviews/${proposalId}`);
  await other.getByText('Open as a pull request').click();
  await other.getByText(`weft studio forge connect --repositoryId ${alone.repositoryId}`).waitFor();
  expect(faults).toEqual([]);
});

it('a kind of agent shows who changed it, and an earlier text is taken up again; the audit is linked with its words and taken away', async () => {
  const studio = await startTestStudio();
  const told = async () =>
    ((await studio.call('GET', '/studio/agent-profiles/worker')).json as { systemPrompt: string }).systemPrompt;
  for (const systemPrompt of ['Be quick.', 'Be careful.'])
    await studio.call('PUT', '/studio/agent-profiles/worker', { body: { systemPrompt } });
  await studio.call('PUT', '/studio/agent-profiles/reviewer', { body: { maxIterations: 7 } });
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.goto(`${studio.origin}/agents/worker`);
  await page.getByText('History', { exact: true }).click();
  const changes = page.locator('.rows li', { hasText: 'what it is told' });
  await expect.poll(() => changes.count()).toBe(2);
  await axe(page, faults);
  await changes.last().getByRole('button', { name: 'Take up this text' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(told).toBe('Be quick.');
  await page.goto(`${studio.origin}/agents/planner`);
  await page.getByText('History', { exact: true }).click();
  await page.getByText('Nobody has changed it: it is as it came.').waitFor();

  await page.goto(`${studio.origin}/audit?words=reviewer`);
  const rows = page.locator('.events li');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel(/^With these words/).fill('worker');
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  expect(new URL(page.url()).search).toBe('?words=worker');
  const found = await rows.count();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: `Take ${found} events away as a file` }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
  expect(lines).toHaveLength(found);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ number: expect.any(Number), by: expect.any(String) });
  expect(faults).toEqual([]);
});

it('a studio in which nothing was begun says how to begin, and what was begun to be written outlives a look elsewhere', async () => {
  const studio = await startTestStudio();
  const folder = join(await tempFolder(), 'shelf');
  await gitRepository(folder, { a: '1\n' });
  const faults: string[] = [];
  const page = await opened(studio, faults);
  const steps = page.getByRole('list', { name: 'How to begin' });
  await steps.getByRole('link', { name: 'Say what is to be achieved' }).click();
  await page.getByLabel('What is to be achieved').fill('Sort the shelf');
  await page.getByRole('link', { name: 'Register one.' }).click();
  await page.getByText('None is registered yet.').waitFor();
  await page.getByLabel('Folder on the machine').fill(folder);
  await page.getByText('It is a git repository, and stays as it is.').waitFor();
  await page.getByRole('button', { name: 'Register it' }).click();
  await page.locator('.rows').getByText('shelf', { exact: true }).waitFor();
  await axe(page, faults);
  await page.getByRole('link', { name: 'Set a goal' }).click();
  expect(await page.getByLabel('What is to be achieved').inputValue()).toBe('Sort the shelf');
  expect(await page.getByLabel('Repository').locator('option').allInnerTexts()).toEqual(['shelf']);
  await page.getByRole('link', { name: 'Inbox' }).click();
  await steps.getByText('Done.').waitFor();
  await axe(page, faults);
  await studio.call('POST', '/studio/goals', { body: { goal: 'Another' } });
  await page.getByText('Nothing waits for you.').waitFor();
  await expect.poll(() => steps.count()).toBe(0);
  expect(faults).toEqual([]);
});

it('a conflict that an agent is at says who it is, among the conflicts and at its own address', async () => {
  const models = scriptedModels(async (_asked, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return {};
  });
  const studio = await startTestStudio(undefined, { agents: { models } });
  const folder = join(await tempFolder(), 'shelf');
  const at = await withRepository(studio, folder, await gitRepository(folder, { a: 'base\n' }));
  const offered = async (content: string): Promise<string> => {
    const made = (await at.post('workunits', { goal: `write ${content}` })).json as {
      workUnitId: string;
      branchId: string;
    };
    await at.post(`branches/${made.branchId}/resync-files`, { files: [{ path: 'a', content }] });
    return at.approved(made.branchId, 'candidate', { workUnitId: made.workUnitId });
  };
  const [first, second] = [await offered('one\n'), await offered('two\n')];
  expect((await at.post(`merges/${first}/apply`)).status).toBe(200);
  expect((await at.post(`merges/${second}/apply`)).status).toBe(409);
  interface Known {
    readonly conflictId: string;
    readonly status: string;
    readonly reconcilingWorkUnitId?: string;
  }
  const known = async () => ((await at.get('branches/candidate/conflicts')).json as readonly Known[])[0];
  await expect.poll(async () => (await known())?.status).toBe('Reconciling');
  const { conflictId, reconcilingWorkUnitId = '' } = (await known())!;
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.goto(`${studio.origin}/conflicts`);
  await page.getByRole('heading', { name: 'Agents are at' }).waitFor();
  const link = page.locator(`a[href="/units/${reconcilingWorkUnitId}"]`);
  await link.waitFor();
  await axe(page, faults);
  await page.goto(`${studio.origin}/conflicts/${conflictId}`);
  await link.click();
  await page.waitForURL((url) => url.pathname === `/units/${reconcilingWorkUnitId}`);
  expect(faults).toEqual([]);
});
