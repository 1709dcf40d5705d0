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
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
  const [address = ''] = /http:[^\s,]+/.exec(line) ?? [];
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

it('agents', async () => {
  const { address, child } = await start('agents');
  const faults: string[] = [];
  const [ann, guest] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ann, address)];
  await expect.poll(() => two.textContent('output')).toBe('Nothing is decided');

  // What an agent writes is seen before it has written all of it.
  await one.evaluate(`globalThis.drafts = new Set();
    new MutationObserver(() => drafts.add(document.querySelector('#careful p').textContent))
      .observe(document.querySelector('#careful'), { subtree: true, childList: true, characterData: true })`);
  await one.fill('input', 'Shall we order more bread?');
  await one.click('form button');
  await expect.poll(() => two.textContent('#careful p')).toMatch(/answer on Monday\.$/);
  await expect.poll(() => one.textContent('#careful p')).toMatch(/answer on Monday\.$/);
  expect(await one.evaluate(`[...drafts].some((draft) => /would $/.test(draft))`)).toBe(true);

  // The one that decides by itself is refused; what a page of Ann's decides, with its own key, is decided.
  await expect.poll(() => one.textContent('#eager small')).toBe('tried to decide: policy-denied');
  expect(await one.textContent('output')).toBe('Nothing is decided');
  expect(await one.textContent('#careful small')).toBe('');
  await two.click('#careful button');
  await expect.poll(() => one.textContent('output')).toBe('Ann has decided: careful');
  expect(await one.getAttribute('#careful', 'class')).toBe('chosen');
  await picture(one, 'agents');

  // Without Ann's link there is neither a token nor anything to see.
  const key = 'ab'.repeat(32);
  for (const authorization of ['', '#other']) {
    const { status } = await fetch(new URL(`/pass/${key}`, address), { headers: { authorization } });
    expect(status).toBe(404);
  }
  const strange = await visit(guest, address.replace(/#.*/, ''));
  await expect.poll(() => strange.textContent('output')).toBe('This link lets nobody in');
  expect(await strange.textContent('main')).not.toContain('Monday');

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(faults).toEqual([]);
});

it('embed-in-express', async () => {
  const { address, child } = await start('embed-in-express');
  const faults: string[] = [];
  const [ann, ben] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ben, address)];
  for (const page of [one, two]) await expect.poll(() => page.textContent('output')).toBe('joined');

  // From a page to a page and to a route, and from a route to pages.
  await one.fill('[name=title]', 'Road map');
  await one.fill('[name=owner]', 'Ann');
  await expect.poll(() => two.inputValue('[name=owner]')).toBe('Ann');
  expect(await two.inputValue('[name=title]')).toBe('Road map');
  await two.click('button');
  await expect.poll(() => two.textContent('pre')).not.toBe('');
  expect(JSON.parse((await two.textContent('pre')) ?? '')).toEqual({ 'plan/title': 'Road map', 'plan/owner': 'Ann' });
  const put = await fetch(new URL('/plans/one/due', address), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: 'in May' }),
  });
  expect(put.status).toBe(204);
  for (const page of [one, two]) await expect.poll(() => page.inputValue('[name=due]')).toBe('in May');
  await picture(two, 'embed-in-express');

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(faults).toEqual([]);
});

it('audit', async () => {
  const { address, child } = await start('audit');
  const faults: string[] = [];
  const [ann, ben] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ben, address)];
  for (const page of [one, two]) await expect.poll(() => page.locator('#changes .then').count()).toBe(5);
  expect(await one.locator('#now .by').allTextContents()).toEqual(['Ann', 'Ann', 'Ben']);
  expect(await one.textContent('#then')).toBe('books 350, rent 12000, travel 1500');

  // What was, at each moment of the history.
  await one.fill('#when', '2');
  await expect.poll(() => one.textContent('#then')).toBe('rent 12000, travel 1000');
  expect(await one.textContent('#moment')).toBe('change 2 of 5');
  expect(await one.locator('#changes .then').allTextContents()).toEqual(['Ann: rent 12000', 'Ann: travel 1000']);

  // What a page changes is signed by it, and everywhere; who looks at the past goes on looking at it.
  await two.fill('#travel input', '1750');
  await two.press('#travel input', 'Tab');
  await expect.poll(() => one.textContent('#travel .by')).toBe('a page like this');
  await expect.poll(() => two.textContent('#then')).toBe('books 350, rent 12000, travel 1750');
  await expect.poll(() => one.textContent('#moment')).toBe('change 2 of 6');
  expect(await one.textContent('#then')).toBe('rent 12000, travel 1000');

  await one.click('#travel button');
  await expect
    .poll(() => one.textContent('#proof'))
    .toMatch(/^travel is 1750: proved by \d+ bytes under [0-9a-f]{8}…; another amount: not proved$/);
  await two.click('#tamper');
  await expect.poll(() => two.textContent('#archive')).toMatch(/^refused: ./);
  await one.click('#check');
  await expect.poll(() => one.textContent('#archive')).toMatch(/^accepted: format, .*signature, .*nodes, /);
  await picture(one, 'audit');

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(faults).toEqual([]);
});

