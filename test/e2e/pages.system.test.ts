/** `@weft/client` in Chromium, against a real server: storage, tabs that are killed, editors, hooks. */
import { generateKeys, signToken } from '@weft/core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type PageScript, type PageWorld, pageScript, pageWorld } from '../support/browsers/page-world.js';

/** Script of a page: opens the room, and shows its text in the ways that there are. */
const PAGE = `
  import { openRoom } from '@weft/client';
  import { encrypted } from '@weft/client/encrypted';
  import { indexedDb } from '@weft/client/indexeddb';
  import { bindTextField } from '@weft/client/textarea';
  import { sharedText } from '@weft/client/codemirror';
  import { RoomProvider, useDoc, useEntries, useReady, useStatus } from '@weft/client/react';
  import { EditorView } from '@codemirror/view';
  import { createElement, StrictMode, Suspense } from 'react';
  import { createRoot } from 'react-dom/client';

  globalThis.enter = async (url) => {
    const room = openRoom('notes', { url, storage: indexedDb() });
    globalThis.room = room;
    await room.ready;
    return room.status;
  };
  globalThis.enterEncrypted = async (url, byte) => {
    globalThis.room = openRoom('diary', { url, storage: encrypted(indexedDb(), new Uint8Array(32).fill(byte)) });
    await room.ready;
    return room.status.storage;
  };
  globalThis.stored = async () => {
    const settled = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const [{ name }] = await indexedDB.databases();
    const store = (await settled(indexedDB.open(name))).transaction('records').objectStore('records');
    const bytes = (value) => value?.sealed ?? (value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value)));
    return (await settled(store.getAll())).map((value) => new TextDecoder('latin1').decode(bytes(value))).join();
  };
  globalThis.enterLocked = async (url) => {
    globalThis.room = openRoom('notes', { url, token: globalThis.token, audience: new URL(url).host, storage: indexedDb() });
    await room.joined;
  };
  globalThis.field = () => {
    document.body.append(Object.assign(document.createElement('textarea'), { id: 'field' }));
    bindTextField(room.replica, 'body', document.querySelector('#field'));
  };
  globalThis.editor = () => {
    const cursors = {
      show: (selection) => room.presence.update({ selection }),
      get others() {
        return room.presence.others.flatMap(({ peer, shown }) =>
          shown?.selection ? [{ id: peer.peerId, selection: shown.selection }] : []);
      },
      onChange: (listener) => room.presence.onChange(listener),
    };
    const doc = room.textOf('body');
    globalThis.view = new EditorView({ doc, parent: document.body, extensions: [sharedText(room.replica, 'body', { cursors })] });
  };
  globalThis.renders = {};
  const count = (name) => void (renders[name] = (renders[name] ?? 0) + 1);
  const Card = ({ id }) => {
    const name = useDoc((doc) => doc.get('cards/' + id).toUpperCase());
    count(id);
    return createElement('li', { id: 'card-' + id }, name);
  };
  const Board = () => {
    useReady();
    const ids = useEntries('cards/', (cards) => Object.keys(cards).map((key) => key.slice(6)));
    count('board');
    return createElement('ul', null, ids.map((id) => createElement(Card, { id, key: id })));
  };
  const Light = () => createElement('p', { id: 'light' }, useStatus().connection);
  globalThis.board = (url) => {
    globalThis.room = openRoom('board', { url });
    document.body.append(Object.assign(document.createElement('div'), { id: 'root' }));
    const tree = createElement(Suspense, { fallback: createElement('p', { id: 'wait' }) }, createElement(Board), createElement(Light));
    createRoot(document.querySelector('#root')).render(
      createElement(StrictMode, null, createElement(RoomProvider, { room }, tree)));
  };
`;

let script: PageScript;
beforeAll(async () => {
  script = await pageScript(PAGE);
});

const world = (): Promise<PageWorld> => pageWorld(script);
const textIn = (page: Page): Promise<unknown> => page.evaluate(`room.textOf('body')`);
const enter = (page: Page, url: string): Promise<unknown> => page.evaluate(`enter(${JSON.stringify(url)})`);

