/** Documents of several editors on one marked text: they converge, show what the text says, and undo takes back one's own. */
import fc from 'fast-check';
import {
  baseKeymap,
  chainCommands,
  joinBackward,
  lift,
  setBlockType,
  splitBlock,
  toggleMark,
  wrapIn,
} from 'prosemirror-commands';
import { Fragment, Schema, Slice } from 'prosemirror-model';
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list';
import { type Command, NodeSelection, Plugin, TextSelection } from 'prosemirror-state';
import { describe, expect, it } from 'vitest';
import { richText } from '@weft/core/bindings';
import { Editor, Party, SCHEMA } from '../testing/editors.js';
import { Folding } from './folding.js';
import { linesOf } from './lines.js';
import { Names } from './names.js';

const { nodes, marks } = SCHEMA;

const text = { group: 'inline' };
const paragraph = { content: 'text*', group: 'block' };
/** Knows nothing but paragraphs. */
const PLAIN = new Schema({ nodes: { doc: { content: 'block+' }, paragraph, text } });
/** Asks for a title. */
const TITLED = new Schema({
  nodes: { doc: { content: 'title block+' }, paragraph, title: { content: 'text*' }, text },
});

interface Plan {
  readonly who: number;
  readonly what: number;
  readonly at: number;
  readonly to: number;
  readonly value: number;
}

const plan = fc.record({
  who: fc.nat(2),
  what: fc.nat(24),
  at: fc.nat(1000),
  to: fc.nat(1000),
  value: fc.nat(3),
});

const TYPED = ['a', 'xyz', ' ', '😀'] as const;

function commandOf({ what, value }: Plan): Command {
  switch (what) {
    case 5:
      return chainCommands(splitListItem(nodes.list_item!), splitBlock);
    case 6:
      return joinBackward;
    case 7:
      return toggleMark(marks[['strong', 'em', 'code', 'strong'][value]!]!);
    case 8:
      return toggleMark(marks.link!, { href: `https://example.org/${value}`, title: null });
    case 9:
      return setBlockType(nodes.heading!, { level: value + 1 });
    case 10:
      return setBlockType([nodes.paragraph!, nodes.code_block!][value % 2]!);
    case 11:
      return wrapIn(nodes.blockquote!);
    case 12:
      return wrapInList([nodes.bullet_list!, nodes.ordered_list!][value % 2]!);
    case 13:
      return chainCommands(liftListItem(nodes.list_item!), lift);
    case 14:
      return sinkListItem(nodes.list_item!);
    case 15:
      return toggleMark(marks.comment!, { id: value });
    default:
      return baseKeymap['Enter']!;
  }
}

/** An edit as a user makes it: with a selection, in whatever document is there. */
function act(editor: Editor, one: Plan): void {
  const { doc } = editor.state;
  const [at, to] = [one.at % (doc.content.size + 1), one.to % (doc.content.size + 1)];
  const near = Math.min(doc.content.size, at + (one.to % 12));
  const selection = TextSelection.between(doc.resolve(at), doc.resolve(one.what % 3 === 0 ? to : near));
  editor.dispatch(editor.state.tr.setSelection(selection));
  const { tr } = editor.state;
  if (one.what < 3) editor.dispatch(tr.insertText(TYPED[one.value]!, tr.selection.head));
  else if (one.what < 5) editor.dispatch(tr.deleteSelection());
  else if (one.what < 17) editor.do(commandOf(one));
  else if (one.what === 17) editor.dispatch(tr.replaceSelectionWith(nodes.mention!.create({ who: `p${one.value}` })));
  else if (one.what === 18) editor.dispatch(tr.replaceSelectionWith(nodes.horizontal_rule!.create()));
  else if (one.what === 19) editor.dispatch(tr.replaceSelectionWith(nodes.hard_break!.create()));
  else if (one.what === 20) editor.dispatch(tr.replaceSelection(doc.slice(Math.min(at, to), Math.max(at, to))));
  else if (one.what === 21) {
    const lines = Array.from({ length: one.value + 1 }, (_, i) =>
      nodes.paragraph!.create(null, SCHEMA.text(`line ${i}`)),
    );
    editor.dispatch(tr.replaceSelection(new Slice(Fragment.from(lines), 1, 1)));
  } else if (one.what === 22) {
    doc.descendants((node, pos) => void (node.isText && tr.insertText('*', tr.mapping.map(pos))));
    editor.dispatch(tr);
  } else if (one.what === 23) {
    const image = nodes.image!.create({ src: `/${one.value}` });
    if (doc.resolve(at).parent.inlineContent) editor.dispatch(tr.replaceRangeWith(at, at, image));
  } else if (doc.resolve(at).nodeAfter?.isBlock) {
    editor.dispatch(editor.state.tr.setSelection(NodeSelection.create(doc, at)));
    if (one.value > 1) editor.dispatch(editor.state.tr.deleteSelection());
  }
}

