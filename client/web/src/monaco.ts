/**
 * Binding of a text to a Monaco editor: what is typed is edited, what others edit is applied, selections of others are drawn, and
 * undo takes back one's own alone. The model's own undo is replaced while the binding lasts, wherever it is asked for.
 */
import type { IRange, editor as Monaco } from 'monaco-editor';
import type { Replica, TextDelta } from '@weft/core/client';
import {
  BoundText,
  type EditorHands,
  type SharedTextOptions,
  type ShownCursor,
  type ShownSelection,
} from './editing/bound-text.js';
import { colorOf } from './editing/cursors.js';
import { differenceOf, through } from './editing/difference.js';

export { SHARED, type SharedTextOptions } from './editing/bound-text.js';
export {
  type CursorLook,
  type Cursors,
  type RemoteCursor,
  type SharedSelection,
  presenceCursors,
} from './editing/cursors.js';

// Numbers of Monaco's enumerations, so that nothing of it is loaded here.
const LF = 0;
const BY_WILL = 3;
const NEVER_GROWS = 1;

/** Binds the model that the editor shows; answers what ends it. Another model in the editor ends it too. */
export function bindMonaco(
  replica: Replica,
  key: string,
  editor: Monaco.ICodeEditor,
  options: SharedTextOptions = {},
): () => void {
  const model = editor.getModel();
  if (!model) throw new Error('the editor shows no model: give it one (editor.setModel) before it is bound');
  const bound = new MonacoText(editor, model, replica, key, options);
  return () => bound.end();
}

class MonacoText implements EditorHands {
  readonly #editor: Monaco.ICodeEditor;
  readonly #model: Monaco.ITextModel;
  readonly #text: BoundText;
  readonly #drawn: Monaco.IEditorDecorationsCollection;
  readonly #looks = new CSSStyleSheet();
  readonly #ends: (() => void)[];
  #isApplying = false;
  #isOver = false;

