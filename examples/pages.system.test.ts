/** Examples that are pages: each is started as its page says, and used by two people in Chromium. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../test/support/browsers/browser.js';

async function start(name: string): Promise<{ readonly address: string; readonly child: ChildProcess }> {
  const file = join(import.meta.dirname, name, 'main.mjs');
  const child = spawn(process.execPath, [file], { env: { ...process.env, PORT: '0' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)));
  ended.catch(() => undefined);
  const [address] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
  return { address, child };
}

async function person(faults: string[]): Promise<BrowserContext> {
  const context = await (await browser()).newContext();
  context.on('weberror', (error) => faults.push(String(error.error())));
  return context;
}

async function visit(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

/** Picture of the example's page, as its README shows it: taken anew on demand, since colours and names are by chance. */
async function picture(page: Page, name: string): Promise<void> {
  if (process.env['PICTURES']) await page.screenshot({ path: join(import.meta.dirname, name, 'page.png') });
}

it('notes', async () => {
  const { address, child } = await start('notes');
  const faults: string[] = [];
  const [ann, ben] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ben, address)];
  await one.click('.tiptap');
  await one.keyboard.type('# For the weekend');
  await one.keyboard.press('Enter');
  await one.keyboard.type('We need:');
  await one.keyboard.press('Enter');
  await one.keyboard.type('- Bread and salt');
  await expect.poll(() => two.textContent('.tiptap h1')).toContain('For the weekend');
  await expect.poll(() => two.textContent('.tiptap ul')).toContain('Bread and salt');
  await two.click('.tiptap li');
  // Keys within a few milliseconds of the focus come before the editor has put its selection there.
  await two.waitForTimeout(300);
  await two.keyboard.press('End');
  await two.keyboard.press('Enter');
  await two.keyboard.type('**Cheese**, if there is any');
  await expect.poll(() => one.textContent('.tiptap li strong')).toBe('Cheese');
  await expect.poll(() => one.locator('.weft-caret').count()).toBe(1);
  expect(await one.getAttribute('.weft-caret', 'title')).toMatch(/^guest \d+$/);
  await picture(one, 'notes');

  // One's own is taken back, and what the other has written stays.
  await one.keyboard.press('Control+z');
  await expect.poll(() => two.textContent('.tiptap')).not.toContain('salt');
  await one.keyboard.press('Control+y');
  await expect.poll(() => two.textContent('.tiptap')).toContain('Bread and salt');
  expect(await two.textContent('.tiptap')).toContain('Cheese');

  // The server is gone; what is written stays on the device.
  child.kill('SIGTERM');
  await once(child, 'exit');
  await one.keyboard.type(' and wine');
  await expect.poll(() => one.textContent('small')).toMatch(/changes kept on this device$/);
  expect(faults).toEqual([]);
});

it('board', async () => {
  const { address, child } = await start('board');
  const faults: string[] = [];
  const [ann, ben] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ben, address)];
  for (const page of [one, two]) await expect.poll(() => page.textContent('#todo small')).toBe('3334');
  expect(await one.locator('li').count()).toBeLessThan(50);
  await one.locator('#todo li').first().getByText('→').click();
  for (const page of [one, two]) {
    await expect.poll(() => page.textContent('#todo small')).toBe('3333');
    await expect.poll(() => page.textContent('#doing small')).toBe('3334');
  }
  await picture(one, 'board');
  await two.evaluate(`(box => (box.scrollTop = box.scrollHeight))(document.querySelector('#doing div'))`);
  await expect.poll(() => two.locator('#doing li').last().textContent()).toContain('Card 9');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(faults).toEqual([]);
});