const folded = (editor: Editor) =>
  new Folding(new Names(SCHEMA)).fold(linesOf(richText(editor.replica, 't').spans())).doc;

function agreeing(editor: Editor): void {
  editor.state.doc.check();
  expect(editor.state.doc.toJSON()).toEqual(folded(editor).toJSON());
}

describe('documents of several editors', () => {
  it('are what the text says after each edit, and the same once all have heard the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 4, maxLength: 30 }), async (plans) => {
        const party = await Party.open();
        const editors = await Promise.all([0, 1, 2].map(async () => new Editor(await party.join())));
        for (const one of plans) {
          const editor = editors[one.who]!;
          if (one.at % 4 === 0) await party.say(editor.replica);
          if (one.at % 5 === 0) await party.hear(editor.replica, one.to % 3);
          act(editor, one);
          for (const each of editors) agreeing(each);
        }
        await party.agree();
        for (const each of editors) agreeing(each);
        const [one, two, three] = editors.map(({ state }) => state.doc.toJSON());
        expect(two).toEqual(one);
        expect(three).toEqual(one);
        expect(new Set(editors.map(({ replica }) => replica.stateHash)).size).toBe(1);
        for (const { bound } of editors) bound.end();
      }),
      { numRuns: process.env['TESTS_LONG'] ? 30 : 15 },
    );
  });
});

describe('undo of a document', () => {
  it('takes everything back to where one began, and does it all again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 4, maxLength: 25 }), async (plans) => {
        const party = await Party.open();
        const editor = new Editor(await party.join());
        for (const one of plans) act(editor, one);
        const { doc } = editor.state;
        const { undo } = editor.bound;
        while (undo.undo()) agreeing(editor);
        expect(editor.state.doc.toString()).toBe('doc(paragraph)');
        while (undo.redo()) agreeing(editor);
        expect(editor.state.doc.toJSON()).toEqual(doc.toJSON());
      }),
      { numRuns: process.env['TESTS_LONG'] ? 20 : 10 },
    );
  });

  it('leaves what others have typed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 4, maxLength: 25 }), async (plans) => {
        const party = await Party.open();
        const [one, two] = [new Editor(await party.join()), new Editor(await party.join())];
        let typed = 0;
        for (const each of plans) {
          if (each.who > 0) act(one, each);
          else {
            const { doc } = two.state;
            const at = TextSelection.near(doc.resolve(each.at % (doc.content.size + 1)));
            two.edit((tr) => (tr.selection.$head ? tr.setSelection(at).insertText('#') : tr));
            typed++;
          }
          await party.agree();
        }
        while (one.bound.undo.undo()) agreeing(one);
        await party.agree();
        agreeing(two);
        expect(two.state.doc.toJSON()).toEqual(one.state.doc.toJSON());
        expect(one.state.doc.textContent.replaceAll(/[^#]/g, '').length).toBe(typed);
      }),
      { numRuns: process.env['TESTS_LONG'] ? 15 : 8 },
    );
  });
});

/** Two editors that show the same, beginning with so many paragraphs. */
async function two(...lines: readonly string[]) {
  const party = await Party.open();
  const [one, other] = [new Editor(await party.join()), new Editor(await party.join())];
  if (lines.length > 0)
    one.edit((tr) =>
      tr.replaceWith(
        0,
        tr.doc.content.size,
        lines.map((line) => nodes.paragraph!.create(null, line ? SCHEMA.text(line) : null)),
      ),
    );
  await party.agree();
  return { party, one, other };
}

const shown = ({ state }: Editor): string => state.doc.toString();
const select = (editor: Editor, from: number, to = from): void =>
  editor.edit((tr) => tr.setSelection(TextSelection.create(tr.doc, from, to)));

