/** Compares a sequence with the naive tree in everything that can be asked of it. */
import type { Sequence } from '../sequence.js';
import type { NaiveElement, NaiveTree } from './naive-tree.js';

/** Fails a test from outside a test file. */
export function mustEqual(actual: string | number, expected: string | number, context: string): void {
  if (actual !== expected) throw new Error(`${context}:\n  got      ${actual}\n  expected ${expected}`);
}

/** The whole document as text, one word per element: `chain:counter`, with a leading minus when deleted. */
export function documentOf(sequence: Sequence): string {
  const words: string[] = [];
  sequence.forEachSpan((chain, counter, count, deleted) => {
    for (let i = 0; i < count; i++) words.push(`${deleted ? '-' : ''}${chain}:${counter + i}`);
  });
  return words.join(' ');
}

/** What the sequence saves, as text: equal sequences save equal columns. */
export function columnsOf(sequence: Sequence): string {
  return Object.entries(sequence.save())
    .map(([name, column]) => `${name}: ${(column as Int32Array | Uint8Array).join(' ')}`)
    .join('\n');
}

export function visibleOf(sequence: Sequence): string[] {
  return documentOf(sequence)
    .split(' ')
    .filter((word) => word !== '' && !word.startsWith('-'));
}

export function mustHaveSameDocument(sequence: Sequence, tree: NaiveTree, context = ''): NaiveElement[] {
  const elements = tree.document();
  const words = elements.map((held) => `${held.deleted ? '-' : ''}${held.chain}:${held.counter}`);
  mustEqual(documentOf(sequence), words.join(' '), `document ${context}`);
  return elements;
}

export function mustHaveSameAnswers(sequence: Sequence, tree: NaiveTree, context = ''): void {
  const elements = mustHaveSameDocument(sequence, tree, context);
  let position = 0;
  const asked: string[] = [];
  const answers: string[] = [];
  for (const held of elements) {
    asked.push(`${held.chain}:${held.counter} at ${position} ${held.deleted}`);
    const { chain, counter } = held;
    answers.push(`${chain}:${counter} at ${sequence.positionOf(chain, counter)} ${sequence.isDeleted(chain, counter)}`);
    if (held.deleted) continue;
    sequence.elementAt(position);
    asked.push(`${held.chain}:${held.counter}`);
    answers.push(`${sequence.foundChain}:${sequence.foundCounter}`);
    position++;
  }
  mustEqual(answers.join('\n'), asked.join('\n'), `answers ${context}`);
  mustEqual(sequence.length, position, `length ${context}`);
}
