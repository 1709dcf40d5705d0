/**
 * The demonstration's inbox and review for somebody who can't see: found, read and answered by what Chromium's accessibility tree
 * tells and by the keyboard; nothing is looked up in the document.
 */
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../support/browsers/browser.js';
import { Listener } from '../support/browsers/heard.js';
import { openScene } from '../pictures/scene.mjs';

it('what waits is told, answered, reviewed and sent back by ear and keyboard alone', async () => {
  const scene = await openScene();
  onTestFinished(() => scene.close());
  const page = await (await browser()).newPage();
  await page.goto(scene.link());
  const ear = await Listener.of(page);
  const nothingIsNameless = async (): Promise<void> => {
    const nameless = (await ear.all()).filter(
      ({ role, name, canBeFocused }) =>
        name.trim() === '' &&
        (role === 'image' || (canBeFocused && !['RootWebArea', 'main', 'listitem'].includes(role))),
    );
    expect(nameless).toEqual([]);
  };

  // Where one is: places by their names, headings by their level.
  await ear.hears('heading', 'Inbox');
  await ear.hears('button', '2');
  const all = await ear.all();
  const places = all.filter(({ role }) => ['banner', 'navigation', 'main'].includes(role));
  expect(places.map(({ role, name }) => `${role} ${name}`.trim())).toEqual(['banner', 'navigation Views', 'main']);
  const headings = all.filter(({ role }) => role === 'heading').map(({ level, name }) => `${level} ${name}`);
  expect(headings).toEqual(['1 Inbox', '2 Needs you', '2 Moving']);
  expect(await ear.told()).toContain('3 wait for you');
  await nothingIsNameless();

  // The first Tab offers a way past what stands on every view.
  await page.keyboard.press('Tab');
  expect(await ear.focus()).toBe('link To the content');
  await page.keyboard.press('Enter');
  await expect.poll(() => ear.focus()).toMatch(/^main/);
  const passed = await ear.tabTo('button 2');
  expect(passed).toContain('link Set a goal');
  await page.keyboard.press('Enter');
  await expect.poll(() => ear.told()).toContain('Answered');
  // What was answered is gone, and the focus with it has gone on to something.
  await expect.poll(() => ear.focus()).not.toMatch(/^(button 2)?$/);

  // The review is found by its link; its heading has the focus when it is there.
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await ear.hears('link', 'Look at the changes');
  await ear.tabTo('link Look at the changes');
  await page.keyboard.press('Enter');
  await ear.hears('heading', /^Review: add\(\) takes any number/);
  await expect.poll(() => ear.focus()).toMatch(/^heading Review: /);
  await ear.hears('heading', 'Asked for');
  await ear.hears('button', 'Comment on line 1');
  await nothingIsNameless();
  const rows = (await ear.all()).filter(({ role }) => role === 'row').map(({ text }) => text);
  expect(rows.some((row) => row.includes('export function add(...numbers) {'))).toBe(true);
  const signs = (await ear.all()).filter(({ role }) => role === 'image').map(({ name }) => name);
  expect(new Set(signs)).toEqual(new Set(['added', 'removed']));

  await ear.tabTo('button Comment on line 2');
  await page.keyboard.press('Enter');
  await expect.poll(() => ear.focus()).toBe('textbox Comment on line 2 of src/add.js');
  await page.keyboard.type('What of no number at all?');
  await ear.tabTo('button Keep the comment');
  await page.keyboard.press('Enter');
  await expect.poll(() => ear.focus()).toBe('button Comment on line 2');
  await page.keyboard.press('x');
  await expect.poll(() => ear.focus()).toBe('textbox What should change');
  await ear.tabTo('button Request changes');
  await page.keyboard.press('Enter');
  await expect.poll(() => ear.told()).toContain('Sent back, to be done anew');
  await ear.hears('heading', 'Inbox');
  await expect.poll(() => ear.focus()).toMatch(/^heading Inbox/);
});