describe('two who edit at once', () => {
  it('have bold what one types into what the other makes bold, and what is typed behind it', async () => {
    const { party, one, other } = await two('The fox jumped.');
    select(one, 5, 8);
    one.do(toggleMark(marks.strong!));
    other.edit((tr) => tr.insertText('!', 6));
    await party.agree();
    expect([shown(one), shown(other)]).toEqual(Array(2).fill('doc(paragraph("The ", strong("f!ox"), " jumped."))'));
    other.edit((tr) => tr.insertText('es', 9));
    await party.agree();
    expect(shown(one)).toBe('doc(paragraph("The ", strong("f!oxes"), " jumped."))');
  });

  it('have overlapping bolds as one, and nothing of a link in what is typed behind it', async () => {
    const { party, one, other } = await two('The fox jumped.');
    select(one, 1, 8);
    one.do(toggleMark(marks.strong!));
    select(other, 5, 15);
    other.do(toggleMark(marks.strong!));
    await party.agree();
    expect(shown(other)).toBe('doc(paragraph(strong("The fox jumped"), "."))');
    select(one, 1, 4);
    one.do(toggleMark(marks.link!, { href: 'https://example.org' }));
    other.edit((tr) => tr.insertText('x', 4));
    await party.agree();
    const wanted = 'doc(paragraph(link(strong("The")), strong("x fox jumped"), "."))';
    expect([shown(one), shown(other)]).toEqual([wanted, wanted]);
  });

  it('have a block that one splits and the other makes a heading as two, and what they type where they typed it', async () => {
    const { party, one, other } = await two('one two', 'three');
    select(one, 4);
    one.do(splitBlock);
    select(other, 2);
    other.do(setBlockType(nodes.heading!, { level: 2 }));
    other.edit((tr) => tr.insertText('!', 8));
    await party.agree();
    const wanted = 'doc(heading("one"), paragraph(" two!"), paragraph("three"))';
    expect([shown(one), shown(other)]).toEqual([wanted, wanted]);
  });

  it('keep what is typed into a block that is joined with the one before it', async () => {
    const { party, one, other } = await two('one', 'two');
    select(one, 6);
    one.do(joinBackward);
    other.edit((tr) => tr.insertText('!', 9));
    await party.agree();
    expect([shown(one), shown(other)]).toEqual(Array(2).fill('doc(paragraph("onetwo!"))'));
  });

  it('have the items that both add to a list in one list', async () => {
    const { party, one, other } = await two('one', 'two');
    select(one, 2, 8);
    one.do(wrapInList(nodes.bullet_list!));
    await party.agree();
    select(one, 6);
    select(other, 13);
    for (const each of [one, other]) {
      each.do(splitListItem(nodes.list_item!));
      each.edit((tr) => tr.insertText(each === one ? 'from one' : 'from other'));
    }
    await party.agree();
    const items = ['one', 'from one', 'two', 'from other'].map((text) => `list_item(paragraph("${text}"))`);
    expect([shown(one), shown(other)]).toEqual(Array(2).fill(`doc(bullet_list(${items.join(', ')}))`));
  });

  it('keep their selections, and what one is about to type bold stays so', async () => {
    const { party, one, other } = await two('one two three', 'four');
    select(one, 5, 8);
    other.edit((tr) => tr.insertText('<<', 1).insertText('>>', 12).insertText('!', 18));
    await party.say(other.replica);
    await party.hear(one.replica);
    expect(one.state.doc.textBetween(one.state.selection.from, one.state.selection.to)).toBe('two');
    select(one, one.state.selection.to);
    one.edit((tr) => tr.setStoredMarks([marks.strong!.create()]));
    const { head } = one.state.selection;
    other.edit((tr) => tr.insertText('x', 10));
    await party.agree();
    expect(one.state.selection.head).toBe(head);
    one.edit((tr) => tr.replaceSelectionWith(SCHEMA.text('y', tr.storedMarks ?? [])));
    expect(shown(one)).toContain('strong("y")');
  });

  it('keep a caret in a block that somebody makes a heading, or an item of a list', async () => {
    const { party, one, other } = await two('one', 'two', 'three');
    select(one, 8);
    select(other, 7);
    other.do(setBlockType(nodes.heading!, { level: 1 }));
    await party.agree();
    expect(one.state.selection.head).toBe(8);
    other.do(setBlockType(nodes.paragraph!));
    other.do(wrapInList(nodes.bullet_list!));
    await party.agree();
    expect(one.state.selection.$head.parentOffset).toBe(2);
    expect(one.state.selection.$head.parent.textContent).toBe('two');
  });
});

