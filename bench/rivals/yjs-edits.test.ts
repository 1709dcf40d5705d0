import { describe, expect, it } from 'vitest';
import * as yjs from 'yjs';
import { Edits } from './yjs-edits.js';

describe('edits in updates of Yjs', () => {
  const noted = (change: (doc: yjs.Doc, index: number) => void, count: number) => {
    const edits = new Edits(yjs);
    const doc = new yjs.Doc();
    const updates: Uint8Array[] = [];
    doc.on('update', (update: Uint8Array) => {
      edits.note(update);
      updates.push(update);
    });
    for (let index = 0; index < count; index++) change(doc, index);
    return { edits, updates };
  };
  const typed = (count: number) =>
    noted(
      (doc, index) => doc.getText('text').insert(doc.getText('text').length, String(index).padStart(9, '.')),
      count,
    );

  it('one is counted in the update that it has made', () => {
    const { edits, updates } = typed(20);
    expect(updates.map((update) => edits.countIn(update))).toEqual(Array.from({ length: 20 }, () => 1));
  });

  it('all are counted in an update into which a server has merged theirs', () => {
    const { edits, updates } = typed(20);
    expect(edits.countIn(yjs.mergeUpdates(updates.slice(0, 7)))).toBe(7);
    expect(edits.countIn(yjs.mergeUpdates(updates.slice(7)))).toBe(13);
  });

  it('values that replace each other are counted, too', () => {
    const { edits, updates } = noted((doc, index) => doc.getMap('map').set('value', new Uint8Array([index])), 5);
    expect(edits.countIn(yjs.mergeUpdates(updates))).toBe(5);
  });

  it('of an author who wrote nothing here none is counted', () => {
    const { updates } = typed(3);
    expect(typed(1).edits.countIn(updates[0]!)).toBe(0);
  });
});
