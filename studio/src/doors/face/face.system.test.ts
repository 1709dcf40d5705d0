/** The page in Chromium, at a studio whose agents follow a script: by mouse, by keyboard, in several tabs, with hostile texts. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe } from '../../../../test/support/browsers/axe.js';
import { browser } from '../../../../test/support/browsers/browser.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { type Asked, type Turn, scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type StudioRepository, studioWith } from '../../testing/git/studio-repository.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const GOAL = 'Say hello in French';
/** Texts that would run, load, hide or turn something if they were anything but text. */
const HOSTILE =
  '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script> \u202egnp.exe [x](javascript:ran) ![](http://127.0.0.1:9/leak)';

const write = (path: string, content: string) => ['workspace_write', { path, content }] as const;
const propose = (summary: string) =>
  ['merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary }] as const;

/** An agent that asks, proposes, is told to do it otherwise, gets lost, and does it when it is let go on. */
function lines(hostile: string): Turn[] {
  const lost = Array.from({ length: 3 }, (_none, at) => ({
    calls: [['workspace_exists', { path: `missing-${at}` }]] as const,
  }));
  return [
    { text: hostile, calls: [['clarification_request', { question: `Formally? ${hostile}`, options: ['yes', 'no'] }]] },
    {
      calls: [
        write('french.txt', `Salut\n${hostile}\n`),
        write('a "b" <i>.txt', 'x\n'),
        propose(`It says salut ${hostile}`),
      ],
    },
    ...lost,
    {
      calls: [['workspace_read', { path: 'french.txt' }], write('french.txt', 'Bonjour\n'), propose('It says bonjour')],
    },
  ];
}

/** The four ways out of a failure, and what each says that it does. */
const WAYS = [
  ['Try again', 'counts as another attempt'],
  ['Correct and try again', 'becomes part of the goal'],
  ['Let it go on', 'continues where it stopped'],
  ['Plan anew', 'a planner divides the same goal'],
] as const;

/** Views that the demonstration does not go through, and what each of them shows after it. */
const OTHERS = [
  { name: 'Candidate', shows: 'Nothing waits on the candidate branch.' },
  { name: 'Conflicts', shows: 'No conflict waits for you.' },
  { name: 'Knowledge', shows: 'Agents are told no rule yet.' },
  { name: 'Agents', shows: 'Kinds of agents' },
  { name: 'Spend', shows: 'By goal' },
  { name: 'Repositories', shows: 'Register a folder' },
  { name: 'Audit', shows: 'merge proposed' },
  { name: 'Time', shows: 'What happened up to it' },
  { name: 'Settings', shows: 'Agents at work at once' },
];

interface World {
  readonly studio: TestStudio;
  readonly folder: string;
  readonly context: BrowserContext;
  /** What went wrong in pages, and requests to anywhere but the studio. */
  readonly faults: string[];
  /** What the worker was told, in all of its questions. */
  readonly told: string[];
  open(path?: string): Promise<Page>;
}

async function world({ hostile = '' } = {}): Promise<World> {
  const script = lines(hostile);
  let turn = 0;
  const told: string[] = [];
  const models = scriptedModels(({ role, said }: Asked): Turn => {
    if (role === 'worker') told.push(said);
    if (role !== 'worker')
      return { calls: [['merge_review', { decision: 'Approved', verificationResults: 'I have read it.' }]] };
    return script[turn++] ?? { text: 'Nothing is left to do.' };
  });
  const studio = await startTestStudio(undefined, { agents: { models } });
  const folder = join(await tempFolder(), 'greetings');
  await gitRepository(folder, { 'readme.md': 'hello\n' });
  await studio.call('POST', '/studio/repositories', { body: { path: folder } });
  await studio.call('PUT', '/studio/agent-profiles/worker', { body: { maxIterations: 3 } });
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 } });
  const faults: string[] = [];
  await context.route('**/*', (route) => {
    if (new URL(route.request().url()).origin !== studio.origin) faults.push(`asked for ${route.request().url()}`);
    return route.continue();
  });
  const watch = (page: Page): void => {
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  };
  context.on('page', watch);
  const first = await context.newPage();
  await first.goto(studio.link());
  await first.locator('.live[data-state=live]').waitFor();
  const open = async (path = '/'): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${studio.origin}${path}`);
    // A page that is not let in has a heading too, outside of any view.
    await page.locator('#main h1').waitFor();
    return page;
  };
  return { studio, folder, context, faults, told, open: async (path) => (path === undefined ? first : open(path)) };
}

/** Waits until the inbox has an item of a kind. */
const item = (page: Page, kind: string) => page.locator(`[data-kind=${kind}]`).first();

it('a goal goes from its statement to landed, by mouse: asked, sent back once, failed and let go on', async () => {
  const { folder, faults, told, open } = await world();
  const page = await open();
  await axe(page, faults);
  await page.getByRole('link', { name: 'Set a goal' }).click();
  await page.getByLabel('What is to be achieved').fill(GOAL);
  await page.getByLabel('How it is done').selectOption('single');
  await axe(page, faults);
  await page.getByRole('button', { name: 'Begin', exact: true }).click();
  await page.getByRole('heading', { name: GOAL }).waitFor();
  await axe(page, faults);
  await page.getByRole('link', { name: 'Inbox' }).click();

  await item(page, 'answer').waitFor();
  await axe(page, faults);
  await item(page, 'answer').getByRole('button', { name: 'no', exact: true }).click();
  await item(page, 'review').getByRole('link', { name: 'Look at the changes' }).click();
  await page.getByRole('button', { name: 'Comment on line 1' }).first().waitFor();
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('.diff.split').first().waitFor();
  await page.locator('#file-french\\.txt').getByRole('button', { name: 'Comment on line 1' }).click();
  await page.getByLabel('Comment on line 1 of french.txt').fill('Say bonjour.');
  await page.getByRole('button', { name: 'Keep the comment' }).click();
  await axe(page, faults);
  await page.getByRole('button', { name: 'Request changes' }).click();

  await item(page, 'failed').waitFor();
  // The comment on a line is what the agent was told.
  expect(told.join('\n')).toContain('french.txt:1: Say bonjour.');
  await axe(page, faults);
  await page.getByRole('link', { name: 'Recover' }).click();
  const goOn = page.getByRole('button', { name: 'Let it go on' });
  await page.getByRole('heading', { name: 'Recover' }).waitFor();
  await goOn.waitFor();
  for (const [way, does] of WAYS)
    await page
      .locator('.ways li', { has: page.getByRole('button', { name: way, exact: true }) })
      .getByText(does)
      .waitFor();
  await axe(page, faults);
  await goOn.click();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await item(page, 'review').getByRole('link', { name: 'Look at the changes' }).click();
  await page.locator('.code.added', { hasText: 'Bonjour' }).first().waitFor();
  await page.getByRole('button', { name: 'Approve and land' }).click();
  await page.getByText('Nothing waits for you.').waitFor();
  expect(await readFile(join(folder, 'french.txt'), 'utf8')).toBe('Bonjour\n');

  await page.getByRole('link', { name: 'Goals' }).click();
  await page.getByRole('button', { name: 'Those that are over, too' }).click();
  await page.getByRole('link', { name: GOAL }).click();
  await page.locator('.tree').getByRole('link', { name: GOAL }).click();
  await page.locator('.call').first().waitFor();
  await axe(page, faults);
  for (const { name, shows } of OTHERS) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true }).click();
    await page.getByText(shows).first().waitFor();
    await axe(page, faults);
  }
  expect(faults).toEqual([]);
});

it('the same goal goes to its end by keyboard alone', async () => {
  const { folder, faults, told, open } = await world();
  const page = await open();
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** What has the focus, by its name; the label of a choice has its options behind its name. */
  const focused = () =>
    page.evaluate(
      `(({ labels, innerText, ariaLabel }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText ?? '')(document.activeElement)`,
    );
  const tabTo = async (name: string): Promise<void> => {
    for (let presses = 0; presses < 60; presses++) {
      if (
        String(await focused())
          .trim()
          .split('\n')[0] === name
      )
        return;
      await press('Tab');
    }
    throw new Error(`no Tab leads to ${name}`);
  };
  await press('Control+k');
  await page.keyboard.type('set a goal');
  await press('Enter');
  await page.getByRole('heading', { name: 'Set a goal' }).waitFor();
  await tabTo('What is to be achieved');
  await page.keyboard.type(GOAL);
  await tabTo('How it is done');
  await press('O', 'Tab');
  // No Tab leads to it before the repositories are read.
  await expect.poll(() => page.getByRole('button', { name: 'Begin', exact: true }).isEnabled()).toBe(true);
  await tabTo('Begin');
  await press('Enter');
  await page.getByRole('heading', { name: GOAL }).waitFor();
  await press('g', 'i');

  await item(page, 'answer').waitFor();
  await press('j', '2');
  await item(page, 'review').waitFor();
  await press('j', 'Enter');
  await page.getByRole('heading', { name: /Review:/ }).waitFor();
  await page.getByRole('button', { name: 'Comment on line 1' }).first().waitFor();
  // The file whose name comes first is another one.
  await page.locator('#file-french\\.txt').waitFor();
  for (let file = 0; file < 2; file++) {
    await tabTo('Comment on line 1');
    if (await page.evaluate(`document.activeElement.closest('.file').id === 'file-french.txt'`)) break;
    await press('Tab');
  }
  await press('Enter');
  await page.keyboard.type('Say bonjour.');
  await press('Control+Enter');
  await page.getByText('1 comment on lines will be sent with it.').waitFor();
  await press('x');
  await tabTo('Request changes');
  await press('Enter');
  await item(page, 'failed').waitFor();
  expect(told.join('\n')).toContain('french.txt:1: Say bonjour.');
  await press('j', 'Enter');
  await page.getByRole('heading', { name: 'Recover' }).waitFor();
  await page.getByRole('button', { name: 'Let it go on' }).waitFor();
  await tabTo('Let it go on');
  await press('Enter');
  await press('g', 'i');
  await item(page, 'review').waitFor();
  await press('j', 'Enter');
  await page.locator('.code.added', { hasText: 'Bonjour' }).first().waitFor();
  await press('a');
  await page.getByText('Nothing waits for you.').waitFor();
  expect(await readFile(join(folder, 'french.txt'), 'utf8')).toBe('Bonjour\n');
  await press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to Goals').waitFor();
  await axe(page, faults);
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

it('texts of agents and files run nothing, load nothing, hide nothing, and fit a phone', async () => {
  const { studio, faults, open } = await world({ hostile: HOSTILE });
  const page = await open();
  await page.setViewportSize({ width: 360, height: 740 });
  const repositories = (await studio.call('GET', '/studio/repositories')).json as { repositoryId: string }[];
  const { repositoryId } = repositories[0] ?? {};
  const goal = `${HOSTILE} ${'long'.repeat(60)}`;
  const made = await studio.call('POST', '/studio/goals/run', { body: { goal, repositoryId, shape: 'single' } });
  const { goalId } = made.json as { goalId: string };
  const harmless = async (): Promise<void> => {
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(await page.locator('main img, main script, main iframe, a[href^="javascript:"]').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.evaluate(`/[\\u202a-\\u202e]/.test(document.body.innerText)`)).toBe(false);
  };
  await item(page, 'answer').waitFor();
  await page.getByText('⟨202e⟩').first().waitFor();
  await harmless();
  await page.goto(`${studio.origin}/goals/${goalId}`);
  await page.locator('.tree a').first().waitFor();
  await harmless();
  await page.locator('.tree a').first().click();
  await page.locator('.cycle').first().waitFor();
  await harmless();
  await page.goto(`${studio.origin}/inbox`);
  await item(page, 'answer').getByRole('button', { name: 'yes', exact: true }).click();
  await item(page, 'review').getByRole('link', { name: 'Look at the changes' }).click();
  await page.getByText('a "b" <i>.txt').first().waitFor();
  await page.locator('.code.added', { hasText: 'onerror' }).first().waitFor();
  await harmless();
  await axe(page, faults);
  expect(faults).toEqual([]);
});

it('however many tabs are open, one stream is; when its tab goes, another takes over and misses nothing', async () => {
  const { studio, context, faults, open } = await world();
  const first = await open();
  await first.locator('.live[data-state=live]').waitFor();
  const streams: Page[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/studio/events') streams.push(request.frame().page());
  });
  const tabs = [await open('/goals'), await open('/goals'), await open('/goals')];
  const live = (page: Page) => page.locator('.live[data-state=live]').waitFor();
  for (const tab of tabs) await live(tab);
  expect(streams).toEqual([]);
  await first.close();
  const set = (goal: string) => studio.call('POST', '/studio/goals', { body: { goal } });
  const see = (goal: string, on: readonly Page[]) =>
    Promise.all(on.map((tab) => tab.getByRole('link', { name: goal }).waitFor()));
  await set('the first goal');
  await see('the first goal', tabs);
  expect(streams).toHaveLength(1);
  const [leader] = streams;
  const others = tabs.filter((tab) => tab !== leader);
  await leader?.close();
  await set('the second goal');
  await see('the second goal', others);
  expect(streams).toHaveLength(2);
  await others[0]?.getByRole('button', { name: 'Leave' }).click();
  for (const tab of others) await tab.getByText('weft open').waitFor();
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
});

it('says in words and in colour whether it is live', async () => {
  const { studio, open } = await world();
  const page = await open();
  const told = (state: string): Promise<void> => page.locator(`.live[data-state=${state}]`).waitFor();
  const dot = (): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('.live'), '::before').color`);
  await told('live');
  const good = await dot();
  await studio.close();
  await told('broken');
  expect(await page.locator('.live').innerText()).toContain('not live');
  expect(await dot()).not.toBe(good);
});

