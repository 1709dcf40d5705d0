/** The page in Chromium as one lives with it: what is done is taken back, linked, told of, and goes on after a cut. */
import { type Server, type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { browser } from '../../../../test/support/browsers/browser.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const live = (page: Page): Promise<void> => page.locator('.live[data-state=live]').waitFor();

async function opened(studio: TestStudio, context?: BrowserContext): Promise<Page> {
  const page = await (context ?? (await (await browser()).newContext())).newPage();
  await page.goto(studio.link());
  await live(page);
  return page;
}

async function unitOf(
  studio: TestStudio,
  goal: string,
  more: object = {},
): Promise<{ workUnitId: string; branchId: string }> {
  const made = await studio.call('POST', '/studio/workunits', { body: { goal, ...more } });
  return made.json as { workUnitId: string; branchId: string };
}

async function ask(studio: TestStudio, question: string): Promise<void> {
  const { workUnitId } = await unitOf(studio, question);
  const body = { workUnitId, question, options: ['yes'] };
  expect((await studio.call('POST', '/studio/clarifications/request', { body })).status).toBe(200);
}

it('is let in and asks for what the inbox shows while its scripts are on their way, once', async () => {
  const studio = await startTestStudio();
  await ask(studio, 'Which one?');
  const context = await (await browser()).newContext();
  const asked: string[] = [];
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/studio/')) asked.push(pathname.replace(/[0-9a-f]{32}/, 'code'));
  });
  let goOn = (): void => undefined;
  let isHeld = new Promise<void>((resolve) => (goOn = resolve));
  await context.route('**/assets/main-*', async (route) => {
    await isHeld;
    await route.continue();
  });
  const page = await context.newPage();
  await page.goto(studio.link(), { waitUntil: 'commit' });
  await page.getByText('Opening …').waitFor();
  await expect.poll(() => asked).toEqual(['/studio/codes/code']);
  goOn();
  await page.getByText('Which one?').waitFor();
  await live(page);
  // What the inbox shows has come with the answer to the code.
  const reads = ['/studio/attention', '/studio/agents'];
  expect(asked.filter((path) => reads.includes(path))).toEqual([]);
  // Where no code is exchanged it is asked for before the other scripts run, and by them not again.
  isHeld = new Promise<void>((resolve) => (goOn = resolve));
  asked.length = 0;
  await page.goto(studio.origin, { waitUntil: 'commit' });
  await page.getByText('Opening …').waitFor();
  await expect.poll(() => asked).toEqual(reads);
  goOn();
  await page.getByText('Which one?').waitFor();
  await live(page);
  expect(asked.filter((path) => reads.includes(path))).toEqual(reads);
  // A link that is no good any more takes nothing from a page that was let in.
  await page.goto(`${studio.origin}/#code=${'0'.repeat(32)}`);
  await page.reload();
  await page.getByText('Which one?').waitFor();
});

it('what can be taken back is, by a button and by a key, and the same is not taken back twice', async () => {
  const studio = await startTestStudio();
  const { goalId } = (await studio.call('POST', '/studio/goals', { body: { goal: 'Sort the shelf' } })).json as {
    goalId: string;
  };
  const page = await opened(studio);
  const option = async () =>
    ((await studio.call('GET', '/studio/options')).json as { docFetchTools: boolean }).docFetchTools;
  await page.goto(`${studio.origin}/settings`);
  const row = page.locator('li', { hasText: 'Agents may read documents on the web' });
  const before = await option();
  await row.locator('button[data-operation]').click();
  await expect.poll(option).toBe(!before);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(option).toBe(before);
  await page.getByText('As before').waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);

  await page.goto(`${studio.origin}/goals/${goalId}`);
  const status = async () =>
    ((await studio.call('GET', `/studio/goals/${goalId}/status`)).json as { status: string }).status;
  const was = await status();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect.poll(status).toBe('Paused');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.keyboard.press('z');
  await expect.poll(status).toBe(was);
  await page.keyboard.press('z');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  expect(await status()).toBe(was);
});

it('what is shown has an address: parts of a view too, with the way back', async () => {
  const studio = await startTestStudio();
  const { workUnitId } = await unitOf(studio, 'Mend it');
  const page = await opened(studio);
  const chosen = () => page.locator('[role=tab][aria-selected=true]').innerText();
  for (const [path, first, other] of [
    [`/units/${workUnitId}`, 'Transcript', 'Told'],
    ['/knowledge', 'Rules', 'Memory'],
  ] as const) {
    await page.goto(studio.origin + path);
    await page.getByRole('tab', { name: other }).click();
    await expect.poll(chosen).toBe(other);
    expect(new URL(page.url()).pathname).toBe(`${path}/${other.toLowerCase()}`);
    await page.reload();
    await expect.poll(chosen).toBe(other);
    await page.goBack();
    await expect.poll(chosen).toBe(first);
  }
});