describe('what a schema has no name for', () => {
  it('is shown as something else, and stays what it was through edits of those who do not know it', async () => {
    const party = await Party.open();
    const [one, plain] = [new Editor(await party.join()), new Editor(await party.join(), PLAIN)];
    one.edit((tr) =>
      tr.replaceWith(0, 2, [
        nodes.heading!.create({ level: 2 }, [
          SCHEMA.text('Plan', [marks.strong!.create()]),
          nodes.mention!.create({ who: 'ann' }),
        ]),
        nodes.bullet_list!.create(
          null,
          nodes.list_item!.create(null, nodes.paragraph!.create(null, SCHEMA.text('first'))),
        ),
      ]),
    );
    await party.agree();
    expect(shown(plain)).toBe('doc(paragraph("Plan\ufffc"), paragraph("first"))');
    plain.edit((tr) => tr.insertText('n', 5).insertText('!', 14));
    await party.agree();
    const item = 'list_item(paragraph("first!"))';
    expect(shown(one)).toBe(`doc(heading(strong("Plann"), mention), bullet_list(${item}))`);
    expect(shown(plain)).toBe('doc(paragraph("Plann\ufffc"), paragraph("first!"))');
  });

  it('is where a schema asks for more than is there: that is shown and not written, until somebody types into it', async () => {
    const party = await Party.open();
    const [one, titled] = [new Editor(await party.join()), new Editor(await party.join(), TITLED)];
    const before = one.replica.frontier;
    expect(shown(titled)).toBe('doc(title, paragraph)');
    expect(titled.replica.frontier).toEqual(before);
    titled.edit((tr) => tr.insertText('Name', 1));
    titled.edit((tr) => tr.insertText('text', 7));
    expect(shown(titled)).toBe('doc(title("Name"), paragraph("text"))');
    await party.agree();
    expect(shown(one)).toBe('doc(paragraph("Name"), paragraph("text"))');
    one.edit((tr) => tr.insertText('first', 1));
    await party.agree();
    expect(shown(titled)).toBe('doc(title("firstName"), paragraph("text"))');
  });

  it('is text that others have written without a thought of documents', async () => {
    const party = await Party.open();
    const [one, other] = [new Editor(await party.join()), await party.join()];
    other.text('t').insert(0, 'one\ntwo');
    await party.agree();
    expect(shown(one)).toBe('doc(paragraph("one"), paragraph("two"))');
    one.do(setBlockType(nodes.heading!, { level: 1 }));
    await party.agree();
    richText(other, 't').mark(0, 1, 'block', { type: 'heading', attrs: { level: 'x' }, within: 'y', joins: -1 });
    richText(other, 't').mark(2, 1, 'object', { type: 'mention', attrs: { who: 7 } });
    richText(other, 't').mark(3, 2, 'link', 'no attributes');
    await party.agree();
    agreeing(one);
    expect(one.state.doc.textContent).toBe('onetwo');
  });

  it('says so where something says more of itself than a mark can hold, and writes the rest', async () => {
    const { one, other, party } = await two('one');
    const large = nodes.image!.create({ src: `data:,${'x'.repeat(20_000)}` });
    expect(() => one.edit((tr) => tr.insert(2, [large, SCHEMA.text('bold', [marks.strong!.create()])]))).toThrow(
      '16 KiB',
    );
    agreeing(one);
    await party.agree();
    expect([shown(one), shown(other)]).toEqual(Array(2).fill('doc(paragraph("o\ufffc", strong("bold"), "ne"))'));
  });

  it('refuses a schema whose marks are called as what a text says of its blocks', async () => {
    const party = await Party.open();
    const replica = await party.join();
    const schema = new Schema({ nodes: SCHEMA.spec.nodes, marks: { block: {} } });
    expect(() => new Editor(replica, schema)).toThrow('a mark of the schema is called block');
  });
});

describe('an editor whose plugins edit too', () => {
  it('shares what they add to what others have written, once', async () => {
    const party = await Party.open();
    const trailing = new Plugin({
      appendTransaction: (_transactions, _before, { doc, tr }) =>
        doc.lastChild?.type === nodes.paragraph ? null : tr.insert(doc.content.size, nodes.paragraph!.create()),
    });
    const [one, other] = [new Editor(await party.join()), new Editor(await party.join(), SCHEMA, [trailing])];
    one.edit((tr) => tr.insertText('Title'));
    one.do(setBlockType(nodes.heading!, { level: 1 }));
    await party.agree();
    expect(shown(other)).toBe('doc(heading("Title"), paragraph)');
    await party.agree();
    expect(shown(one)).toBe('doc(heading("Title"), paragraph)');
  });

  it('says so where they do not let pass what others have written, and writes nothing of it', async () => {
    const party = await Party.open();
    const stubborn = new Plugin({ filterTransaction: (tr) => !tr.docChanged });
    const replica = await party.join();
    replica.text('t').insert(0, 'text');
    expect(() => new Editor(replica, SCHEMA, [stubborn])).toThrow('let transactions of others pass');
    expect(replica.text('t').toString()).toBe('text');
  });
});
