/** A newcomer with a browser alone: a studio without a model, its link, and the demonstration, from its offer until nothing of it is left. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { browser } from '../support/browsers/browser.js';
import { playDemonstration } from '../support/browsers/play-demonstration.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

it('is played from the link of a studio that has no model, by mouse, and removed without a trace', async () => {
  const store = await tempFolder();
  const up = new WeftProcess(['up', '--listen', '127.0.0.1:0', '--studio-listen', '127.0.0.1:0', '--store', store]);
  const [, link = ''] = await up.line(/^open +(http:\S+)$/);
  const page = await (await browser()).newPage({ viewport: { width: 1280, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  await page.goto(link);
  const home = new URL(page.url()).origin;
  await playDemonstration(page, faults);

  const folder = join(store, 'studio', 'demonstration');
  expect(await readFile(join(folder, 'calculator/src/show.js'), 'utf8')).toContain('toFixed(3)');
  expect(await readdir(join(folder, 'calculator/test'))).toContain('subtract.test.js');
  const there = page.url();
  await page.getByRole('link', { name: 'Back to your studio' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  expect(new URL(page.url()).origin).toBe(home);
  await page.getByRole('button', { name: 'End and remove it' }).click();
  await page.getByRole('button', { name: 'Remove all of it?' }).click();
  await page.getByRole('button', { name: 'Play the demonstration' }).waitFor();
  expect(await readdir(join(store, 'studio'))).not.toContain('demonstration');
  await expect(fetch(there)).rejects.toThrow();
  await page.getByRole('link', { name: 'Repositories' }).click();
  await page.getByText('Register a folder').first().waitFor();
  expect(await page.getByText('calculator').count()).toBe(0);
  expect(faults).toEqual([]);
});
