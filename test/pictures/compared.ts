/** Pictures of views beside those that are kept: taken when nothing moves any more, and compared with a tolerance. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { expect } from 'vitest';

const KEPT = join(import.meta.dirname, 'kept');
const isKept = process.env['KEEP_PICTURES'] !== undefined;

const WIDTHS = [1400, 820, 390];
const HEIGHT = 760;

/** Half size: a letter that is drawn otherwise weighs little, and a part that is missing or out of its place much. */
export const LOOKS: BrowserContextOptions = {
  deviceScaleFactor: 0.5,
  colorScheme: 'light',
  reducedMotion: 'reduce',
  viewport: { width: 1400, height: HEIGHT },
};

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

/** Views that do not look as they did, at each width. Each is gone to, and has come to rest when `isThere` says so. */
export async function changedLooks(
  page: Page,
  views: ReadonlyMap<string, string>,
  isThere: (page: Page) => Promise<unknown>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [view, address] of views)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      await page.goto(address);
      await isThere(page);
      const share = await unlike(`${view}-${width}`, await settled(page));
      if (share > TOLERANCE) wrong.push(`${view} at ${width}: ${(share * 100).toFixed(1)} %`);
    }
  return wrong;
}

/** Picture of a view that has read what it shows: two in a row are the same. What a clock says is covered. */
async function settled(page: Page): Promise<PNG> {
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
