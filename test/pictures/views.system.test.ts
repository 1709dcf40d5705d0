/**
 * Views as they look, against pictures of how they should: each at three widths.
 * What is meant to look otherwise is kept by `KEEP_PICTURES=1 npm run test:system -- test/pictures`, and looked at.
 */
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../support/browsers/browser.js';
import { LOOKS, changedLooks } from './compared.js';
import { openScene } from './scene.mjs';

const HOUR_MS = 3_600_000;

it('every view looks as it did, wide, narrow and on a phone', async () => {
  const scene = await openScene();
  onTestFinished(() => scene.close());
  const context = await (await browser()).newContext(LOOKS);
  const page = await context.newPage();
  // How long ago something was decides how wide it is written: all of it was three hours ago.
  await page.clock.setFixedTime(Date.now() + 3.5 * HOUR_MS);
  await page.goto(scene.link());
  await page.getByRole('link', { name: 'Look at the changes' }).click();
  await page.locator('.diff-row').first().waitFor();
  const review = new URL(page.url()).pathname;
  const unit = await page.getByRole('link', { name: 'work unit', exact: true }).getAttribute('href');
  const links = await page.locator('nav a[href^="/"]').all();
  const places = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''));
  expect(places.length).toBeGreaterThan(10);
  const views = new Map([
    // Rooms need an operator's link; their pictures are taken at a room server.
    ...places.filter((path) => path !== '/rooms').map((path) => [path.slice(1), scene.origin + path] as const),
    ['review', scene.origin + review],
    ['unit', scene.origin + (unit ?? '')],
  ]);
  const isThere = async (): Promise<void> => {
    await page.locator('#main h1').waitFor();
    await page.locator('.live[data-state=live]').waitFor();
  };
  expect(await changedLooks(page, views, isThere)).toEqual([]);
}, 240_000);