it('fork-and-promote', async () => {
  const { address, child } = await start('fork-and-promote');
  const faults: string[] = [];
  const [ann, ben] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ben, address)];
  const valueOf = (page: Page, where: 'plan' | 'draft', name: string) => page.inputValue(`#${where} [name=${name}]`);
  const looks = (page: Page): Promise<unknown> =>
    page.evaluate(`[...document.querySelectorAll('#draft label')].map((label) => label.className)`);
  for (const page of [one, two]) await expect.poll(() => valueOf(page, 'plan', 'title')).toBe('Road map');

  // Who forks it shows everybody the fork, which begins with all that the plan holds.
  await one.click('#fork');
  for (const page of [one, two]) await expect.poll(() => valueOf(page, 'draft', 'due')).toBe('in May');

  // The draft changes two fields, and the plan goes on with one of them.
  await one.fill('#draft [name=title]', 'A bold road map');
  await one.fill('#draft [name=budget]', '5000');
  await two.fill('#plan [name=budget]', '1200');
  for (const page of [one, two]) await expect.poll(() => looks(page)).toEqual(['changed', 'both', '']);
  expect(await valueOf(two, 'plan', 'title')).toBe('Road map');
  await picture(one, 'fork-and-promote');

  // What only the draft has changed is merged; the rest stays as it is on both sides.
  await one.click('#draft label.changed button');
  await expect.poll(() => valueOf(two, 'plan', 'title')).toBe('A bold road map');
  expect(await valueOf(two, 'plan', 'budget')).toBe('1200');
  await expect.poll(() => one.textContent('#told')).toBe('title is merged into the plan');
  for (const page of [one, two]) await expect.poll(() => looks(page)).toEqual(['', 'both', '']);
  // The later of two values under one name stands, and the button says which that is.
  const stands = new Map([
    ['Take this', '5000'],
    ["Keep the plan's", '1200'],
  ]).get((await one.textContent('#draft label.both button')) ?? '');
  expect(stands).toBeDefined();
  await one.click('#draft label.both button');
  for (const page of [one, two]) await expect.poll(() => looks(page)).toEqual(['', '', '']);
  expect(await valueOf(two, 'plan', 'budget')).toBe(stands);

  // What both have changed is merged by nobody who has not said so.
  await one.fill('#draft [name=due]', 'in June');
  await expect.poll(() => looks(one)).toEqual(['', '', 'changed']);
  await two.fill('#plan [name=due]', 'in July');
  await expect.poll(() => looks(one)).toEqual(['', '', 'both']);
  const unasked = new URL(
    `/merge/${await two.evaluate(`document.querySelector('#draft').dataset.room`)}/plan%2Fdue/no`,
    address,
  );
  expect(await (await fetch(unasked, { method: 'POST' })).json()).toHaveProperty('refused');
  expect(await valueOf(two, 'plan', 'due')).toBe('in July');

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(faults).toEqual([]);
});

it('from-yjs', async () => {
  const { address, child } = await start('from-yjs');
  const faults: string[] = [];
  const [ann, ben] = [await person(faults), await person(faults)];
  const [one, two] = [await visit(ann, address), await visit(ben, address)];
  for (const page of [one, two]) {
    await expect.poll(() => page.textContent('#yjs h1')).toBe('Handbook');
    await expect.poll(() => page.textContent('#yjs blockquote')).toContain('another address');
    expect(await page.textContent('#room .tiptap')).toBe('');
  }

  // Clients of Yjs go on as they are.
  await one.click('#yjs h1');
  await one.waitForTimeout(300);
  await one.keyboard.press('End');
  await one.keyboard.type(' of the house');
  await expect.poll(() => two.textContent('#yjs h1')).toBe('Handbook of the house');

  // Brought over, it has its blocks, and is a room's from then on.
  await two.click('main > button');
  for (const page of [one, two]) await expect.poll(() => page.textContent('#room h1')).toBe('Handbook of the house');
  expect(await one.locator('#room .tiptap').innerHTML()).toBe(await one.locator('#yjs .tiptap').innerHTML());
  expect(await one.isDisabled('main > button')).toBe(true);
  await one.click('#room h1');
  await one.waitForTimeout(300);
  await one.keyboard.press('End');
  await one.keyboard.type(', in a room');
  await expect.poll(() => two.textContent('#room h1')).toBe('Handbook of the house, in a room');
  expect(await two.textContent('#yjs h1')).toBe('Handbook of the house');
  expect(await two.textContent('#told')).toMatch(/signed by the key [0-9a-f]{12}…$/);
  await picture(one, 'from-yjs');

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(faults).toEqual([]);
});
