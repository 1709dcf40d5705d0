/** Changes as the page shows them, in Chromium: colours, words, moved lines, a long file; and branches that will collide. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe } from '../../../../test/support/browsers/axe.js';
import { browser } from '../../../../test/support/browsers/browser.js';
import { studioWith } from '../../testing/git/studio-repository.js';

const BLOCK = [
  'export function hypotenuse(a: number, b: number): number {',
  '  return Math.sqrt(a * a + b * b);',
  '}',
  '',
];

async function opened(link: string, faults: string[]): Promise<Page> {
  const page = await (await browser()).newPage({ viewport: { width: 1400, height: 900 } });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  await page.goto(link);
  await page.locator('.live[data-state=live]').waitFor();
  return page;
}

it('a review colours code, marks the words that changed, and says where a moved line was', async () => {
  const before = [...BLOCK, 'const total = sum(items); // all', ''].join('\n');
  const after = ['const total = sumOf(items); // all', ''].join('\n');
  const it = await studioWith({ 'shapes.ts': before });
  const { json } = await it.post('workunits', { goal: 'move it' });
  const { workUnitId, branchId } = json as { workUnitId: string; branchId: string };
  const files = [
    { path: 'shapes.ts', content: after },
    { path: 'maths.ts', content: BLOCK.join('\n') },
  ];
  await it.post(`branches/${branchId}/resync-files`, { files });
  const proposalId = await it.approved('-', 'main', { workUnitId });
  const faults: string[] = [];
  const page = await opened(it.studio.link(), faults);
  await page.goto(new URL(`/reviews/${proposalId}`, it.studio.origin).href);
  await page.locator('.is-k', { hasText: 'const' }).first().waitFor();
  expect(await page.locator('.code.added mark').allInnerTexts()).toEqual(['sumOf']);
  expect(await page.locator('.code.removed mark').allInnerTexts()).toEqual(['sum']);
  const moved = page.locator('.code.added.moved', { hasText: 'Math.sqrt' });
  expect(await moved.getAttribute('title')).toBe('moved from shapes.ts:2');
  expect(await page.locator('.code.removed.moved', { hasText: 'Math.sqrt' }).getAttribute('title')).toBe(
    'moved to maths.ts:2',
  );
  await axe(page, faults);
  await page.keyboard.press('s');
  await page.locator('.diff.inline').first().waitFor();
  await axe(page, faults);
  expect(faults).toEqual([]);
});

it('a review of what was brought together names its parts, and leads to each', async () => {
  const it = await studioWith({ a: '1\n' });
  const root = (await it.post('workunits', { goal: 'g' })).json as { workUnitId: string };
  const parts: string[] = [];
  for (const content of ['one\n', 'two\n']) {
    const { json } = await it.post('workunits', { goal: content, parentWorkUnitId: root.workUnitId });
    const { workUnitId, branchId } = json as { workUnitId: string; branchId: string };
    await it.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content }] });
    parts.push(await it.approved('-', 'main', { workUnitId, summary: `write ${content.trim()}` }));
  }
  await it.post(`merges/${parts[0]}/apply`);
  const conflicted = await it.post(`merges/${parts[1]}/apply`);
  const { conflictId } = (conflicted.json as { details: { conflictId: string } }).details;
  const path = `workunits/${root.workUnitId}/task-conflicts/${conflictId}/resolve`;
  const { proposalId } = (await it.post(path, { files: { a: 'both\n' } })).json as { proposalId: string };
  const faults: string[] = [];
  const page = await opened(it.studio.link(), faults);
  await page.goto(new URL(`/reviews/${proposalId}`, it.studio.origin).href);
  await page.getByRole('heading', { name: 'Brings together' }).waitFor();
  const part = page.getByRole('link', { name: 'write two' });
  await expect.poll(() => page.getByRole('listitem').filter({ has: part }).innerText()).toMatch(/superseded/i);
  await part.click();
  await page.waitForURL((url) => url.pathname === `/reviews/${parts[1]}`);
  expect(faults).toEqual([]);
});

it('branches that change the same places are a matrix, and a number in it says which files', async () => {
  const it = await studioWith({ a: 'base\n', b: 'base\n' });
  for (const content of ['one\n', 'two\n', 'three\n']) {
    const { json } = await it.post('workunits', { goal: `write ${content}` });
    const { branchId } = json as { branchId: string };
    await it.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content }] });
  }
  const faults: string[] = [];
  const page = await opened(it.studio.link(), faults);
  await page.keyboard.press('g');
  await page.keyboard.press('x');
  const hits = page.locator('.matrix .hit button');
  await expect.poll(() => hits.count()).toBe(3);
  await hits.first().focus();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('region', { name: 'What collides' }).locator('code').allInnerTexts()).toEqual(['a']);
  await axe(page, faults);
  expect(faults).toEqual([]);
});

it('two ways are compared by their results, and one is done again with something changed', async () => {
  const it = await studioWith({ 'a.ts': 'const a = 1;\n', b: 'base\n' });
  const ids: string[] = [];
  for (const content of ['const a = one(2);\n', 'const a = two(2);\n']) {
    const { json } = await it.post('workunits', { goal: 'change a' });
    const { workUnitId, branchId } = json as { workUnitId: string; branchId: string };
    const files = [
      { path: 'a.ts', content },
      { path: 'b', content: 'both\n' },
    ];
    await it.post(`branches/${branchId}/resync-files`, { files });
    ids.push(await it.approved('-', 'main', { workUnitId }));
  }
  const faults: string[] = [];
  const page = await opened(it.studio.link(), faults);
  await page.goto(new URL(`/reviews/${ids[0]}`, it.studio.origin).href);
  await page.getByText('Other ways').click();
  await axe(page, faults);
  await page.locator('.ways').getByRole('link').first().click();
  await page.getByText('2 files; 1 file with the same result.').waitFor();
  expect(await page.getByLabel('First', { exact: true }).locator('mark').allInnerTexts()).toEqual(['one']);
  expect(await page.getByLabel('Second', { exact: true }).locator('mark').allInnerTexts()).toEqual(['two']);
  await axe(page, faults);
  await page.goto(new URL(`/reviews/${ids[0]}`, it.studio.origin).href);
  await page.getByText('Other ways').click();
  await page.getByLabel('What should have been kept to').fill('use three');
  await page.getByRole('button', { name: 'Do it again so', exact: true }).click();
  await page.waitForURL(/\/units\//);
  expect(faults).toEqual([]);
});

it('from a moment in Time two ways are compared that were proposed by then, and one is done again with something changed', async () => {
  const it = await studioWith({ b: 'base\n' });
  const offered = async (content: string): Promise<string> => {
    const unit = (await it.post('workunits', { goal: `write ${content}` })).json;
    const { workUnitId, branchId } = unit as { workUnitId: string; branchId: string };
    await it.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content }] });
    return it.propose(branchId, 'main', { workUnitId, summary: `way ${content}` });
  };
  const newest = async () => ((await it.get('attention')).json as { asOf: number }).asOf;
  const before = await newest();
  const ids = [await offered('one'), await offered('two')];
  const then = await newest();
  await offered('three');
  const faults: string[] = [];
  const page = await opened(it.studio.link(), faults);
  const ways = page.getByRole('region', { name: 'Ways that were proposed' });
  await page.goto(`${it.studio.origin}/time?at=${before}`);
  await ways.getByText('Nothing was proposed up to then.').waitFor();
  await page.goto(`${it.studio.origin}/time?at=${then}`);
  const choices = ways.getByLabel('The other').locator('option');
  await expect.poll(() => choices.allInnerTexts()).toEqual(['way two', 'way one']);
  await axe(page, faults);
  await ways.getByText('What if the one way were done again').click();
  await ways.getByLabel('What should have been kept to').fill('use four');
  await ways.getByRole('button', { name: 'Do it again so', exact: true }).click();
  await page.waitForURL(/\/units\//);
  expect((await it.get('artifacts?type=Constraint')).text).toContain('use four');
  await page.goBack();
  await ways.getByRole('link', { name: 'Compare the two' }).click();
  await page.getByRole('heading', { name: 'Two ways, side by side' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/reviews/${ids[1]}/with/${ids[0]}`);
  expect(faults).toEqual([]);
});

/** A page that shows the conflict of two parts of one goal, of which the first has landed: what `a` was, and what each makes of it. */
async function conflictShown(before: string, made: readonly [string, string]) {
  const it = await studioWith({ a: before });
  const root = (await it.post('workunits', { goal: 'Number them' })).json as { workUnitId: string };
  const ids: string[] = [];
  for (const content of made) {
    const part = { parentWorkUnitId: root.workUnitId, goal: `write ${content}` };
    const unit = (await it.post('workunits', part)).json as { workUnitId: string; branchId: string };
    await it.post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content }] });
    ids.push(await it.approved('-', 'main', { workUnitId: unit.workUnitId }));
  }
  await it.post(`merges/${ids[0]}/apply`);
  const refused = (await it.post(`merges/${ids[1]}/apply`)).json as { details: { conflictId: string } };
  const faults: string[] = [];
  const page = await opened(it.studio.link(), faults);
  await page.goto(`${it.studio.origin}/conflicts/${refused.details.conflictId}`);
  return { it, root, page, faults };
}

