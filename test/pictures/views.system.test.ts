/**
 * Views as they look, against pictures of how they should: each at three widths, at half their size, so that a letter that
 * is drawn otherwise weighs little and a part that is missing or out of its place much.
 * What is meant to look otherwise is kept by `KEEP_PICTURES=1 npm run test:system -- test/pictures`, and looked at.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../support/browsers/browser.js';
import { openScene } from './scene.mjs';

const KEPT = join(import.meta.dirname, 'kept');
const isKept = process.env['KEEP_PICTURES'] !== undefined;

const WIDTHS = [1400, 820, 390];
const HEIGHT = 760;
const HOUR_MS = 3_600_000;

/** Pictures of one view until two are the same. */
const MOST_PICTURES = 100;

/** Share of a picture that may look otherwise: ids and letters do from run to run and from machine to machine. */
const TOLERANCE = 0.02;

/** Makes ids that are new in each run equally wide, for where a line breaks follows from them. Runs in the page. */
const EVEN_IDS = `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const even = text.nodeValue.replaceAll(/\\b[0-9a-f]{8}\\b/g, '00000000');
    if (even !== text.nodeValue) text.nodeValue = even;
  }
}`;

it('every view looks as it did, wide, narrow and on a phone', async () => {
  const scene = await openScene();
  onTestFinished(() => scene.close());
  const context = await (
    await browser()
  ).newContext({
    deviceScaleFactor: 0.5,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    viewport: { width: 1400, height: HEIGHT },
  });
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
  const paths = new Map([
    // What rooms look like needs an operator's link, and a test of its own drives it.
    ...places.filter((path) => path !== '/rooms').map((path) => [path.slice(1), path] as const),
    ['review', review],
    ['unit', unit ?? ''],
  ]);
  const wrong: string[] = [];
  for (const [view, path] of paths)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      await page.goto(`${scene.origin}${path}`);
      const seen = await settled(page);
      const share = await unlike(`${view}-${width}`, seen);
      if (share > TOLERANCE) wrong.push(`${view} at ${width}: ${(share * 100).toFixed(1)} %`);
    }
  expect(wrong).toEqual([]);
}, 240_000);

/** Picture of a view that has read what it shows: two in a row are the same. What a clock says is covered. */
async function settled(page: Page): Promise<PNG> {
  await page.locator('#main h1').waitFor();
  await page.locator('.live[data-state=live]').waitFor();
  let last: Buffer = Buffer.alloc(0);
  for (let taken = 0; taken < MOST_PICTURES; taken++) {
    await expect.poll(() => page.getByText('Reading …').count()).toBe(0);
    await page.evaluate(EVEN_IDS);
    const mask = [page.locator('time')];
    const next = await page.screenshot({ animations: 'disabled', caret: 'hide', mask });
    if (next.equals(last)) return PNG.sync.read(next);
    last = next;
    await page.waitForTimeout(100);
  }
  throw new Error(`${page.url()} does not come to rest`);
}

/** Share of the picture that is not as it was kept; what was seen is put beside a picture of the difference. */
async function unlike(name: string, seen: PNG): Promise<number> {
  const { width, height } = seen;
  if (isKept) {
    await mkdir(KEPT, { recursive: true });
    await writeFile(join(KEPT, `${name}.png`), PNG.sync.write(seen, { colorType: 2, deflateLevel: 9 }));
    return 0;
  }
  const kept = PNG.sync.read(await readFile(join(KEPT, `${name}.png`)));
  expect([kept.width, kept.height]).toEqual([width, height]);
  const difference = new PNG({ width, height });
  const many = pixelmatch(kept.data, seen.data, difference.data, width, height, { threshold: 0.2 });
  const share = many / (width * height);
  if (share > TOLERANCE) {
    const folder = join(tmpdir(), 'weft-pictures');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${name}.png`), PNG.sync.write(seen, { colorType: 2, deflateLevel: 9 }));
    await writeFile(join(folder, `${name}.difference.png`), PNG.sync.write(difference));
    console.log(`${name} is not as it was: ${join(folder, `${name}.difference.png`)}`);
  }
  return share;
}
