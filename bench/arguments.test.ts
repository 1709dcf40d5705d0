import { describe, expect, it } from 'vitest';
import { parseArguments } from './arguments.js';
import { chooseTextEngines, findTextEngine } from './text/engines.js';
import { nameMachine } from './measuring/machine.js';
import { findBench } from './registry.js';
import { renderTables } from './results/report.js';

describe('arguments', () => {
  it('have defaults', () => {
    const defaults = { bench: 'text', rivals: false, libs: [], repeat: 3, json: false, newest: false };
    expect(parseArguments(['text'])).toMatchObject(defaults);
  });

  it('take lists repeated or with commas', () => {
    const { libs, traces } = parseArguments(['text', '--lib', 'yjs,loro', '--lib', 'cojson', '--trace', 'a']);
    expect(libs).toEqual(['yjs', 'loro', 'cojson']);
    expect(traces).toEqual(['a']);
  });

  it.each([
    ['--repeat', '0'],
    ['--repeat', 'x'],
    ['--edits', '1.5'],
  ])('refuse %s %s', (flag, value) => {
    expect(() => parseArguments(['text', flag, value])).toThrow(`${flag} takes a whole number from 1 on, not ${value}`);
  });

  it('refuse unknown flags and two benches', () => {
    expect(() => parseArguments(['text', '--fast'])).toThrow('--fast');
    expect(() => parseArguments(['text', 'merge'])).toThrow('One bench at a time');
  });
});

describe('names', () => {
  it('of benches are listed when one is unknown or missing', () => {
    expect(findBench('text').name).toBe('text');
    expect(() => findBench('speed')).toThrow(/No bench is called speed\. There are:\n {2}text .*\n {2}merge /);
    expect(() => findBench(undefined)).toThrow('Name a bench');
  });

  it('of engines are listed, and a rival asks for --rivals', () => {
    expect(() => findTextEngine('word', true)).toThrow(/No engine is called word: choose among .*yjs/);
    expect(() => findTextEngine('yjs', false)).toThrow('add --rivals');
    expect(findTextEngine('yjs', true).name).toBe('yjs');
    expect(chooseTextEngines([], false).some(({ installed }) => installed)).toBe(false);
    expect(chooseTextEngines([], true).map(({ name }) => name)).toContain('cojson');
  });

  it('of machines are fit for a file name', () => {
    expect(nameMachine('Intel(R) Core(TM) i5-8400 CPU @ 2.80GHz', 6)).toBe('intel-core-i5-8400-cpu-2-80ghz-6-cores');
  });
});

describe('tables', () => {
  it('leave out a column that nobody fills and show the spread', () => {
    const row = { bench: 'text', lib: 'x', version: '1.0', trace: 't', form: 'v2', checked: false, runs: 3, note: 'n' };
    const columns = [
      { figure: 'ops', title: 'local /s', digits: 0 },
      { figure: 'none', title: 'never', digits: 0 },
    ];
    const table = renderTables([{ ...row, figures: { ops: 12345.6 }, spread: { ops: 0.021 } }], columns);
    expect(table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))).toEqual([
      ['', 't', 'local /s', 'checked', 'note', ''],
      ['', '---', '--:', '---', '---', ''],
      ['', 'x 1.0 v2', '12,346 ±2%', 'NO', 'n', ''],
    ]);
  });
});
