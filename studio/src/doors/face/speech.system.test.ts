/** What agents say, in Chromium: it is read while a scripted model says it slowly, by all tabs over one stream, until the record has it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe } from '../../../../test/support/browsers/axe.js';
import { browser } from '../../../../test/support/browsers/browser.js';
import { ProviderError } from '../../models/provider.js';
import { type Turn, scriptedModels } from '../../testing/models/scripted-models.js';
import { startTestStudio } from '../../testing/test-studio.js';

/** A model that says a piece when it is told one, and ends its turn as it is told. */
class Slow {
  readonly #told: (string | Turn | Error)[] = [];
  #wake = (): void => undefined;

  tell(next: string | Turn | Error): void {
    this.#told.push(next);
    this.#wake();
  }

  async turn(say: (text: string) => void, signal: AbortSignal): Promise<Turn> {
    while (!signal.aborted) {
      const next = this.#told.shift();
      if (next instanceof Error) throw next;
      if (typeof next === 'string') say(next);
      else if (next) return next;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
    }
    throw new ProviderError('stopped', 'stopped');
  }
}

it('is read piece by piece in every tab over one stream, stands there once when it is recorded, and goes when it fails', async () => {
  const slow = new Slow();
  const models = scriptedModels(({ say }, signal) => slow.turn(say, signal));
  const studio = await startTestStudio(undefined, { agents: { models } });
  await studio.call('PUT', '/studio/agent-profiles/worker', { body: { maxIterations: 5 } });
  const context = await (await browser()).newContext();
  const faults: string[] = [];
  const streams: string[] = [];
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === '/studio/events') streams.push(search);
  });
  context.on('page', (page) => page.on('pageerror', (error) => faults.push(String(error))));
  const first = await context.newPage();
  await first.goto(studio.link());
  await first.locator('.live[data-state=live]').waitFor();

  const { workUnitId } = (
    await studio.call('POST', '/studio/workunits', {
      body: { goal: 'Find it', expectedOutputKind: 'KnowledgeArtifact' },
    })
  ).json as { workUnitId: string };
  const open = async (page: Page): Promise<Page> => {
    await page.goto(`${studio.origin}/units/${workUnitId}`);
    await page.locator('.live[data-state=live]').waitFor();
    await page.getByRole('heading', { name: 'Find it' }).waitFor();
    return page;
  };
  await open(first);
  const begun = await studio.call('POST', '/studio/scheduler/enqueue', { body: { workUnitId, profileId: 'worker' } });
  expect(begun.status).toBe(200);
  const speaking = (page: Page) => page.locator('.speaking');
  const says = async (page: Page, text: string): Promise<void> =>
    expect.poll(async () => (await speaking(page).allInnerTexts()).map((said) => said.trim())).toEqual([text]);
  slow.tell('I look ');
  await says(first, 'I look');
  slow.tell('at <b>all</b> ');
  await says(first, 'I look at <b>all</b>');
  await axe(first, faults);
  // A tab that comes in the middle is told what was said before.
  const second = await open(await context.newPage());
  await says(second, 'I look at <b>all</b>');
  slow.tell('\u202ebefore I write.');
  for (const page of [first, second]) await says(page, 'I look at <b>all</b> ⟨202e⟩before I write.');
  expect(streams.filter((search) => !search.includes('speech=true'))).toEqual([]);
  const before = streams.length;

  const whole = 'I look at <b>all</b> \u202ebefore I write.';
  slow.tell({ text: whole, calls: [['workunit_get', { workUnitId }]] });
  for (const page of [first, second]) {
    await page.locator('.call').first().waitFor();
    await speaking(page).waitFor({ state: 'detached' });
    expect(await page.getByText('I look at').count()).toBe(1);
  }
  const { json: log } = await studio.call('GET', `/studio/workunits/${workUnitId}/conversation-log`);
  expect(log).toMatchObject([{ assistantText: whole }, {}]);

  slow.tell('Half of an ans');
  for (const page of [first, second]) await says(page, 'Half of an ans');
  slow.tell(new ProviderError('refused', 'no'));
  for (const page of [first, second]) {
    await speaking(page).waitFor({ state: 'detached' });
    expect(await page.getByText('Half of an ans').count()).toBe(0);
  }
  expect(streams).toHaveLength(before);
  expect(faults).toEqual([]);
});

it('keeps the end in sight for who is there, and leaves alone who reads further up', async () => {
  const slow = new Slow();
  const models = scriptedModels(({ say }, signal) => slow.turn(say, signal));
  const studio = await startTestStudio(undefined, { agents: { models } });
  const page = await (await browser()).newPage({ viewport: { width: 900, height: 500 } });
  await page.goto(studio.link());
  await page.locator('.live[data-state=live]').waitFor();
  const body = { goal: 'Find it', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = (await studio.call('POST', '/studio/workunits', { body })).json as { workUnitId: string };
  await studio.call('POST', '/studio/scheduler/enqueue', { body: { workUnitId, profileId: 'worker' } });
  await page.goto(`${studio.origin}/units/${workUnitId}`);
  await page.locator('.cycle').first().waitFor();
  const end = page.locator('.speaking', { hasText: 'the end' });
  const left = (): Promise<number> => page.evaluate('document.documentElement.scrollHeight - scrollY - innerHeight');
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  slow.tell(`${'a line\n'.repeat(60)}`);
  slow.tell('the end');
  await end.waitFor();
  await expect.poll(left).toBeLessThan(5);
  await page.evaluate('scrollTo(0, 0)');
  slow.tell(`\n${'another line\n'.repeat(60)}the last`);
  await page.locator('.speaking', { hasText: 'the last' }).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
});
