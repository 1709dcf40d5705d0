import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/bytes/bytes.js';
import { type Step, readMessage } from './messages.js';

const spec = readFileSync(new URL('../../SPEC.md', import.meta.url), 'utf8');

/** A value of what a field of the table is said to be. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  root: new Uint8Array(32),
  heads: new Uint8Array(64),
  symbols: new Uint8Array(32 * 14),
  key: new Uint8Array(8),
  sum: new Uint8Array(8),
  tips: new Uint8Array(17),
  ids: new Uint8Array(96),
  size: 3,
  sends: 3,
  from: 32,
  count: 96,
  keyed: true,
  paths: ['', 'a0'],
  elements: [{ path: '', hash: '00', children: { a: '01' }, keys: [] }],
};

/** Rows of the table of RC6: a step and its fields, optional ones with a question mark. */
const rows = [...spec.matchAll(/^ {2}\| `([a-z-]+)` +\| (.*)\|$/gm)].map(([, step = '', fields = '']) => ({
  step,
  fields: [...fields.matchAll(/`([a-z]+)(\??)`/g)].map(([, name = '', mark]) => ({ name, optional: mark === '?' })),
}));

describe('messages', () => {
  it('[RC6] the table names each step once', () => {
    expect(rows.map(({ step }) => step)).toEqual([
      ...['open', 'same', 'ahead', 'differ', 'ask', 'symbols', 'tips', 'other-tips', 'no-tips', 'walk', 'nodes'],
      ...['want', 'want-whole', 'done'],
    ]);
  });

  it.each(rows)('[RC6] $step has the fields of the table, and no others', ({ step, fields }) => {
    const whole: Record<string, unknown> = { step };
    for (const { name } of fields) whole[name] = SAMPLES[name];
    expect(readMessage({ ...whole, other: 1 }, [step as Step])).toEqual(whole);
    for (const { name, optional } of fields) {
      const { [name]: _, ...less } = whole;
      const read = () => readMessage(less, [step as Step]);
      if (optional) expect(read()).toEqual(less);
      else expect(read).toThrow(DecodeError);
    }
  });
});
