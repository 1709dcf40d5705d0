/** An editor of Yjs as its users have it, by `y-prosemirror` and `y-websocket`: nothing is changed but the address. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type PageScript, type PageWorld, pageScript, pageWorld } from '../support/browsers/page-world.js';

const PAGE = `
  import { baseKeymap } from 'prosemirror-commands';
  import { keymap } from '@tiptap/pm/keymap';
  import { schema } from 'prosemirror-schema-basic';
  import { EditorState } from 'prosemirror-state';
  import { EditorView } from 'prosemirror-view';
  import { redo, undo, yCursorPlugin, ySyncPlugin, yUndoPlugin } from 'y-prosemirror';
  import { WebsocketProvider } from 'y-websocket';
  import * as Y from 'yjs';

  document.head.append(Object.assign(document.createElement('style'), { textContent: '.ProseMirror { white-space: pre-wrap }' }));
  globalThis.enter = (address, name) => {
    const doc = new Y.Doc();
    // Not told from page to page by the browser: all goes through the server.
    globalThis.provider = new WebsocketProvider(address, 'notes', doc, { disableBc: true, maxBackoffTime: 100 });
    provider.awareness.setLocalStateField('user', { name, color: '#010203' });
    const plugins = [
      ySyncPlugin(doc.getXmlFragment('body')),
      yCursorPlugin(provider.awareness),
      yUndoPlugin(),
      keymap({ 'Mod-z': undo, 'Mod-y': redo }),
      keymap(baseKeymap),
    ];
    globalThis.view = new EditorView(document.body, { state: EditorState.create({ schema, plugins }) });
    view.focus();
  };
`;

let script: PageScript;
beforeAll(async () => {
  script = await pageScript(PAGE);
});

async function twoPages(): Promise<PageWorld & { one: Page; two: Page }> {
  const world = await pageWorld(script, { yjs: true });
  const [one, two] = [await world.page(), await world.page()];
  for (const [page, name] of [
    [one, 'Ann'],
    [two, 'Ben'],
  ] as const) {
    await page.evaluate(`enter('${world.url}/yjs', '${name}')`);
    await expect.poll(() => page.evaluate('provider.synced')).toBe(true);
  }
  return { ...world, one, two };
}

async function agreeOn(text: string, ...pages: readonly Page[]): Promise<void> {
  for (const page of pages) await expect.poll(() => page.evaluate('view.state.doc.toString()')).toBe(text);
}

async function type(page: Page, ...keys: readonly string[]): Promise<void> {
  await page.bringToFront();
  for (const key of keys)
    await (key.length > 1 && !key.includes(' ') ? page.keyboard.press(key) : page.keyboard.type(key));
}

it('is typed into by two pages, which show each other’s cursors and take back their own', async () => {
  const { one, two, faults } = await twoPages();
  await type(one, 'one ');
  await agreeOn('doc(paragraph("one "))', one, two);
  await expect
    .poll(() => two.locator('.ProseMirror-yjs-cursor').allInnerTexts())
    .toEqual([expect.stringContaining('Ann')]);
  await type(two, 'Control+End', 'two ');
  await agreeOn('doc(paragraph("one two "))', one, two);
  await type(one, 'Control+z');
  await agreeOn('doc(paragraph("two "))', one, two);
  await type(one, 'Control+y');
  await agreeOn('doc(paragraph("one two "))', one, two);
  expect(faults).toEqual([]);
});

it('goes on without its server, and has all that both have typed when it is back', async () => {
  const { one, two, host, url, page, down, up } = await twoPages();
  await type(one, 'one ');
  await agreeOn('doc(paragraph("one "))', one, two);
  await down();
  await type(one, 'Control+End', 'Enter', 'of one ');
  await type(two, 'Control+End', 'Enter', 'of two ');
  await agreeOn('doc(paragraph("one "), paragraph("of one "))', one);
  await agreeOn('doc(paragraph("one "), paragraph("of two "))', two);
  await up();
  const both = /^doc\(paragraph\("one "\), paragraph\("of (?:one|two) "\), paragraph\("of (?:one|two) "\)\)$/;
  await expect.poll(() => one.evaluate('view.state.doc.toString()')).toMatch(both);
  await agreeOn(await one.evaluate('view.state.doc.toString()'), two);
  // It is a room of the server, which somebody reads who comes when both have gone.
  await one.close();
  await two.close();
  const three = await page();
  await three.evaluate(`enter('${url}/yjs', 'Cleo')`);
  await expect.poll(() => three.evaluate('view.state.doc.toString()')).toMatch(both);
  expect((await host.room('notes')).seq).toBeGreaterThan(0);
});