it('a conflict is settled place by place, and what it comes to lands', async () => {
  const { it, root, page, faults } = await conflictShown('one\n\ntwo\n\nsix\n\nseven\n', [
    '1\n\nzwei\n\nsechs\n\nseven\n',
    'one\n\ndeux\n\nsix!\n\n7\n',
  ]);
  const take = page.getByRole('button', { name: 'Take this result' });
  await page.getByText('1 file left of 1.').waitFor();
  expect(await take.isDisabled()).toBe(true);
  await axe(page, faults);
  await page.getByRole('group', { name: 'Place 1' }).getByRole('button', { name: 'Both' }).click();
  await expect.poll(() => page.getByRole('group', { name: /^Place/ }).count()).toBe(1);
  // The focus has gone on to the place that is left.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Every file has a result.').waitFor();
  await take.click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const branch = encodeURIComponent(`merge/${root.workUnitId}`);
  const checkout = (await it.post(`branches/${branch}/checkout`)).json as { workingDirectory: string };
  expect(await readFile(join(checkout.workingDirectory, 'a'), 'utf8')).toBe('1\n\nzwei\ndeux\n\nsix!\n\n7\n');
  expect(faults).toEqual([]);
});

it('a file of Windows keeps its line breaks where a hand types what its conflict comes to', async () => {
  const { it, root, page, faults } = await conflictShown('one\r\ntwo\r\n', ['1\r\ntwo\r\n', 'eins\r\ntwo\r\n']);
  await page.getByLabel('Result', { exact: true }).fill('1, eins\ntwo\n');
  await page.getByRole('button', { name: 'Take this result' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const branch = encodeURIComponent(`merge/${root.workUnitId}`);
  const checkout = (await it.post(`branches/${branch}/checkout`)).json as { workingDirectory: string };
  expect(await readFile(join(checkout.workingDirectory, 'a'), 'utf8')).toBe('1, eins\r\ntwo\r\n');
  expect(faults).toEqual([]);
});
