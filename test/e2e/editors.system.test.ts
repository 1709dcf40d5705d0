/** Editors in Chromium, two pages and a server: typing at once, cursors, undo, composition, large pastes, foreign line breaks. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PageScript, type PageWorld, pageScript, pageWorld } from '../support/browsers/page-world.js';

const PAGE = `
  import { createUndo, openRoom } from '@weft/client';
  import { bindTextField } from '@weft/client/textarea';
  import { SHARED, presenceCursors as cursorsOf, sharedText } from '@weft/client/codemirror';
  import { EditorView } from '@codemirror/view';

  // However slow a machine is, what is typed without moving the caret is one step.
  const undo = () => createUndo(room, { keys: ['body'], origins: [SHARED], mergeMs: Infinity });
  const place = (name) => {
    const box = Object.assign(document.createElement(name), { id: 'editor' });
    box.style.cssText = 'width: 600px; height: 300px';
    document.body.append(box);
    return box;
  };
  globalThis.editors = {
    textarea: () => {
      const field = place('textarea');
      bindTextField(room.replica, 'body', field, { undo: undo() });
      return {
        read: () => field.value,
        caret: (at) => field.setSelectionRange(at, at),
        at: () => field.selectionStart,
        focus: () => field.focus(),
      };
    },
    codemirror: (look) => {
      const extensions = [sharedText(room.replica, 'body', { undo: undo(), cursors: cursorsOf(room, 'body', look) })];
      const view = new EditorView({ doc: room.textOf('body'), parent: place('div'), extensions });
      return {
        read: () => view.state.doc.toString(),
        caret: (at, anchor = at) => view.dispatch({ selection: { anchor, head: at } }),
        at: () => view.state.selection.main.head,
        focus: () => view.focus(),
      };
    },
  };
`;
/** Large, so pages of the others are without it. */
const MONACO = `
  import { bindMonaco, presenceCursors } from '@weft/client/monaco';
  import * as monaco from 'monaco-editor/editor/editor.api.js';

  globalThis.MonacoEnvironment = { getWorker: () => new Worker(URL.createObjectURL(new Blob([''], { type: 'text/javascript' }))) };
  editors.monaco = (look) => {
    const editor = monaco.editor.create(place('div'), { value: room.textOf('body'), language: 'plaintext' });
    const end = bindMonaco(room.replica, 'body', editor, { undo: undo(), cursors: presenceCursors(room, 'body', look) });
    const model = editor.getModel();
    Object.assign(globalThis, { editor, end });
    return {
      read: () => model.getValue(),
      caret: (at, anchor = at) => {
        const [from, to] = [model.getPositionAt(anchor), model.getPositionAt(at)];
        editor.setSelection({ selectionStartLineNumber: from.lineNumber, selectionStartColumn: from.column,
          positionLineNumber: to.lineNumber, positionColumn: to.column });
      },
      at: () => model.getOffsetAt(editor.getPosition()),
      focus: () => editor.focus(),
    };
  };
`;
const ENTER = `
  globalThis.enter = async (url, kind, look) => {
    globalThis.room = openRoom('notes', { url });
    await room.ready;
    globalThis.pad = editors[kind](look);
    pad.focus();
  };
`;

type Kind = 'textarea' | 'codemirror' | 'monaco';

let scripts: Readonly<Record<Kind, PageScript>>;
beforeAll(async () => {
  const [small, large] = await Promise.all([pageScript(PAGE + ENTER), pageScript(PAGE + MONACO + ENTER)]);
  scripts = { textarea: small, codemirror: small, monaco: large };
});

/** Two pages with an editor each, in a text that begins so. */
async function twoPages(kind: Kind, text: string, look = {}): Promise<PageWorld & { one: Page; two: Page }> {
  const world = await pageWorld(scripts[kind]);
  const { url, page } = world;
  const [one, two] = [await page(), await page()];
  for (const each of [one, two])
    await each.evaluate(`enter(${JSON.stringify(url)}, '${kind}', ${JSON.stringify(look)})`);
  await one.evaluate(`room.text('body').insert(0, ${JSON.stringify(text)})`);
  for (const each of [one, two]) await expect.poll(() => shared(each)).toBe(text);
  return { ...world, one, two };
}

const read = (page: Page): Promise<string> => page.evaluate('pad.read()');
const shared = (page: Page): Promise<string> => page.evaluate(`room.textOf('body')`);
const caret = (page: Page, at: number): Promise<void> => page.evaluate(`pad.caret(${at})`);

async function agreeOn(text: string, ...pages: readonly Page[]): Promise<void> {
  for (const page of pages) {
    await expect.poll(() => read(page)).toBe(text);
    await expect.poll(() => shared(page)).toBe(text);
  }
}

const KINDS: readonly Kind[] = ['textarea', 'codemirror', 'monaco'];

it('codemirror goes on where a browser has replaced a character of which it sees that one half is another', async () => {
  const { one, two, faults } = await twoPages('codemirror', 'a😀b');
  await one.evaluate(`document.querySelector('.cm-line').firstChild.data = 'a😁b'`); // as keyboards and spelling do
  await agreeOn('a😁b', one, two);
  await caret(one, 4);
  await one.bringToFront();
  await one.keyboard.type('!');
  await agreeOn('a😁b!', one, two);
  expect(faults).toEqual([]);
});

