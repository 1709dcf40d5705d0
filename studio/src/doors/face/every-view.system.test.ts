/**
 * Every address of the page in Chromium, on a record whose texts are hostile: each opens by itself, runs and loads nothing of others,
 * fits a phone, is for everybody in light and dark, and does nothing that a command and a call do not; and what each shows while it
 * reads, when it could not, and when there is nothing.
 */
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe } from '../../../../test/support/browsers/axe.js';
import { browser } from '../../../../test/support/browsers/browser.js';
import { wrongShown } from '../../../../test/support/browsers/wrong-shown.js';
import { operationTable } from '../../operations/table.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { type StudioRepository, studioWith, withRepository } from '../../testing/git/studio-repository.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

/** Text that would run, load, hide, widen or turn something if it were anything but text. */
const HOSTILE = `<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script> \u202egnp.exe [x](javascript:ran) ![](http://127.0.0.1:9/leak) ${'long'.repeat(60)}`;
const FILE = 'a "b" <i>.txt';
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page, what axe found, and requests to anywhere but the studio. */
  readonly faults: string[];
}

async function opened(studio: TestStudio): Promise<Opened> {
  const context = await (await browser()).newContext({ viewport: WIDE });
  const faults: string[] = [];
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== studio.origin && protocol !== 'blob:') faults.push(`asked for ${request.url()}`);
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(studio.link());
  await page.locator('.live[data-state=live]').waitFor();
  return { page, context, faults };
}

async function shows(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('.live[data-state=live]').waitFor();
  await page.locator('#main h1').waitFor();
  await expect.poll(() => page.getByText(/^(Reading|Loading) …$/).count()).toBe(0);
  // What is asked only when something is opened is part of the view all the same.
  await page.evaluate(`for (const one of document.querySelectorAll('#main details')) one.open = true`);
}

/** Operations whose twins were looked at. */
const seen = new Set<string>();

/** Each button that does something has the command and the call that do the same. */
async function showsTwins(page: Page): Promise<void> {
  for (const button of await page.locator('button[data-operation]').all()) {
    const operation = (await button.getAttribute('data-operation')) ?? '';
    const twin = button.locator('..').getByRole('button', { name: `Command that does the same: ${operation}` });
    expect(await twin.count(), operation).toBe(1);
    if (seen.has(operation)) continue;
    seen.add(operation);
    await twin.click();
    const [command = '', call] = await button.locator('..').locator('.twin-card code').allInnerTexts();
    expect(command).toMatch(/^weft /);
    const { rest } = operationTable.find(({ id }) => id === operation)!;
    expect(call).toBe(`${rest?.method} ${rest?.path}`);
    await twin.click();
  }
}

async function visit({ page, faults }: Opened, origin: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.setViewportSize(WIDE);
    await shows(page, `${origin}/${path}`);
    await showsTwins(page);
    await axe(page, faults);
    await page.setViewportSize(PHONE);
    for (const one of await wrongShown(page)) faults.push(`/${path} on a phone: ${one}`);
    expect(new URL(page.url()).pathname).toBe(`/${path.split('?')[0]}`);
  }
}

async function unitOf(at: StudioRepository, goal: string, more: object = {}) {
  const { json, status, text } = await at.post('workunits', { goal, ...more });
  expect(status, text).toBe(200);
  return json as { workUnitId: string; branchId: string };
}

/** Approved proposal of a unit that writes one file. */
async function offered(at: StudioRepository, content: string, target: string): Promise<string> {
  const { workUnitId, branchId } = await unitOf(at, `${content} ${HOSTILE}`);
  await at.post(`branches/${branchId}/resync-files`, { files: [{ path: FILE, content }] });
  return at.approved(branchId, target, { workUnitId, summary: HOSTILE });
}

