/**
 * Binding of a text to a plain `<textarea>` or `<input>`: what is typed is edited, what others edit is shown, and the selection
 * stays with its characters. While an input method composes, what others write waits.
 */
import type { Replica } from '@weft/core/client';

export type TextField = Pick<
  HTMLTextAreaElement,
  'value' | 'selectionStart' | 'selectionEnd' | 'setSelectionRange' | 'addEventListener' | 'removeEventListener'
>;

/** Answers what ends it. */
export function bindTextField(replica: Replica, key: string, field: TextField): () => void {
  const text = replica.text(key);
  const origin = { field };
  let shown = text.toString();
  let isComposing = false;
  field.value = shown;

  const read = (): void => {
    if (isComposing) return;
    const { start, gone, typed } = differenceOf(shown, field.value, field.selectionEnd);
    if (gone === 0 && typed === '') return;
    replica.transact(() => {
      text.delete(start, gone);
      text.insert(start, typed);
    }, origin);
    shown = field.value;
  };
  const show = (): void => {
    const now = text.toString();
    if (isComposing || now === shown) return;
    const selection = [field.selectionStart, field.selectionEnd].map((at) => moved(at, shown, now));
    shown = now;
    field.value = now;
    field.setSelectionRange(selection[0]!, selection[1]!);
  };
  const compose = (): void => void (isComposing = true);
  // What was composed is an edit of what the field showed; what others wrote meanwhile is merged into it after that.
  const composed = (): void => {
    isComposing = false;
    const base = shown;
    const { start, gone, typed } = differenceOf(base, field.value, field.selectionEnd);
    const [from, to] = [moved(start, base, text.toString()), moved(start + gone, base, text.toString())];
    replica.transact(() => {
      text.delete(from, Math.max(0, to - from));
      text.insert(from, typed);
    }, origin);
    shown = field.value;
    show();
  };

  const end = replica.observe(key, (event) => void (event.origin === origin || show()));
  field.addEventListener('input', read);
  field.addEventListener('compositionstart', compose);
  field.addEventListener('compositionend', composed);
  return () => {
    end();
    field.removeEventListener('input', read);
    field.removeEventListener('compositionstart', compose);
    field.removeEventListener('compositionend', composed);
  };
}

interface Difference {
  readonly start: number;
  readonly gone: number;
  readonly typed: string;
}

/**
 * What one edit has done, whole characters at both ends. Where it may have been done in several places, a letter typed beside
 * its like, it ended at the caret.
 */
function differenceOf(before: string, after: string, caret = after.length): Difference {
  const shorter = Math.min(before.length, after.length);
  const most = Math.min(shorter, after.length - caret);
  let end = 0;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  let start = 0;
  while (start < shorter - end && before[start] === after[start]) start++;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  if (start > 0 && isHigh(before, start - 1)) start--;
  if (end > 0 && isLow(before, before.length - end)) end--;
  return { start, gone: before.length - start - end, typed: after.slice(start, after.length - end) };
}

/** Where a position is after what lies between two texts. */
function moved(at: number, before: string, after: string): number {
  const { start, gone, typed } = differenceOf(before, after);
  if (at <= start) return at;
  return at >= start + gone ? at + typed.length - gone : start;
}

function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