it('when something was is said from now, and exactly for whoever points at it', async () => {
  const studio = await startTestStudio();
  await ask(studio, 'Which one?');
  const [{ since = '' } = {}] = ((await studio.call('GET', '/studio/attention')).json as { items: { since: string }[] })
    .items;
  const context = await (await browser()).newContext({ timezoneId: 'UTC' });
  const page = await context.newPage();
  const at = Date.parse(since);
  await page.clock.setFixedTime(at);
  await page.goto(studio.link());
  const time = page.locator('.item time');
  const said = async (ms: number): Promise<string> => {
    await page.clock.setFixedTime(at + ms);
    await page.goto(studio.origin);
    return time.innerText();
  };
  expect([
    await said(9_000),
    await said(10_000),
    await said(61_000),
    await said(7_300_000),
    await said(90_000_000),
  ]).toEqual(['now', '10s ago', '1m ago', '2h ago', '1d ago']);
  expect(await time.getAttribute('datetime')).toBe(since);
  await time.hover();
  const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  expect(await time.getAttribute('title')).toBe(exact.format(at).replaceAll('\u202f', ' '));
});

it('a person who asked for it is told by the desktop of what is new while the page is hidden, once', async () => {
  const studio = await startTestStudio();
  const context = await (await browser()).newContext();
  await context.grantPermissions(['notifications'], { origin: studio.origin });
  await context.addInitScript(`
    globalThis.told = [];
    globalThis.Notification = class { static permission = 'granted'; static requestPermission = async () => 'granted';
      constructor(title, { body, tag }) { told.push([title, body, tag.split(' ')[1]]); } };
    globalThis.isHidden = false;
    Object.defineProperty(Document.prototype, 'hidden', { get: () => isHidden });
  `);
  const page = await opened(studio, context);
  const told = () => page.evaluate('told');
  const waiting = (count: number) => expect.poll(() => page.locator('[data-kind=answer]').count()).toBe(count);
  await ask(studio, 'Before anybody asked?');
  await waiting(1);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Notify me while it is hidden' }).click();
  await page.getByRole('button', { name: 'Notifies you while it is hidden' }).waitFor();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await ask(studio, 'While I look?');
  await waiting(2);
  await page.evaluate('globalThis.isHidden = true');
  await ask(studio, 'While I am away?');
  await waiting(3);
  await expect.poll(told).toEqual([['Weft', expect.stringContaining('While I am away?'), 'answer']]);
  await ask(studio, 'And this?');
  await waiting(4);
  await expect.poll(async () => ((await told()) as unknown[]).length).toBe(2);
});

/** A way to a studio that can be cut: who is connected is thrown out, and nobody comes in. */
async function cuttable(port: number) {
  const open = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const one of [near, far]) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => open.delete(one));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: (): void => {
      isCut = true;
      for (const one of open) one.destroy();
    },
    mend: (): void => void (isCut = false),
  };
}

it('a stream that is cut for a minute goes on where it was, without a gap, and says meanwhile that it is not live', async () => {
  const studio = await startTestStudio();
  const way = await cuttable(studio.port);
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const asked: number[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/studio/events') asked.push(Number(searchParams.get('after')));
  });
  // The minute is that of the page.
  await page.clock.install();
  await page.goto(studio.link().replace(studio.origin, way.origin));
  await live(page);
  const newest = async (): Promise<number> =>
    Number(/\d+/.exec((await page.locator('.live').getAttribute('title')) ?? '')?.[0]);
  const said = async (): Promise<number> =>
    ((await studio.call('GET', '/studio/attention')).json as { asOf: number }).asOf;
  await ask(studio, 'Before?');
  await page.getByText('Before?').waitFor();
  await expect.poll(newest).toBe(await said());
  const last = await newest();
  way.cut();
  await page.locator('.live[data-state=broken]').waitFor();
  for (const question of ['Meanwhile?', 'And then?']) await ask(studio, question);
  const tried = asked.length;
  for (let second = 0; second < 60; second++) await page.clock.runFor(1_000);
  expect(asked.length).toBeGreaterThan(tried);
  expect(await page.getByText('Meanwhile?').count()).toBe(0);
  way.mend();
  await expect
    .poll(async () => {
      await page.clock.runFor(2_000);
      return page.locator('.live').getAttribute('data-state');
    })
    .toBe('live');
  await expect
    .poll(async () => {
      await page.clock.runFor(200);
      return page.getByText('And then?').count();
    })
    .toBe(1);
  // From the last event that it had seen: none is left out, and none is lost.
  expect(asked.at(-1)).toBe(last);
  await expect.poll(newest).toBe(await said());
});