  constructor(
    editor: Monaco.ICodeEditor,
    model: Monaco.ITextModel,
    replica: Replica,
    key: string,
    options: SharedTextOptions,
  ) {
    this.#editor = editor;
    this.#model = model;
    model.setEOL(LF);
    this.#text = new BoundText(this, replica, key, options);
    this.#drawn = editor.createDecorationsCollection();
    const root = editor.getContainerDomNode().getRootNode() as Document | ShadowRoot;
    root.adoptedStyleSheets.push(this.#looks);
    const listeners = [
      model.onDidChangeContent((event) => this.#changed(event)),
      model.onWillDispose(() => this.end()),
      editor.onDidChangeModel(() => this.end()),
      editor.onDidChangeCursorSelection(({ reason }) => {
        if (!this.#isApplying && !this.#text.isComposing) this.#text.selected(reason === BY_WILL);
      }),
      editor.onDidCompositionStart(() => this.#text.compose()),
      editor.onDidCompositionEnd(() => this.#text.composed()),
    ];
    const { undo, redo, canUndo, canRedo } = model;
    model.undo = () => void (this.#text.isComposing || this.#text.undo.undo());
    model.redo = () => void (this.#text.isComposing || this.#text.undo.redo());
    model.canUndo = () => this.#text.undo.canUndo;
    model.canRedo = () => this.#text.undo.canRedo;
    this.#ends = [
      () => this.#text.end(),
      () => listeners.forEach((listener) => listener.dispose()),
      () => this.#drawn.clear(),
      () => (root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== this.#looks)),
      () => Object.assign(model, { undo, redo, canUndo, canRedo }),
    ];
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const end of this.#ends) end();
  }
  read(): string {
    return this.#model.getValue();
  }

  apply(delta: TextDelta): void {
    const selections = this.#offsets().map(({ anchor, head }) => ({
      anchor: through(delta, anchor),
      head: through(delta, head),
    }));
    const edits = this.#editsOf(delta);
    this.#quietly(() => {
      this.#model.applyEdits(edits);
      // Setting what is already so would end a composition.
      const isMoved = this.#offsets().some(
        ({ anchor, head }, i) => anchor !== selections[i]?.anchor || head !== selections[i]?.head,
      );
      if (isMoved) this.#editor.setSelections(selections.map((one) => this.#selectionOf(one)));
    });
  }

  selection(): ShownSelection {
    return this.#offsets()[0] ?? { anchor: 0, head: 0 };
  }

  select(selection: ShownSelection): void {
    this.#quietly(() => this.#editor.setSelection(this.#selectionOf(selection)));
    this.#editor.revealPosition(this.#model.getPositionAt(selection.head));
    this.#text.selected(false);
  }

  draw(cursors: readonly ShownCursor[]): void {
    const rules: string[] = [];
    const decorations = cursors.map(({ cursor, anchor, head }, i): Monaco.IModelDeltaDecoration => {
      const color = colorOf(cursor);
      rules.push(
        `.weft-peer-${i}.weft-selection { background: color-mix(in srgb, ${color} 25%, transparent) }`,
        `.weft-peer-${i}.weft-caret { position: absolute; height: 100%; border-left: 2px solid ${color} }`,
      );
      const caret = `weft-caret weft-peer-${i}`;
      return {
        range: this.#rangeOf(Math.min(anchor, head), Math.max(anchor, head)),
        options: {
          className: `weft-selection weft-peer-${i}`,
          stickiness: NEVER_GROWS,
          hoverMessage: cursor.name === undefined ? null : { value: plain(cursor.name) },
          ...(head < anchor ? { beforeContentClassName: caret } : { afterContentClassName: caret }),
        },
      };
    });
    this.#looks.replaceSync(rules.join('\n'));
    this.#drawn.set(decorations);
  }

  #changed({ changes, isFlush, isEolChange }: Monaco.IModelContentChangedEvent): void {
    if (this.#isApplying || this.#text.isComposing) return;
    if (isEolChange) this.#quietly(() => this.#model.setEOL(LF));
    else if (isFlush) {
      const { start, gone, typed } = differenceOf(this.#text.shown, this.read());
      this.#text.write([{ from: start, gone, typed }]);
    } else
      this.#text.write(
        changes.map(({ rangeOffset, rangeLength, text }) => ({ from: rangeOffset, gone: rangeLength, typed: text })),
      );
  }

  #quietly(act: () => void): void {
    this.#isApplying = true;
    try {
      act();
    } finally {
      this.#isApplying = false;
    }
  }

  #editsOf(delta: TextDelta): Monaco.IIdentifiedSingleEditOperation[] {
    const edits: { readonly range: IRange; text: string }[] = [];
    let at = 0;
    for (const step of delta) {
      if ('retain' in step) at += step.retain;
      else if ('insert' in step) edits.push({ range: this.#rangeOf(at, at), text: step.insert });
      else {
        edits.push({ range: this.#rangeOf(at, at + step.delete), text: '' });
        at += step.delete;
      }
    }
    return edits;
  }

  #offsets(): ShownSelection[] {
    return (this.#editor.getSelections() ?? []).map((one) => ({
      anchor: this.#model.getOffsetAt({ lineNumber: one.selectionStartLineNumber, column: one.selectionStartColumn }),
      head: this.#model.getOffsetAt({ lineNumber: one.positionLineNumber, column: one.positionColumn }),
    }));
  }

  #selectionOf({ anchor, head }: ShownSelection) {
    const [start, position] = [this.#model.getPositionAt(anchor), this.#model.getPositionAt(head)];
    return {
      selectionStartLineNumber: start.lineNumber,
      selectionStartColumn: start.column,
      positionLineNumber: position.lineNumber,
      positionColumn: position.column,
    };
  }

  #rangeOf(from: number, to: number): IRange {
    const [start, end] = [this.#model.getPositionAt(from), this.#model.getPositionAt(to)];
    return {
      startLineNumber: start.lineNumber,
      startColumn: start.column,
      endLineNumber: end.lineNumber,
      endColumn: end.column,
    };
  }
}

/** Text that Markdown takes as it stands. */
function plain(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