it('keeps a room over a closed page, a killed page and a missing network, in several tabs, and forks nobody', async () => {
  const { host, url, faults, page, down, up } = await world();
  const first = await page();
  expect(await enter(first, url)).toMatchObject({ storage: 'kept' });
  await first.evaluate(`(room.text('body').insert(0, 'one '), room.sent())`);
  await first.close({ runBeforeUnload: false });

  const tabs = [await page(), await page(), await page()];
  for (const tab of tabs) {
    await enter(tab, url);
    expect(await textIn(tab)).toBe('one ');
  }
  for (const [i, tab] of tabs.entries()) await tab.evaluate(`(room.set('tab/${i}', room.name), room.sent())`);
  const server = await host.room('notes');
  await expect.poll(() => tabs[2]!.evaluate(`room.get('tab/0') && room.get('tab/1') && true`)).toBe(true);
  const authors = await tabs[2]!.evaluate(`[0, 1, 2].map((i) => room.replica.why('tab/' + i).author)`);
  expect(new Set(authors as string[]).size).toBe(3);

  await down();
  await tabs[0]!.evaluate(`(room.text('body').insert(4, 'two '), room.kept())`);
  await expect.poll(() => textIn(tabs[1]!)).toBe('one two '); // by word of the tab, without a server
  // A killed renderer says goodbye to nobody.
  const crashed = tabs[0]!.waitForEvent('crash');
  await tabs[0]!.goto('chrome://crash').catch(() => undefined);
  await crashed.catch(() => undefined);
  for (const tab of tabs.slice(1)) await tab.close();
  await up();

  const last = await page();
  await enter(last, url);
  await last.evaluate(`room.joined.then(() => (room.set('last', 1), room.sent()))`);
  await expect.poll(() => server.text('body')).toBe('one two ');
  expect(server.forks).toEqual([]);
  expect(await textIn(last)).toBe('one two ');
  // Keys are in the database, and no script gets at their secrets.
  const secrets = await last.evaluate(`(async () => {
    const [{ name }] = await indexedDB.databases();
    const settled = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const records = (await settled(indexedDB.open(name))).transaction('records').objectStore('records');
    const slots = (await settled(records.getAll(IDBKeyRange.bound('slot/', 'slot/~')))).map(({ keys }) => keys);
    return Promise.all(slots.map(async ({ seed, signing }) => [seed, await crypto.subtle.exportKey('jwk', signing).catch(({ name }) => name)]));
  })()`);
  expect(secrets).toEqual((secrets as unknown[]).map(() => ['', 'InvalidAccessError']));
  expect((secrets as unknown[]).length).toBeGreaterThanOrEqual(3);
  expect(faults.filter((fault) => !/WebSocket connection/.test(fault))).toEqual([]);
});

it('goes on in memory, and says so, where somebody has removed what was kept, and brings nothing of it back', async () => {
  const { url, page, down } = await world();
  const [one, other] = [await page(), await page()];
  expect(await enter(one, url)).toMatchObject({ storage: 'kept' });
  await one.evaluate(`(room.set('before', 1), room.sent().then(() => room.kept()))`);
  await other.evaluate(`indexedDB.databases().then(([{ name }]) => new Promise((resolve) => {
    globalThis.database = name;
    indexedDB.deleteDatabase(name).onsuccess = resolve;
  }))`);
  await down();
  expect(await one.evaluate(`(room.set('after', 1), room.kept().then(() => room.status.storage))`)).toBe('memory');
  expect(await other.evaluate(`indexedDB.databases()`)).toEqual([]);
  expect(await one.evaluate(`[room.get('before'), room.get('after')]`)).toEqual([1, 1]);
});

it('goes on in memory where another page keeps the room anew', async () => {
  const { url, page } = await world();
  const [one, other] = [await page(), await page()];
  await enter(one, url);
  await other.evaluate(`indexedDB.databases().then(([{ name }]) => new Promise((resolve) => {
    indexedDB.deleteDatabase(name).onsuccess = resolve;
  }))`);
  expect(await enter(other, url)).toMatchObject({ storage: 'kept' });
  await one.evaluate(`(room.set('one', 1), room.sent())`);
  expect(await one.evaluate(`room.kept().then(() => room.status.storage)`)).toBe('memory');
  await expect.poll(() => other.evaluate(`room.get('one')`)).toBe(1);
});

