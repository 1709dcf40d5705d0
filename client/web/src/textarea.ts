/**
 * Binding of a text to a plain `<textarea>` or `<input>`: what is typed is edited, what others edit is shown, the selection stays
 * with its characters, and undo takes back one's own alone. While an input method composes, what others write waits.
 */
import type { Replica, TextDelta, Undo } from '@weft/core/client';
import { BoundText, type EditorHands, type ShownSelection } from './editing/bound-text.js';
import { differenceOf, through } from './editing/difference.js';

export { SHARED } from './editing/bound-text.js';

/** What is used of a `<textarea>` or `<input>`. */
export type TextField = Pick<
  HTMLTextAreaElement,
  'value' | 'selectionStart' | 'selectionEnd' | 'setSelectionRange' | 'addEventListener' | 'removeEventListener'
>;

/** How a text is bound to a field. */
export interface TextFieldOptions {
  /** Undo of more than this text: made by `replica.undo` with the origin `SHARED`. */
  readonly undo?: Undo;
}

/** Binds a text to a field of the page; answers what ends it. */
export function bindTextField(
  replica: Replica,
  key: string,
  field: TextField,
  options: TextFieldOptions = {},
): () => void {
  const bound = new FieldText(replica, key, field, options);
  return () => bound.end();
}

class FieldText implements EditorHands {
  readonly #field: TextField;
  readonly #text: BoundText;
  readonly #listeners: readonly (readonly [string, (event: never) => void])[];
  /** What the field holds without what is being typed or composed. */
  #shown: string;
  #selected: ShownSelection;

  constructor(replica: Replica, key: string, field: TextField, options: TextFieldOptions) {
    this.#field = field;
    this.#text = new BoundText(this, replica, key, options);
    this.#shown = this.#text.shown;
    field.value = this.#shown;
    this.#selected = this.selection();
    this.#listeners = [
      ['input', () => void (this.#text.isComposing || this.#read())],
      ['compositionstart', () => this.#text.compose()],
      ['compositionend', () => this.#composed()],
      ['beforeinput', (event: InputEvent) => this.#turn(TURNS[event.inputType], event)],
      ['keydown', (event: KeyboardEvent) => this.#turn(turnOf(event), event)],
      ['keyup', () => this.#look()],
      ['pointerup', () => this.#look()],
    ];
    for (const [type, listener] of this.#listeners) field.addEventListener(type, listener as EventListener);
  }

  end(): void {
    this.#text.end();
    for (const [type, listener] of this.#listeners) this.#field.removeEventListener(type, listener as EventListener);
  }

  read(): string {
    return this.#field.value;
  }

  apply(delta: TextDelta): void {
    const { anchor, head } = this.selection();
    this.#shown = this.#text.shown;
    this.#field.value = this.#shown;
    this.select({ anchor: through(delta, anchor), head: through(delta, head) });
  }

  selection(): ShownSelection {
    return { anchor: this.#field.selectionStart, head: this.#field.selectionEnd };
  }

  select({ anchor, head }: ShownSelection): void {
    this.#field.setSelectionRange(Math.min(anchor, head), Math.max(anchor, head));
    this.#selected = this.selection();
  }

  /** A field has no place for cursors of others. */
  draw(): void {}

  #read(): void {
    const { value, selectionEnd } = this.#field;
    const { start, gone, typed } = differenceOf(this.#shown, value, selectionEnd);
    if (gone > 0 || typed !== '') this.#text.write([{ from: start, gone, typed }]);
    this.#shown = value;
    this.#selected = this.selection();
  }

  #composed(): void {
    this.#text.composed();
    this.#shown = this.#field.value;
    this.#selected = this.selection();
  }

  #turn(direction: 'undo' | 'redo' | undefined, event: Event): void {
    if (!direction || this.#text.isComposing) return;
    event.preventDefault();
    this.#text.undo[direction]();
  }

  /** A caret that the user has put elsewhere begins another step of undo; one that others have moved does not. */
  #look(): void {
    const { anchor, head } = this.selection();
    if (this.#text.isComposing || (anchor === this.#selected.anchor && head === this.#selected.head)) return;
    this.#selected = { anchor, head };
    this.#text.selected(true);
  }
}

const TURNS: Readonly<Record<string, 'undo' | 'redo'>> = { historyUndo: 'undo', historyRedo: 'redo' };

function turnOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): 'undo' | 'redo' | undefined {
  if (ctrlKey === metaKey || altKey) return undefined;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? 'redo' : 'undo';
  return letter === 'y' && ctrlKey ? 'redo' : undefined;
}
