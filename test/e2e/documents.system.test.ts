/** Rich text in Chromium, two pages and a server: typing at once, selections, undo, composition, large pastes, reloads without a network. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PageScript, type PageWorld, pageScript, pageWorld } from '../support/browsers/page-world.js';

const PAGE = `
  import { createUndo, openRoom } from '@weft/client';
  import { indexedDb } from '@weft/client/indexeddb';
  import { SHARED, documentOf, presenceCursors, sharedDocument } from '@weft/client/prosemirror';
  import { sharedEditing } from '@weft/client/tiptap';
  import { Editor } from '@tiptap/core';
  import StarterKit from '@tiptap/starter-kit';
  import { baseKeymap, chainCommands, setBlockType, toggleMark } from 'prosemirror-commands';
  import { keymap } from '@tiptap/pm/keymap';
  import { Schema } from 'prosemirror-model';
  import { schema as basic } from 'prosemirror-schema-basic';
  import { addListNodes, splitListItem } from 'prosemirror-schema-list';
  import { EditorState, TextSelection } from 'prosemirror-state';
  import { EditorView } from 'prosemirror-view';

  document.head.append(Object.assign(document.createElement('style'), { textContent: '.ProseMirror { white-space: pre-wrap }' }));
  const place = () => document.body.appendChild(Object.assign(document.createElement('div'), { id: 'editor' }));
  // However slow a machine is, what is typed without moving the caret is one step.
  const optionsOf = (look) => ({
    undo: createUndo(room, { keys: ['body'], origins: [SHARED], mergeMs: Infinity }),
    cursors: presenceCursors(room, 'body', look),
  });
  const schema = new Schema({ nodes: addListNodes(basic.spec.nodes, 'paragraph block*', 'block'), marks: basic.spec.marks });
  const bold = { prosemirror: 'strong', tiptap: 'bold' };
  globalThis.editors = {
    prosemirror: (look) => {
      const { nodes } = schema;
      const plugins = [
        ...sharedDocument(room.replica, 'body', optionsOf(look)),
        keymap({ Enter: chainCommands(splitListItem(nodes.list_item), baseKeymap.Enter), 'Mod-b': toggleMark(schema.marks.strong) }),
        keymap(baseKeymap),
      ];
      return new EditorView(place(), { state: EditorState.create({ doc: documentOf(room.replica, 'body', schema), plugins }) });
    },
    tiptap: (look) => {
      const extensions = [StarterKit.configure({ undoRedo: false, trailingNode: false }), sharedEditing(room.replica, 'body', optionsOf(look))];
      globalThis.editor = new Editor({ element: place(), extensions });
      return editor.view;
    },
  };
  globalThis.enter = async (url, kind, look, isKept) => {
    globalThis.room = openRoom('notes', { url, ...(isKept ? { storage: indexedDb() } : {}) });
    await room.ready;
    globalThis.view = editors[kind](look);
    const select = (anchor, head) => view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, anchor, head)));
    globalThis.pad = {
      read: () => view.state.doc.toString().replaceAll(bold[kind] + '(', 'B(').replaceAll('text(', '('),
      caret: (at, anchor = at) => select(anchor, at),
      at: () => view.state.selection.head,
      selected: () => view.state.doc.textBetween(view.state.selection.from, view.state.selection.to),
      title: () => setBlockType(view.state.schema.nodes.heading, { level: 1 })(view.state, view.dispatch),
    };
    view.focus();
  };
`;

let script: PageScript;
beforeAll(async () => {
  script = await pageScript(PAGE);
});

type Kind = 'prosemirror' | 'tiptap';

async function enter(page: Page, url: string, kind: Kind, look = {}, isKept = false): Promise<void> {
  await page.evaluate(`enter(${JSON.stringify(url)}, '${kind}', ${JSON.stringify(look)}, ${isKept})`);
}

/** Two pages with an editor each, in a document of such paragraphs. */
async function twoPages(kind: Kind, lines: readonly string[]): Promise<PageWorld & { one: Page; two: Page }> {
  const world = await pageWorld(script);
  const [one, two] = [await world.page(), await world.page()];
  await enter(one, world.url, kind, { name: 'Ann', color: 'rgb(1, 2, 3)' });
  await enter(two, world.url, kind);
  await one.evaluate(`room.text('body').insert(0, ${JSON.stringify(lines.join('\n'))})`);
  await agreeOn(`doc(${lines.map((line) => `paragraph("${line}")`).join(', ')})`, one, two);
  return { ...world, one, two };
}