it('keeps a room encrypted by a key of the application, which opens it without a network, and no other key does', async () => {
  const { url, faults, page, down, up } = await world();
  const first = await page();
  const enterBy = (tab: Page, byte: number): Promise<unknown> => tab.evaluate(`enterEncrypted('${url}', ${byte})`);
  expect(await enterBy(first, 7)).toBe('kept');
  await first.evaluate(`(room.set('note', 'nobody reads this'), room.kept())`);
  await down();
  await first.evaluate(`(room.set('later', 'nor this'), room.kept())`);
  expect(await first.evaluate('stored()')).not.toMatch(/nobody|nor this|note|later|publicKey/);
  await first.evaluate('room.close()');

  const second = await page();
  expect(await enterBy(second, 7)).toBe('kept');
  expect(await second.evaluate(`[room.get('note'), room.get('later')]`)).toEqual(['nobody reads this', 'nor this']);
  await second.evaluate('room.close()');
  await up();
  const third = await page();
  expect(await enterBy(third, 8)).toBe('memory');
  // It begins with nothing, and has what the server has a moment later.
  await expect.poll(() => third.evaluate(`room.get('note')`)).toBe('nobody reads this');
  expect(await third.evaluate(`room.get('later')`)).toBeUndefined();
  const fourth = await page();
  expect(await enterBy(fourth, 7)).toBe('kept');
  await expect.poll(() => third.evaluate(`room.get('later')`)).toBe('nor this');
  expect(faults.filter((fault) => !/WebSocket connection/.test(fault))).toEqual([]);
});

it('enters a locked room by a token, with a proof of the key that it has made', async () => {
  const admin = generateKeys();
  const { host, url, faults, page } = await pageWorld(script, { adminKey: admin.publicKey });
  await host.submit({ room_id: 'notes', command: { SetRoomKey: { pubkey_hex: admin.publicKey } } });
  const tab = await page();
  await tab.exposeFunction('token', (peer: string) =>
    signToken({ room: 'notes', peer, expiry: Math.floor(Date.now() / 1000) + 600, caps: [] }, admin.seed),
  );
  await tab.evaluate(`enterLocked('${url}')`);
  await tab.evaluate(`(room.set('from', 'a page'), room.sent())`);
  expect((await host.room('notes')).get('from')).toBe('a page');
  expect(faults).toEqual([]);
});

it('is typed into by two pages at once, in a text field and in CodeMirror, with cursors and undo of one’s own', async () => {
  const { url, faults, page } = await world();
  const [one, two] = [await page(), await page()];
  await Promise.all([enter(one, url), enter(two, url)]);
  await one.evaluate('editor()');
  await two.evaluate('field()');
  await one.click('.cm-content');
  await one.keyboard.type('hello world');
  await expect.poll(() => two.inputValue('#field')).toBe('hello world');
  await two.evaluate(`document.querySelector('#field').setSelectionRange(5, 5)`);
  await two.focus('#field');
  await Promise.all([one.keyboard.type(' and more', { delay: 5 }), two.keyboard.type(', dear', { delay: 5 })]);
  const both = 'hello, dear world and more';
  for (const read of [(): Promise<unknown> => textIn(one), () => textIn(two), () => two.inputValue('#field')])
    await expect.poll(read).toBe(both);
  await expect.poll(() => one.evaluate('view.state.doc.toString()')).toBe(both);
  expect(await two.evaluate(`document.querySelector('#field').selectionStart`)).toBe(11);

  await one.keyboard.press('Control+z');
  await expect.poll(() => textIn(two)).not.toBe(both);
  for (let i = 0; i < 20; i++) await one.keyboard.press('Control+z');
  await expect.poll(() => two.inputValue('#field')).toBe(', dear');
  for (let i = 0; i < 20; i++) await one.keyboard.press('Control+y');
  await expect.poll(() => two.inputValue('#field')).toBe(both);

  const three = await page();
  await enter(three, url);
  await three.evaluate('editor()');
  await three.click('.cm-content');
  await three.keyboard.press('Control+Home');
  await expect.poll(() => one.locator('.weft-caret').count()).toBeGreaterThan(0);
  await two.evaluate(`room.text('body').insert(0, '0123456789'.repeat(5000))`);
  await expect.poll(() => one.evaluate('view.state.doc.length')).toBe(50_000 + both.length);
  expect(faults).toEqual([]);
});

it('renders a component of React when what it shows has changed, and no other', async () => {
  const { host, url, faults, page } = await world();
  const server = await host.room('board');
  for (let i = 0; i < 1000; i++) await server.set(`cards/${i}`, `card ${i}`);
  const one = await page();
  await one.evaluate(`board(${JSON.stringify(url)})`);
  await expect.poll(() => one.locator('li').count()).toBe(1000);
  await expect.poll(() => one.textContent('#light')).toBe('joined');
  const before = (await one.evaluate('({ ...renders })')) as Record<string, number>;
  await server.set('cards/7', 'changed');
  await expect.poll(() => one.textContent('#card-7')).toBe('CHANGED');
  const after = (await one.evaluate('({ ...renders })')) as Record<string, number>;
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['7']);
  expect(faults).toEqual([]);
});