it('views of what people and agents have written', async () => {
  const at = await studioWith({ [FILE]: 'base\n' });
  const { studio } = at;
  const { workUnitId, branchId } = await unitOf(at, HOSTILE);
  await at.post('sessions', { rootWorkUnitId: workUnitId, profileIds: ['worker'] });
  const question = { workUnitId, question: HOSTILE, context: HOSTILE, options: [HOSTILE, 'no'] };
  expect((await at.post('clarifications/request', question)).status).toBe(200);
  const { goalId } = (await at.post('goals', { goal: HOSTILE })).json as { goalId: string };
  await at.post(`branches/${branchId}/resync-files`, { files: [{ path: FILE, content: `${HOSTILE}\n` }] });
  const proposed = await at.propose(branchId, 'main', { workUnitId, summary: HOSTILE, changeDescription: HOSTILE });
  const other = await offered(at, `${HOSTILE} otherwise\n`, 'main');
  for (const content of ['one\n', 'two\n', 'three\n']) {
    const id = await offered(at, content, 'candidate');
    await at.post(`merges/${id}/apply`);
  }
  expect((await at.post('constraints', { title: HOSTILE, body: HOSTILE })).status).toBe(200);
  const remembered = await at.post('memories', { repositoryId: at.repositoryId, text: HOSTILE });
  expect(remembered.status, remembered.text).toBe(200);
  const { items } = (await at.get('attention')).json as { items: { kind: string; id: string }[] };
  const conflict = items.find(({ kind }) => kind === 'conflict')!.id;
  const page = await opened(studio);
  await visit(page, studio.origin, [
    'inbox',
    'goals',
    `goals/${goalId}`,
    'goals/new',
    ...['', '/files', '/results', '/told', '/events'].map((tab) => `units/${workUnitId}${tab}`),
    'reviews',
    `reviews/${proposed}`,
    `reviews/${proposed}/with/${other}`,
    'candidate',
    'conflicts',
    `conflicts/${conflict}`,
    ...['', '/memory', '/findings', '/records', '/decisions'].map((tab) => `knowledge${tab}`),
    'agents',
    'agents/worker',
    'spend',
    'repositories',
    'audit?words=proposed',
    'time?at=3',
    'settings',
    'rooms',
  ]);
  expect(page.faults).toEqual([]);
  expect(seen.size, [...seen].join(' ')).toBeGreaterThan(15);
}, 300_000);

it('views of agents at work, and of what has failed', async () => {
  const models = scriptedModels(({ turn }) => ({
    text: HOSTILE,
    calls: [
      turn === 0
        ? ['workspace_write', { path: FILE, content: HOSTILE }]
        : ['workspace_exists', { path: `${HOSTILE}${turn}` }],
    ],
  }));
  const studio = await startTestStudio(undefined, { agents: { models } });
  await studio.call('PUT', '/studio/agent-profiles/worker', { body: { maxIterations: 3 } });
  const folder = join(await tempFolder(), 'shelf');
  const at = await withRepository(studio, folder, await gitRepository(folder, { a: '1\n' }));
  const made = await at.post('goals/run', { goal: HOSTILE, repositoryId: at.repositoryId, shape: 'single' });
  const { goalId, workUnitId } = made.json as { goalId: string; workUnitId: string };
  const failed = async () =>
    ((await at.get('attention')).json as { items: { kind: string; id: string }[] }).items.find(
      ({ kind }) => kind === 'failed',
    )?.id;
  await expect.poll(failed).toBeDefined();
  const page = await opened(studio);
  await visit(page, studio.origin, [
    'inbox',
    'goals',
    `goals/${goalId}`,
    ...['', '/files', '/results', '/told', '/events'].map((tab) => `units/${workUnitId}${tab}`),
    'recover',
    `recover/${await failed()}`,
    'agents',
    'agents/worker',
    'spend',
    'audit',
    'time',
  ]);
  expect(page.faults).toEqual([]);
}, 300_000);

/** Views that read something, and what each says where there is nothing. */
const EMPTY = {
  inbox: 'Nothing waits for you.',
  goals: 'No goal is under way.',
  reviews: 'Nothing was proposed yet.',
  recover: 'Nothing has failed that nothing was done about.',
  candidate: 'No repository is registered.',
  conflicts: 'No conflict waits for you.',
  knowledge: 'Agents are told no rule yet.',
  'knowledge/findings': 'Nothing was found in the record yet.',
  'knowledge/records': 'Nothing was recorded.',
  'knowledge/decisions': 'Nothing was decided yet.',
  agents: 'No agent has worked here yet.',
  spend: 'No model was paid yet.',
  'knowledge/memory': 'Nothing is remembered of a repository yet.',
  repositories: 'None is registered yet.',
  time: 'No goal has run in a session yet.',
} as const;

it('each view says that it reads, that it could not, and that there is nothing', async () => {
  const studio = await startTestStudio();
  const { page, context } = await opened(studio);
  const reads = /\/studio\/(?!events|codes|page)/;
  for (const [path, nothing] of Object.entries(EMPTY)) {
    let goOn = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (goOn = resolve));
    await context.route(reads, async (route) => {
      await isHeld;
      await route.fulfill({ status: 503, json: { error: 'The disk is full', code: 'reject.test' } });
    });
    await page.goto(`${studio.origin}/${path}`);
    const main = page.locator('main');
    await main.getByRole('status').getByText('Reading …').first().waitFor();
    goOn();
    await main
      .getByRole('alert')
      .getByText('This could not be read: The disk is full')
      .first()
      .waitFor({ timeout: 20_000 });
    await context.unroute(reads);
    // It is read again by itself.
    await main.getByText(nothing).first().waitFor();
    await expect.poll(() => main.getByRole('alert').count()).toBe(0);
  }
});
