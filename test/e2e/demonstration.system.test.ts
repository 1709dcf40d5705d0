/** A newcomer with a browser alone: a studio without a model, its link, and the demonstration, from its offer until nothing of it is left. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { axe } from '../support/browsers/axe.js';
import { browser } from '../support/browsers/browser.js';
import { playDemonstration } from '../support/browsers/play-demonstration.js';
import { CutLink } from '../support/servers/cut-link.js';
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

it('says where its page is to whoever has come through a tunnel, and leads nowhere by itself', async () => {
  const up = new WeftProcess([
    'up',
    '--listen',
    '127.0.0.1:0',
    '--studio-listen',
    '127.0.0.1:0',
    '--store',
    await tempFolder(),
  ]);
  const [, link = ''] = await up.line(/^open +(http:\S+)$/);
  const home = new URL(link);
  const tunnel = await CutLink.before(Number(home.port));
  onTestFinished(() => tunnel.close());
  const page = await (await browser()).newPage({ viewport: { width: 1280, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(link.replace(`:${home.port}/`, `:${tunnel.port}/`));
  const card = page.getByRole('region', { name: 'Without a model: the demonstration' });
  await card.getByText(`This page has come to you from 127.0.0.1:${tunnel.port}`).waitFor();
  await card.getByRole('button', { name: 'Play the demonstration' }).click();
  const there = card.getByRole('link', { name: /^http:/ });
  await there.waitFor();
  await axe(page, faults);
  expect(new URL(page.url()).port).toBe(String(tunnel.port));
  const at = (await there.getAttribute('href')) ?? '';
  expect(new URL(at).origin).toBe(await there.innerText());
  await card.getByText(`ssh -L ${new URL(at).port}:127.0.0.1:${new URL(at).port}`).waitFor();
  await there.click();
  await page.getByRole('complementary', { name: 'Demonstration' }).waitFor();
  expect(new URL(page.url()).origin).toBe(new URL(at).origin);
  // Where it is played with the goal that the script knows, nothing is asked that the script does not know.
  await page.getByRole('link', { name: 'state the goal' }).click();
  await page.getByText(/The script knows this goal alone/).waitFor();
  expect(await page.getByLabel('How it is done').count()).toBe(0);
  expect(await page.getByLabel('Who approves what comes of it').count()).toBe(0);
  expect(faults).toEqual([]);
});
