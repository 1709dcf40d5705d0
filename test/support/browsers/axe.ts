/** What axe finds serious in a page, in both themes; and its picture, when somebody wants to look. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Folder for pictures of what the page shows. */
const pictures = process.env['PICTURES'];
let taken = 0;

export async function axe(page: Page, faults: string[]): Promise<void> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    // Not by a tag: the policy of the page lets no other script in.
    const found: unknown = await page.evaluate(`(async () => {
      ${source}
      const { violations } = await axe.run(document, { resultTypes: ['violations'] });
      return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary).join(' | '));
    })()`);
    for (const one of found as string[]) faults.push(`${theme} ${page.url()}: ${one}`);
    if (!pictures) continue;
    await page.screenshot({ path: join(pictures, `${String(taken++).padStart(2, '0')}-${theme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
