/** What waits is answered where it stands: a key that is missing, a budget that is used up; and where a goal is begun, its base. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe } from '../../../../test/support/browsers/axe.js';
import { browser } from '../../../../test/support/browsers/browser.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

async function opened(studio: TestStudio, faults: string[]): Promise<Page> {
  const page = await (await browser()).newPage({ viewport: { width: 1280, height: 900 } });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(studio.link());
  await page.locator('.live[data-state=live]').waitFor();
  return page;
}

async function registered(studio: TestStudio): Promise<{ readonly folder: string; readonly repositoryId: string }> {
  const folder = join(await tempFolder(), 'shelf');
  await gitRepository(folder, { 'readme.md': 'hello\n' });
  const { json } = await studio.call('POST', '/studio/repositories', { body: { path: folder } });
  return { folder, repositoryId: (json as { repositoryId: string }).repositoryId };
}

const GOAL = 'Sort the shelf';

it('a budget that is used up is raised in the inbox, and the goal goes on; Spend has its limit as a line, the goal what its agent does', async () => {
  const usage = { inputTokens: 50_000, cachedInputTokens: 0, outputTokens: 10_000 };
  // It looks three times, and thinks from then on.
  const models = scriptedModels(async ({ turn }, signal) => {
    if (turn > 2) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { usage, calls: [['workspace_exists', { path: `shelf-${turn}.md` }]] };
  });
  const studio = await startTestStudio(undefined, { agents: { models } });
  const { repositoryId } = await registered(studio);
  const body = { goal: GOAL, repositoryId, shape: 'single', maxGoalTokens: 150_000 };
  const made = (await studio.call('POST', '/studio/goals/run', { body })).json as { goalId: string };
  const faults: string[] = [];
  const page = await opened(studio, faults);
  const item = page.locator('[data-kind=budget]');
  await item.getByText(/ of 150000 tokens are used/).waitFor();
  const goOn = item.getByRole('button', { name: 'Go on' });
  await goOn.waitFor();
  await axe(page, faults);
  const field = item.getByLabel('It may use so many tokens');
  for (const wrong of ['', 'many', '0', '-5', '1.5']) {
    await field.fill(wrong);
    expect(await goOn.isDisabled(), wrong).toBe(true);
  }
  await field.fill('400000');
  await goOn.click();
  await item.waitFor({ state: 'detached' });

  await page.goto(`${studio.origin}/goals/${made.goalId}`);
  await page.locator('.tree', { hasText: /waits for the model, turn \d/ }).waitFor();
  await page.getByText(/of 400K/).waitFor();
  await page.goto(`${studio.origin}/spend`);
  const bar = page.getByRole('img', { name: new RegExp(`^Tokens of ${GOAL}: \\d+K, limit 400K$`) });
  await bar.waitFor();
  // The scale ends at what is most: the limit itself.
  expect(await bar.locator('line').getAttribute('x1')).toBe('100');
  expect(Number(await bar.locator('rect.used').getAttribute('width'))).toBeGreaterThan(40);
  await axe(page, faults);
  expect(faults).toEqual([]);
});

it('a budget of all goals is raised in the inbox before it is used up', async () => {
  // What is left has room for a further question, in which it thinks.
  const models = scriptedModels(async ({ turn }, signal) => {
    if (turn > 2) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    const usage = { inputTokens: 90_000, cachedInputTokens: 0, outputTokens: 0 };
    return { usage, calls: [['workspace_exists', { path: `shelf-${turn}.md` }]] };
  });
  const studio = await startTestStudio(undefined, { agents: { models } });
  const { repositoryId } = await registered(studio);
  await studio.call('POST', '/studio/options', { as: 'admin', body: { maxGoalTokens: 300_000 } });
  await studio.call('POST', '/studio/goals/run', { body: { goal: GOAL, repositoryId, shape: 'single' } });
  const faults: string[] = [];
  const page = await opened(studio, faults);
  const item = page.locator('[data-kind=budget]');
  await item.getByLabel('Each goal may use so many tokens').fill('500000');
  await item.getByRole('button', { name: 'Allow it' }).click();
  await item.waitFor({ state: 'detached' });
  expect((await studio.call('GET', '/studio/options')).json).toMatchObject({ maxGoalTokens: 500_000 });
  expect(faults).toEqual([]);
});

it('a key that is missing is given in the inbox, is shown nowhere, and the work that waited for it goes on', async () => {
  const models = scriptedModels(() => ({ calls: [['clarification_request', { question: 'Which shelf?' }]] }));
  const studio = await startTestStudio(undefined, { agents: { models } });
  const { repositoryId } = await registered(studio);
  const unit = await studio.call('POST', '/studio/workunits', { body: { goal: GOAL, repositoryId } });
  const { workUnitId } = unit.json as { workUnitId: string };
  const wanted = { agentType: 'worker', workUnitId, profileId: 'worker', credentialRef: 'the-key' };
  expect((await studio.call('POST', '/studio/agents/spawn', { body: wanted })).status).toBe(200);
  const faults: string[] = [];
  const page = await opened(studio, faults);
  const item = page.locator('[data-kind=key]');
  await item.getByText('The key the-key is missing').waitFor();
  const give = item.getByRole('button', { name: 'Give the key', exact: true });
  expect(await give.isDisabled()).toBe(true);
  await item.getByLabel('Key the-key').fill('not-to-be-seen');
  await item.getByRole('button', { name: /^Command that does the same/ }).click();
  await item.getByText('weft key set the-key').waitFor();
  expect(await page.locator('body').innerText()).not.toContain('not-to-be-seen');
  await axe(page, faults);
  await page.goto(`${studio.origin}/agents`);
  await page.getByText('The key the-key is missing: 1 work unit').waitFor();
  await page.goto(`${studio.origin}/inbox`);
  await item.getByLabel('Key the-key').fill('not-to-be-seen');
  await give.click();
  await item.waitFor({ state: 'detached' });
  await page.locator('[data-kind=answer]', { hasText: 'Which shelf?' }).waitFor();
  expect((await studio.call('GET', '/studio/credentials')).json).toEqual([{ credentialRef: 'the-key' }]);
  await page.goto(`${studio.origin}/agents`);
  await page.locator('li', { hasText: 'the-key' }).getByText('present').waitFor();
  expect(await page.content()).not.toContain('not-to-be-seen');
  expect(faults).toEqual([]);
});

it('a goal is begun for the branch where work lands, or for one at the remote of its repository, which the form says', async () => {
  const models = scriptedModels(() => ({ calls: [['clarification_request', { question: 'Which shelf?' }]] }));
  const studio = await startTestStudio(undefined, { agents: { models } });
  const { folder, repositoryId } = await registered(studio);
  await git(folder, 'remote', 'add', 'origin', 'https://localhost/nowhere.git');
  await git(folder, 'update-ref', 'refs/remotes/origin/release', 'HEAD');
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.goto(`${studio.origin}/goals/new`);
  const base = page.getByLabel('Base branch');
  await base.waitFor();
  expect(await base.locator('option').allInnerTexts()).toEqual(['main', 'release, at origin']);
  expect(await base.inputValue()).toBe('');
  await page.getByText('Work begins at its newest commit, and lands there.').waitFor();
  await base.selectOption('release');
  await page.getByText(/Its result is for release at origin.* Nothing moves here\./).waitFor();
  await axe(page, faults);
  await page.getByLabel('What is to be achieved').fill(GOAL);
  await page.getByRole('button', { name: 'Begin', exact: true }).click();
  await page.getByRole('heading', { name: GOAL }).waitFor();
  const goalId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const settings = `/studio/repositories/${repositoryId}/publishing?goalId=${goalId}`;
  expect((await studio.call('GET', settings)).json).toEqual({ base: 'release' });
  expect(faults).toEqual([]);
});