const read = (page: Page): Promise<string> => page.evaluate('pad.read()');
const caret = (page: Page, at: number, anchor = at): Promise<void> => page.evaluate(`pad.caret(${at}, ${anchor})`);

async function agreeOn(document: string, ...pages: readonly Page[]): Promise<void> {
  for (const page of pages) await expect.poll(() => read(page)).toBe(document);
}

describe.each(['prosemirror', 'tiptap'] as const)('%s', (kind) => {
  it('is typed into by two pages at once, in blocks that both split', async () => {
    const { one, two, faults } = await twoPages(kind, ['one two']);
    await caret(one, 4);
    await caret(two, 8);
    await one.bringToFront();
    await one.keyboard.type(', 1');
    await agreeOn('doc(paragraph("one, 1 two"))', one, two);
    expect(await two.evaluate('pad.at()')).toBe(11);
    await Promise.all([one.keyboard.type(' and more'), two.keyboard.type(', 2')]);
    await agreeOn('doc(paragraph("one, 1 and more two, 2"))', one, two);
    await one.keyboard.press('Enter');
    await two.bringToFront();
    await two.keyboard.press('Enter');
    await two.keyboard.type('next');
    await one.evaluate('pad.caret(2); pad.title()');
    await agreeOn('doc(heading("one, 1 and more"), paragraph(" two, 2"), paragraph("next"))', one, two);
    expect(faults).toEqual([]);
  });

  it('makes bold what somebody types into what is made bold at once, and selections stay', async () => {
    const { one, two, down, up } = await twoPages(kind, ['The fox jumped.', 'And more.']);
    await caret(one, 8, 5);
    await caret(two, 22, 19);
    await down();
    await one.bringToFront();
    await one.keyboard.press('Control+b');
    await agreeOn('doc(paragraph("The ", B("fox"), " jumped."), paragraph("And more."))', one);
    await two.evaluate(`view.dispatch(view.state.tr.insertText('!', 6))`);
    await agreeOn('doc(paragraph("The f!ox jumped."), paragraph("And more."))', two);
    await up();
    await agreeOn('doc(paragraph("The ", B("f!ox"), " jumped."), paragraph("And more."))', one, two);
    expect([await one.evaluate('pad.selected()'), await two.evaluate('pad.selected()')]).toEqual(['f!ox', 'nd ']);
  });

  it('takes back one’s own as one step, and leaves what is of others', async () => {
    const { one, two, faults } = await twoPages(kind, ['(middle)']);
    await caret(one, 8);
    await one.bringToFront();
    await one.keyboard.type('ab');
    await agreeOn('doc(paragraph("(middleab)"))', one, two);
    await caret(two, 1);
    await two.bringToFront();
    await two.keyboard.type('before ');
    await agreeOn('doc(paragraph("before (middleab)"))', one, two);
    await one.bringToFront();
    await one.keyboard.type('cd');
    await agreeOn('doc(paragraph("before (middleabcd)"))', one, two);
    await one.keyboard.press('Control+z');
    await agreeOn('doc(paragraph("before (middle)"))', one, two);
    await one.keyboard.press('Control+z'); // nothing is left of its own
    await agreeOn('doc(paragraph("before (middle)"))', one, two);
    await one.keyboard.press('Control+Shift+z');
    await agreeOn('doc(paragraph("before (middleabcd)"))', one, two);
    expect(faults).toEqual([]);
  });

  it('composes where it began, while others write before and behind', async () => {
    const { one, two, faults } = await twoPages(kind, ['one  two', 'three']);
    await caret(one, 5);
    await one.bringToFront();
    const ime = await one.context().newCDPSession(one);
    const compose = (text: string): Promise<unknown> =>
      ime.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await compose('に');
    await two.evaluate(`room.edit(() => {
      room.text('body').insert(0, '<< ');
      room.text('body').insert(room.text('body').length, ' >>');
    })`);
    await expect.poll(() => read(one)).toContain('>>');
    await compose('にほ');
    await ime.send('Input.insertText', { text: '日本' });
    await agreeOn('doc(paragraph("<< one 日本 two"), paragraph("three >>"))', one, two);
    expect(await one.evaluate('pad.at()')).toBe('<< one 日本'.length + 1);
    expect(faults).toEqual([]);
  });

  it('takes a paste of a megabyte, and undoes it', async () => {
    const { one, two, faults } = await twoPages(kind, ['[]']);
    await caret(one, 2);
    await one.bringToFront();
    const lines = Array.from(
      { length: 5000 },
      (_, i) => `line ${i} of what is pasted,${' and some more,'.repeat(12)} with words`,
    );
    const html = lines
      .map((line, i) => (i % 500 === 250 ? `<h1>${line}</h1>` : `<p>${line.replace('words', '<b>words</b>')}</p>`))
      .join('');
    await one.evaluate(`view.pasteHTML(${JSON.stringify(html)})`);
    const size = (page: Page): Promise<number> => page.evaluate('view.state.doc.textContent.length');
    const pasted = lines.join('').length + 2;
    for (const page of [one, two]) await expect.poll(() => size(page)).toBe(pasted);
    const isSame = async (): Promise<boolean> => (await read(one)) === (await read(two));
    await expect.poll(isSame).toBe(true);
    await caret(two, 1);
    await two.bringToFront();
    await two.keyboard.type('so ');
    for (const page of [one, two]) await expect.poll(() => size(page)).toBe(pasted + 3);
    await one.bringToFront();
    await one.keyboard.press('Control+z');
    await agreeOn('doc(paragraph("so []"))', one, two);
    expect(faults).toEqual([]);
  });

  it('shows where others are, what they have selected and in which colour', async () => {
    const { one, two, faults } = await twoPages(kind, ['hello world']);
    await caret(one, 6, 1);
    await expect.poll(() => two.textContent('.weft-selection')).toBe('hello');
    const border = (): Promise<string> =>
      two.evaluate(`getComputedStyle(document.querySelector('.weft-caret')).borderLeftColor`);
    await expect.poll(border).toBe('rgb(1, 2, 3)');
    expect(await two.getAttribute('.weft-caret', 'title')).toBe('Ann');
    await caret(two, 1);
    await two.bringToFront();
    await two.keyboard.type('>> ');
    await expect.poll(() => two.textContent('.weft-selection')).toBe('hello');
    await agreeOn('doc(paragraph(">> hello world"))', one, two);
    expect(faults).toEqual([]);
  });
});

it('is there after a reload without a server, with what was written without it, and sends that when it is back', async () => {
  const world = await pageWorld(script);
  const [one, two] = [await world.page(), await world.page()];
  await enter(one, world.url, 'tiptap', {}, true);
  await enter(two, world.url, 'tiptap'); // of somebody else
  await one.bringToFront();
  await one.keyboard.type('Title');
  await one.evaluate('pad.title()');
  await agreeOn('doc(heading("Title"))', one, two);
  await world.down();
  await one.keyboard.press('Enter');
  await one.keyboard.type('offline');
  await one.evaluate('room.kept()');
  const again = await world.page();
  await one.close();
  await enter(again, world.url, 'tiptap', {}, true);
  await agreeOn('doc(heading("Title"), paragraph("offline"))', again);
  await world.up();
  await agreeOn('doc(heading("Title"), paragraph("offline"))', two, again);
});