it('a diff of 30,000 lines has few rows in the document, its end is reached, and long lines are moved sideways', async () => {
  const { studio, folder, faults, open } = await world();
  const page = await open();
  const [{ repositoryId } = {}] = (await studio.call('GET', '/studio/repositories')).json as { repositoryId: string }[];
  const wide = `${'wide '.repeat(80)}end`;
  const lines = Array.from({ length: 30_000 }, (_none, at) => `line ${at + 1} ${at === 0 ? wide : ''}\n`).join('');
  const unit = (await studio.call('POST', '/studio/workunits', { body: { goal: 'many lines', repositoryId } })).json;
  const { workUnitId, branchId } = unit as { workUnitId: string; branchId: string };
  const made = await studio.call('POST', '/mcp/internal', {
    as: 'admin',
    headers: { accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'svc_v1_workspace_write', arguments: { branchId, path: 'many.txt', content: lines } },
    },
  });
  expect(made.status).toBe(200);
  const proposed = await studio.call('POST', '/studio/merges', {
    body: { sourceBranch: branchId, targetBranch: 'main', summary: 'many lines', workUnitId },
  });
  expect([proposed.status, folder]).toEqual([200, folder]);
  const { proposalId } = proposed.json as { proposalId: string };
  await page.goto(`${studio.origin}/reviews/${proposalId}`);
  const rows = page.locator('.diff-row');
  await rows.first().waitFor();
  expect(await rows.count()).toBeLessThan(300);
  expect(await page.locator('.diff').getAttribute('aria-rowcount')).toBe('30001');
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await page.getByText('line 30000').waitFor();
  expect(await rows.count()).toBeLessThan(300);
  await page.evaluate('scrollTo(0, 0)');
  await page.getByText('line 1 wide').waitFor();
  await page.getByRole('button', { name: 'Side by side' }).click();
  const sideways = page.getByRole('group', { name: 'Move both sides sideways' });
  await sideways.waitFor();
  await page.evaluate(`document.querySelector('.sideways').scrollTo({ left: 1e6 })`);
  const end = (): Promise<boolean> =>
    page.evaluate(`(() => {
      const [cell] = [...document.querySelectorAll('.code.added')].filter((one) => one.textContent.includes('wide end'));
      const text = cell.querySelector('.text').getBoundingClientRect();
      return text.right <= cell.getBoundingClientRect().right + 1 && text.left < 0;
    })()`);
  await expect.poll(end).toBe(true);
  expect(faults).toEqual([]);
});

