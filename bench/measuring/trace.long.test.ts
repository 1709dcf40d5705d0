import { expect, it } from 'vitest';
import { loadSequentialTrace, textAfter } from './trace.js';

it.each(['automerge-paper', 'rustcode.ascii', 'seph-blog1.ascii'])('%s ends with its own final text', (name) => {
  const { edits, end } = loadSequentialTrace(name);
  expect(textAfter(edits)).toBe(end);
});