describe.each(KINDS)('%s', (kind) => {
  it('is typed into by two pages at once', async () => {
    const { one, two, faults } = await twoPages(kind, 'one two');
    await caret(one, 3);
    await caret(two, 7);
    await one.bringToFront();
    await one.keyboard.type(', 1');
    await agreeOn('one, 1 two', one, two);
    expect(await two.evaluate('pad.at()')).toBe(10);
    await Promise.all([one.keyboard.type(' and more'), two.keyboard.type(', 2 and others')]);
    await agreeOn('one, 1 and more two, 2 and others', one, two);
    expect(faults).toEqual([]);
  });

  it('takes back one’s own as one step, although others have moved the caret, and leaves what is theirs', async () => {
    const { one, two, faults } = await twoPages(kind, '(middle)');
    await caret(one, 7);
    await one.keyboard.type('ab');
    await agreeOn('(middleab)', one, two);
    await caret(two, 0);
    await two.keyboard.type('before ');
    await agreeOn('before (middleab)', one, two);
    await one.keyboard.type('cd');
    await agreeOn('before (middleabcd)', one, two);
    await one.keyboard.press('Control+z');
    await agreeOn('before (middle)', one, two);
    await one.keyboard.press('Control+z'); // nothing is left of its own
    await agreeOn('before (middle)', one, two);
    await one.keyboard.press('Control+Shift+z');
    await agreeOn('before (middleabcd)', one, two);
    await one.keyboard.press('Home');
    await one.keyboard.type('!');
    await agreeOn('!before (middleabcd)', one, two);
    await one.keyboard.press('Control+z');
    await agreeOn('before (middleabcd)', one, two);
    expect(faults).toEqual([]);
  });

  it('composes where it began, while others write before and behind', async () => {
    const { one, two, faults } = await twoPages(kind, 'one  two');
    await caret(one, 4);
    await one.bringToFront();
    const ime = await one.context().newCDPSession(one);
    const compose = (text: string): Promise<unknown> =>
      ime.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await compose('に');
    await two.evaluate(
      `room.edit(() => { room.text('body').insert(0, '<< '); room.text('body').insert(room.text('body').length, ' >>'); })`,
    );
    await expect.poll(() => shared(one)).toContain('>>');
    await compose('にほ');
    await ime.send('Input.insertText', { text: '日本' });
    await agreeOn('<< one 日本 two >>', one, two);
    expect(await one.evaluate('pad.at()')).toBe('<< one 日本'.length);
    expect(faults).toEqual([]);
  });

  it('takes a large paste with foreign line breaks, and undoes it', async () => {
    const { one, two, faults } = await twoPages(kind, '[]');
    await caret(one, 1);
    await one.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await one.bringToFront();
    const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} of what is pasted`);
    await one.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines.join('\r\n'))})`);
    await one.keyboard.press('Control+v');
    await agreeOn(`[${lines.join('\n')}]`, one, two);
    await one.keyboard.press('Control+z');
    await agreeOn('[]', one, two);
    expect(faults).toEqual([]);
  });

  it('edits a text whose lines end as on Windows where the editor says', async () => {
    const { one, two, faults } = await twoPages(kind, 'one\r\ntwo\r\nthree');
    for (const page of [one, two]) await expect.poll(() => read(page)).toBe('one\ntwo\nthree');
    await caret(one, 7);
    await one.bringToFront();
    await one.keyboard.type('!');
    await caret(two, 4);
    await two.bringToFront();
    await two.keyboard.type('and ');
    for (const page of [one, two]) {
      await expect.poll(() => shared(page)).toBe('one\r\nand two!\r\nthree');
      await expect.poll(() => read(page)).toBe('one\nand two!\nthree');
    }
    expect(faults).toEqual([]);
  });
});

describe.each(['codemirror', 'monaco'] as const)('%s', (kind) => {
  it('shows where others are, what they have selected and in which colour, and nothing else of what they say', async () => {
    const evil = 'red; background: url(http://127.0.0.1:1/)} * { display: none';
    const { one, two, faults } = await twoPages(kind, 'hello world', { name: 'Ann', color: 'rgb(1, 2, 3)' });
    await one.evaluate('pad.caret(5, 0)');
    await expect.poll(() => two.locator('.weft-selection').count()).toBeGreaterThan(0);
    await expect.poll(() => two.locator('.weft-caret').count()).toBe(1);
    const border = (): Promise<string> =>
      two.evaluate(`getComputedStyle(document.querySelector('.weft-caret')).borderLeftColor`);
    await expect.poll(border).toBe('rgb(1, 2, 3)');
    const left = (): Promise<number> => two.evaluate(`document.querySelector('.weft-caret').getBoundingClientRect().x`);
    const before = await left();
    await two.evaluate('pad.caret(0)');
    await two.bringToFront();
    await two.keyboard.type('>> ');
    await expect.poll(left).toBeGreaterThan(before);
    await one.evaluate(
      `room.presence.update({ cursor: { ...room.presence.own.cursor, color: ${JSON.stringify(evil)} } })`,
    );
    await expect.poll(border).toBe('rgb(255, 165, 0)');
    expect(await two.evaluate('getComputedStyle(document.body).display')).toBe('block');
    await one.evaluate(`room.presence.update({ cursor: { key: 'body', selection: null } })`);
    await expect.poll(() => two.locator('.weft-caret').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

it('a Monaco editor that is no longer bound is an editor by itself again', async () => {
  const { one, two } = await twoPages('monaco', 'text');
  await one.evaluate('end()');
  await one.bringToFront();
  await caret(one, 4);
  await one.keyboard.type('!');
  expect([await read(one), await shared(two)]).toEqual(['text!', 'text']);
  await one.keyboard.press('Control+z');
  await expect.poll(() => read(one)).toBe('text');
});
