// Pictures of the studio's page for the guide. `npm run docs:pictures`
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { GOALS, openScene } from './scene.mjs';

const pictures = join(import.meta.dirname, '../../docs/guide/pictures');

const scene = await openScene();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const page = await browser.newPage({
    viewport: { width: 1400, height: 760 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const take = async (name, wanted) => {
    await wanted.first().waitFor();
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  };
  await page.goto(scene.link());
  await take('inbox', page.locator('[data-kind=answer]'));
  await page.getByRole('link', { name: 'Look at the changes' }).click();
  await take('review', page.locator('.diff-row .is-k')); // its grammar is there by then
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('link', { name: 'work unit', exact: true }).click();
  await page.locator('.call').nth(2).click();
  await take('unit', page.locator('.call[open] pre'));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${scene.origin}/time`);
  await take('time', page.getByRole('link', { name: GOALS[0] }));
  await page.setViewportSize({ width: 390, height: 760 });
  await page.goto(`${scene.origin}/inbox`);
  await take('phone', page.locator('[data-kind=answer]'));
} finally {
  await browser.close();
  await scene.close();
}
