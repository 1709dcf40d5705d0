/** Values of a document as they read, and the root over all of them. [VR1] [VR3] */
import { fromHex, toHex } from '../../codec/bytes/bytes.js';
import type { Document } from '../document.js';
import { runsIn } from '../mark-runs.js';
import { BlobRef } from '../registers.js';
import type { Sequence } from '../sequence/sequence.js';
import { ENTRY_KINDS } from './entry-order.js';
import { EntryTree } from './entry-tree.js';
import { type ShownSpan, type ShownValue, hashOfValue } from './shown-value.js';

/** What a key shows of one kind (its number); undefined where it holds none. */
export function shownOf(document: Document, key: string, kind: number): ShownValue | undefined {
  switch (ENTRY_KINDS[kind]) {
    case 'register': {
      const held = document.registers.find(key);
      if (held instanceof BlobRef) return { form: 'blob', hash: fromHex(held.hash) };
      return held && { form: 'bytes', bytes: held };
    }
    case 'text': {
      const text = document.markedText(key);
      if (!text || !holdsElements(text)) return undefined;
      return { form: 'text', text: text.toString(), spans: text.marks ? spansOf(text) : [] };
    }
    case 'list': {
      const list = document.listNamed(key);
      return list && holdsElements(list) ? { form: 'list', items: list.values() } : undefined;
    }
    default:
      return undefined;
  }
}

/** A text or list is there once an element of it was inserted, though all may be deleted since. */
export function holdsElements(held: { readonly length: number; readonly sequence: Sequence }): boolean {
  let isThere = held.length > 0;
  if (!isThere) held.sequence.forEachSpan(() => (isThere = true));
  return isThere;
}

function spansOf(text: Parameters<typeof runsIn>[0]): ShownSpan[] {
  const spans = runsIn(text).map(({ from, to, marks }): ShownSpan => {
    const names = [...marks.keys()].sort();
    const said = names.flatMap((name) => {
      const value = marks.get(name)?.value;
      return value ? [[name, value] as const] : [];
    });
    return { units: to - from, marks: said };
  });
  return spans.some(({ marks }) => marks.length > 0) ? spans : [];
}

/** Brings the entries of a key up to what a document shows; answers about how many bytes were hashed. */
export function updateEntries(tree: EntryTree, document: Document, key: string): number {
  let bytes = 0;
  for (let kind = 0; kind < ENTRY_KINDS.length; kind++) {
    const shown = shownOf(document, key, kind);
    if (shown) tree.set(key, kind, hashOfValue(shown));
    else tree.delete(key, kind);
    bytes += shown ? sizeOf(shown) : 0;
  }
  return bytes;
}

export function sizeOf(shown: ShownValue): number {
  if (shown.form === 'list') return shown.items.reduce((sum, { length }) => sum + length + 2, 0);
  if (shown.form === 'text') return shown.text.length * 2;
  return shown.form === 'bytes' ? shown.bytes.length : shown.hash.length;
}

/** Root over all that a document shows, the keys of the system left out: 64 hex characters. */
export function valueRootOf(document: Document): string {
  const tree = new EntryTree();
  for (const key of document.names()) updateEntries(tree, document, key);
  return toHex(tree.root());
}
