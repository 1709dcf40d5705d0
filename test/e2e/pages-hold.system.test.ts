/** One day of a room in Chromium: what pages must hold through, one after the other, on one device and a server that has tokens. */
import { generateKeys, signToken } from '@weft/core';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { pageScript, pageWorld } from '../support/browsers/page-world.js';

const PAGE = `
  import { openRoom } from '@weft/client';
  import { indexedDb } from '@weft/client/indexeddb';
  import { bindTextField } from '@weft/client/textarea';
  import { sharedText } from '@weft/client/codemirror';
  import { EditorView } from '@codemirror/view';

  globalThis.enter = async (url) => {
    const room = openRoom('pad', { url, token: globalThis.token, storage: indexedDb() });
    globalThis.room = room;
    await room.ready;
  };
  globalThis.fill = async (key) => {
    const piece = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(12_000))));
    while (room.status.storage === 'kept') {
      room.set(key, piece());
      await room.kept();
    }
    room.set(key, piece());
  };
  globalThis.editor = () => {
    const doc = room.textOf('body');
    globalThis.view = new EditorView({ doc, parent: document.body, extensions: [sharedText(room.replica, 'body')] });
  };
  globalThis.field = () => {
    document.body.append(Object.assign(document.createElement('textarea'), { id: 'field' }));
    bindTextField(room.replica, 'body', document.querySelector('#field'));
  };
`;
const DAY_MS = 86_400_000;
const EDITS = 10_000;
/** Space of the device: more than these pages take by themselves. */
const SPACE = 4 * 1024 * 1024;

/** Space that the device has for pages; undefined gives back what was taken. */
async function limit(page: Page, quotaSize?: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const origin = new URL(page.url()).origin;
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, ...(quotaSize === undefined ? {} : { quotaSize }) });
}

const textIn = (page: Page): Promise<string> => page.evaluate(`room.textOf('body')`);
const status = (page: Page): Promise<unknown> => page.evaluate('room.status');

it('holds through an expired token, a wrong clock, 10,000 edits offline, a killed tab, a full device and a server that comes back', async () => {
  const admin = generateKeys();
  const world = await pageWorld(await pageScript(PAGE), { adminKey: admin.publicKey });
  /** How long tokens hold, in seconds; the first ones do not hold for long. */
  let holds = 4;
  const asked: string[] = [];
  const tab = async (clockMs = 0, space?: number): Promise<Page> => {
    const page = await world.page();
    await page.exposeFunction('token', (peer: string) => {
      asked.push(peer);
      return signToken({ room: 'pad', peer, expiry: Math.floor(Date.now() / 1000) + holds, caps: [] }, admin.seed);
    });
    await page.evaluate(`{ const now = Date.now.bind(Date); Date.now = () => now() + ${clockMs}; }`);
    if (space !== undefined) await limit(page, space);
    await page.evaluate(`enter(${JSON.stringify(world.url)})`);
    return page;
  };

  // Three tabs, one of which is a day ahead and one a day behind; two people type at once.
  const [one, two, three] = [await tab(DAY_MS, SPACE), await tab(-DAY_MS), await tab()];
  await one.evaluate('editor()');
  await two.evaluate('field()');
  await one.click('.cm-content');
  await two.focus('#field');
  await Promise.all([one.keyboard.type('<first>', { delay: 5 }), two.keyboard.type('[second]', { delay: 5 })]);
  await expect.poll(async () => (await textIn(three)).length).toBe('<first>[second]'.length);

  // Tokens that expire are replaced by new ones.
  holds = 600;
  await expect.poll(() => new Set(asked).size * 2 <= asked.length, { timeout: 20_000 }).toBe(true);
  for (const page of [one, two, three])
    await expect.poll(() => status(page), { timeout: 20_000 }).toMatchObject({ connection: 'joined', unsent: 0 });

  // Without a server: many edits in one tab, typing in another, which is killed.
  await world.down();
  await one.evaluate(`for (let i = 0; i < ${EDITS}; i++) room.set('cells/' + (i % 500), i)`);
  await one.keyboard.type('!');
  await two.keyboard.press('End');
  await two.keyboard.type('?');
  await Promise.all([one, two].map((page) => page.evaluate('room.kept()')));
  const crashed = two.waitForEvent('crash');
  await two.goto('chrome://crash').catch(() => undefined);
  await crashed.catch(() => undefined);
  await two.close();
  const back = await tab();

  // Still without a server, the device is filled up: pages say that they are not kept any more, and go on.
  for (const page of [three, one]) {
    await page.evaluate(`fill('large')`);
    // From now on the browser has no room for anything, however small.
    await limit(page, 1);
    expect(await status(page)).toMatchObject({ storage: 'memory' });
  }
  await one.keyboard.type('&');

  await world.up();
  const room = await world.host.room('pad');
  const late = await tab(); // opened where nothing can be kept
  expect(await status(late)).toMatchObject({ storage: 'memory' });
  const pages = [one, three, back, late];
  for (const page of pages)
    await expect.poll(() => status(page), { timeout: 20_000 }).toMatchObject({ connection: 'joined', unsent: 0 });
  await expect.poll(() => room.text('body'), { timeout: 20_000 }).toContain('?');
  for (const page of pages) {
    await expect.poll(() => textIn(page), { timeout: 20_000 }).toBe(room.text('body'));
    await expect.poll(() => page.evaluate(`Object.keys(room.entries('cells/')).length`)).toBe(500);
    await expect
      .poll(() => page.evaluate(`[room.get('cells/499'), room.get('large').length]`))
      .toEqual([EDITS - 1, 16_000]);
    expect(await status(page)).toMatchObject({ connection: 'joined', unsent: 0, refused: 0 });
  }
  const text = room.text('body');
  expect([...text].sort().join('')).toBe([...'<first>[second]!&?'].sort().join(''));
  expect(await one.evaluate('[view.state.doc.toString(), view.state.selection.main.head]')).toEqual([
    text,
    text.indexOf('&') + 1,
  ]);
  expect(room.forks).toEqual([]);

  // With space again, the next page keeps what it is told.
  await limit(three);
  for (const page of pages) await page.evaluate('room.close()');
  const next = await tab();
  await next.evaluate('room.joined.then(() => room.kept())');
  expect(await status(next)).toMatchObject({ storage: 'kept' });
  expect(await textIn(next)).toBe(text);
  expect(world.faults.filter((fault) => !/WebSocket connection/.test(fault))).toEqual([]);
});
