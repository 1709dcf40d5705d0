/** Views in Chromium that the demonstration only looks at: what can be done in Time, and what Spend foretells. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe } from '../../../../test/support/browsers/axe.js';
import { browser } from '../../../../test/support/browsers/browser.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { ManualClock } from '../../testing/manual-clock.js';
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

it('a moment of the record is gone to and linked; a session is forked there, and another way begun beside its work', async () => {
  const studio = await startTestStudio();
  const read = async (path: string): Promise<unknown> => (await studio.call('GET', `/studio/${path}`)).json;
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, json } = await studio.call('POST', `/studio/${path}`, { body });
    expect(status).toBe(200);
    return json as Record<string, string>;
  };
  const root = await post('workunits', { goal: 'Sort the shelf' });
  const { sessionId } = await post('sessions', { rootWorkUnitId: root['workUnitId'], profileIds: ['worker'] });
  const part = { parentWorkUnitId: root['workUnitId'] };
  const first = await post('workunits', { goal: 'by colour', ...part });
  const { asOf: moment } = (await read('attention')) as { asOf: number };
  await post(`workunits/${first['workUnitId']}/cancel`, {});
  await post('workunits', { goal: 'by size', ...part });
  const faults: string[] = [];
  const page = await opened(studio, faults);
  const slider = page.getByRole('slider');
  const then = page.locator('section', { has: page.getByRole('heading', { name: 'Under way then' }) });

  // From now on: the end of the record, which is where the slider stands.
  await page.goto(`${studio.origin}/time`);
  await then.getByRole('link', { name: 'by size' }).waitFor();
  const last = await slider.getAttribute('max');
  expect(Number(last)).toBeGreaterThan(moment);
  expect(await slider.inputValue()).toBe(last);
  await page.goto(`${studio.origin}/time?at=${moment}`);
  await then.getByRole('link', { name: 'by colour' }).waitFor();
  await expect.poll(() => slider.inputValue()).toBe(String(moment));
  expect(await then.getByRole('link', { name: 'by size' }).count()).toBe(0);
  await axe(page, faults);
  await page.goto(`${studio.origin}/audit`);
  await page.getByText('session started').waitFor();
  expect(await page.getByText('Nothing that was read says so.').count()).toBe(0);
  await page.goto(`${studio.origin}/time?at=${moment}`);
  await then.getByRole('link', { name: 'by colour' }).waitFor();
  await slider.focus();
  await page.keyboard.press('End');
  await then.getByRole('link', { name: 'by size' }).waitFor();
  expect(await then.getByRole('link', { name: 'by colour' }).count()).toBe(0);
  await page.goBack();
  await then.getByRole('link', { name: 'by colour' }).waitFor();
  await expect.poll(() => slider.inputValue()).toBe(String(moment));

  await then.getByText('Fork from this moment').click();
  await then.getByLabel('What is tried instead').fill('Throw half of it away');
  await then.getByRole('button', { name: 'Fork here', exact: true }).click();
  await page.getByText('Another session has begun at this moment').waitFor();
  expect(await read('sessions')).toContainEqual(
    expect.objectContaining({
      parentSessionId: sessionId,
      parentEventId: `ev-${moment}`,
      goal: 'Throw half of it away',
      status: 'Active',
    }),
  );
  await then.getByText('Throw half of it away').waitFor();
  await axe(page, faults);

  const work = then.locator('li', { has: page.getByRole('link', { name: 'by colour' }) }).first();
  await work.getByText('Begin another way beside it').click();
  const begin = work.getByRole('button', { name: 'Begin', exact: true });
  expect(await begin.isDisabled()).toBe(true);
  await work.getByLabel('What has to be kept to there').fill('Only blue ones');
  await begin.click();
  await page.getByRole('heading', { name: /by colour/ }).waitFor();
  expect(new URL(page.url()).pathname).not.toBe(`/units/${first['workUnitId']}`);
  expect(faults).toEqual([]);
});

it('Spend foretells from what a goal has used in its time, by which limit it ends and when', async () => {
  const wall = new ManualClock(Date.now());
  const usage = { inputTokens: 50_000, cachedInputTokens: 10_000, outputTokens: 10_000, microUsd: 2_000_000 };
  // It looks once, and thinks from then on.
  const models = scriptedModels(async ({ turn }, signal) => {
    if (turn > 0) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { usage, calls: [['workspace_exists', { path: 'readme.md' }]] };
  });
  const studio = await startTestStudio(undefined, { wall, agents: { models } });
  await studio.call('PUT', '/studio/agent-profiles/worker', { body: { maxIterations: 2 } });
  const folder = join(await tempFolder(), 'shelf');
  await gitRepository(folder, { 'readme.md': 'hello\n' });
  const registered = await studio.call('POST', '/studio/repositories', { body: { path: folder } });
  const { repositoryId } = registered.json as { repositoryId: string };
  const goal = 'Sort the shelf';
  const made = await studio.call('POST', '/studio/goals/run', { body: { goal, repositoryId, shape: 'single' } });
  expect(made.status).toBe(200);
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.goto(`${studio.origin}/spend`);
  await page.getByRole('table', { name: 'By goal' }).waitFor();
  const forecast = page.getByRole('table', { name: 'Forecast, at the rate so far' });
  // A minute has not passed: there is no rate yet.
  expect(await forecast.count()).toBe(0);
  wall.jump(30 * 60_000);
  await page.reload();
  const cells = (): Promise<string[]> => forecast.locator('tbody td').allInnerTexts();
  await expect.poll(cells).toEqual([goal, '120K', '$4.00', 'it has none']);
  const byDay = page.getByRole('table', { name: /^By day/ }).locator('tbody td');
  const [, cost, , cached] = await byDay.allInnerTexts();
  expect([cost, cached]).toEqual(['$2.00', '20 %']);
  const byModel = page.getByRole('table', { name: /^By model/ }).locator('tbody tr');
  expect(await byModel.allInnerTexts()).toEqual([expect.stringContaining('scripted-1')]);
  await axe(page, faults);
  await studio.call('POST', '/studio/options', { as: 'admin', body: { maxGoalTokens: 180_000 } });
  await expect.poll(cells).toEqual([goal, '120K', '$4.00', 'in 60 min, by its tokens']);
  await studio.call('POST', '/studio/options', { as: 'admin', body: { maxGoalDurationMinutes: 45 } });
  await expect.poll(cells).toEqual([goal, '120K', '$4.00', 'in 15 min, by its time']);
  const { goalId } = made.json as { goalId: string };
  await page.goto(`${studio.origin}/goals/${goalId}`);
  const figure = (name: string): Promise<string> =>
    page
      .locator('.figures > div', { has: page.getByText(name, { exact: true }) })
      .locator('dd')
      .innerText();
  await expect.poll(() => figure('Cost')).toBe('$2.00');
  await expect.poll(() => figure('An hour at this rate')).toBe('120K tokens, $4.00');
  expect(await figure('Ends at a limit')).toBe('in 15 min, by its time');
  expect(faults).toEqual([]);
});

it('what an agent proposes to remember waits in the inbox, and Knowledge shows, adds and ends what is told', async () => {
  const models = scriptedModels(async ({ turn }) => ({
    calls: turn === 0 ? [['remember', { text: 'Tests need a database.', why: 'They failed without one.' }]] : [],
  }));
  const studio = await startTestStudio(undefined, { agents: { models } });
  const folder = join(await tempFolder(), 'shelf');
  await gitRepository(folder, { 'readme.md': 'hello\n' });
  const registered = await studio.call('POST', '/studio/repositories', { body: { path: folder } });
  const { repositoryId } = registered.json as { repositoryId: string };
  const body = { goal: 'Sort the shelf', repositoryId, shape: 'single' };
  expect((await studio.call('POST', '/studio/goals/run', { body })).status).toBe(200);
  const faults: string[] = [];
  const page = await opened(studio, faults);
  const waiting = page.locator('[data-kind=memory]');
  await waiting.getByRole('button', { name: 'Remember it' }).click();
  await expect.poll(() => waiting.count()).toBe(0);
  await page.goto(`${studio.origin}/knowledge`);
  await page.getByRole('tab', { name: 'Memory' }).click();
  const panel = page.getByRole('tabpanel');
  await panel.getByText('They failed without one.').waitFor();
  await panel.getByLabel('What it should know').fill('Releases are cut on Mondays.');
  await panel.getByRole('button', { name: 'Add', exact: true }).click();
  await panel.getByText('Releases are cut on Mondays.').waitFor();
  await axe(page, faults);
  await panel
    .locator('li', { hasText: 'Tests need a database.' })
    .getByRole('button', { name: 'Tell it no more' })
    .click();
  await panel.getByText('Removed').waitFor();
  const { json } = await studio.call('GET', '/studio/memories');
  const stands = (json as { text: string; status: string }[]).map(({ text, status }) => [text, status]);
  expect(stands.sort()).toEqual([
    ['Releases are cut on Mondays.', 'Confirmed'],
    ['Tests need a database.', 'Removed'],
  ]);
  expect(faults).toEqual([]);
});

it('of many goals the newest are shown, older ones on request, and the palette finds any by its words', async () => {
  const studio = await startTestStudio();
  for (let n = 0; n < 250; n += 1) {
    const { status } = await studio.call('POST', '/studio/goals', { body: { goal: `Shelf ${n}\nIt holds vase${n}.` } });
    expect(status).toBe(200);
  }
  const faults: string[] = [];
  const page = await opened(studio, faults);
  await page.goto(`${studio.origin}/goals`);
  const links = page.getByRole('link', { name: /^Shelf/ });
  await expect.poll(() => links.count()).toBe(200);
  expect(await links.first().textContent()).toBe('Shelf 249');
  await page.getByRole('button', { name: 'Older ones, too' }).click();
  await expect.poll(() => links.count()).toBe(250);
  expect(await page.getByRole('button', { name: 'Older ones, too' }).count()).toBe(0);
  // Typed fast: Enter comes before the studio has answered.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('goal VASE7.');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Shelf 7', exact: true }).waitFor();
  // Words that nothing has: nothing is run.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('unicorn');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing is called so.').waitFor();
  await axe(page, faults);
  expect(faults).toEqual([]);
});
