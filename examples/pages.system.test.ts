/** Examples that are pages: each is started as its page says, and used by two people in Chromium. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../test/support/browser.js';

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

it('notes', async () => {
  const { address, child } = await start('notes');
  const faults: string[] = [];
  const [ann, ben] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ben, address)];
  await one.click('.cm-content');
  await one.keyboard.type('Bring bread');
  await expect.poll(() => two.textContent('.cm-content')).toContain('Bring bread');
  await expect.poll(() => two.locator('.weft-caret').count()).toBe(1);
  expect(await two.getAttribute('.weft-caret', 'title')).toMatch(/^guest \d+$/);

  // The server is gone; what is written stays on the device.
  child.kill('SIGTERM');
  await once(child, 'exit');
  await one.keyboard.type(' and salt');
  await expect.poll(() => one.textContent('p')).toMatch(/changes kept on this device$/);
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
  await two.evaluate(`(box => (box.scrollTop = box.scrollHeight))(document.querySelector('#doing div'))`);
  await expect.poll(() => two.locator('#doing li').last().textContent()).toContain('Card 9');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(faults).toEqual([]);
});