/** A unit whose branch holds one file, and an approved proposal of it. */
async function offered(it: StudioRepository, content: string, target: string, more: object): Promise<string> {
  const { json } = await it.post('workunits', { goal: `write ${content}`, ...more });
  const { workUnitId, branchId } = json as { workUnitId: string; branchId: string };
  await it.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content }] });
  return it.approved('-', target, { workUnitId });
}

it.each([
  { of: 'the parts of a goal', target: 'main', isOfParts: true },
  { of: 'the candidate branch', target: 'candidate', isOfParts: false },
])('a conflict of $of is seen from both sides, and resolved', async ({ target, isOfParts }) => {
  const it = await studioWith({ a: 'base\n' });
  const root = (await it.post('workunits', { goal: 'g' })).json as { workUnitId: string };
  const more = isOfParts ? { parentWorkUnitId: root.workUnitId } : {};
  const ids = [await offered(it, 'one\n', target, more), await offered(it, 'two\n', target, more)];
  expect((await it.post(`merges/${ids[0]}/apply`)).status).toBe(200);
  expect((await it.post(`merges/${ids[1]}/apply`)).status).toBe(409);
  const page = await (await browser()).newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(it.studio.link());
  await item(page, 'conflict')
    .getByRole('link', { name: /Resolve/ })
    .click();
  const side = (name: string): Promise<string> => page.getByLabel(name, { exact: true }).innerText();
  await page.getByLabel('Landed', { exact: true }).waitFor();
  expect([await side('Landed'), await side('Would land')].map((text) => text.trim())).toEqual(['one', 'two']);
  await axe(page, faults);
  const take = page.getByRole('button', { name: 'Take this result' });
  expect(await take.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Take both' }).click();
  const result = page.getByLabel('Result', { exact: true });
  expect(await result.inputValue()).toBe('one\ntwo\n');
  await result.fill('<<<<<<< mine\n');
  expect(await take.isDisabled()).toBe(true);
  await result.fill('one, two\n');
  await take.click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await item(page, 'conflict').waitFor({ state: 'detached' });
  expect((await it.get(`merges/${ids[1]}`)).json).toMatchObject({ status: 'Superseded' });
  expect(faults).toEqual([]);
});

it('two people see what the other does; the inbox stands still under the pointer, and the focus goes on to the next', async () => {
  const studio = await startTestStudio();
  const contexts = [await (await browser()).newContext(), await (await browser()).newContext()];
  const pages: Page[] = [];
  for (const context of contexts) {
    const page = await context.newPage();
    await page.goto(studio.link());
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    pages.push(page);
  }
  const [ann, ben] = pages as [Page, Page];
  const ask = async (question: string, parts: number): Promise<void> => {
    const unit = async (body: object) => (await studio.call('POST', '/studio/workunits', { body })).json;
    const { workUnitId } = (await unit({ goal: question })) as { workUnitId: string };
    for (let more = 0; more < parts; more++) await unit({ goal: 'more', dependsOn: [workUnitId] });
    const body = { workUnitId, question, options: ['yes'] };
    expect((await studio.call('POST', '/studio/clarifications/request', { body })).status).toBe(200);
  };
  const titles = (page: Page): Promise<string[]> => page.locator('.item .grow').allInnerTexts();
  await ask('First?', 0);
  await ask('Second?', 0);
  await expect.poll(() => titles(ann)).toHaveLength(2);
  const before = await titles(ann);
  await ann.locator('.item').first().hover();
  await ask('Third, which holds up most?', 40);
  await expect.poll(() => titles(ann)).toEqual([...before, 'Third, which holds up most?']);
  await expect.poll(async () => (await titles(ben)).length).toBe(3);

  await ann
    .locator('.item', { hasText: before[0] ?? '' })
    .getByRole('button', { name: 'yes', exact: true })
    .focus();
  await ann.keyboard.press('Enter');
  await expect.poll(() => titles(ann)).toHaveLength(2);
  await expect.poll(() => titles(ben)).toHaveLength(2);
  const focused = (): Promise<unknown> => ann.evaluate(`document.activeElement.closest('.item')?.innerText ?? ''`);
  await expect.poll(focused).toContain(before[1]);
});
