import { describe, expect, it } from 'vitest';
import { machineTraces } from './machine-traces.js';

const at = (...parts: string[]): string => ['', ...parts].join('/');
const registry = ['https://registry', 'npmjs', 'org'].join('.');

describe('traces of one machine', () => {
  it.each([
    `const folder = '${at('home', 'ada', 'weft')}';`,
    `cd ${at('root', 'weft')}`,
    `see file://${at('Users', 'ada')}`.replace('file://', ''),
    `"registry": "${registry}/"`,
  ])('%s is one', (line) => {
    expect(machineTraces(new Map([['docs/a.md', line]]))).toHaveLength(1);
  });

  it('finds the folder that this checkout lies in', () => {
    const files = new Map([['docs/a.md', `run it in ${at('srv', 'ci', 'job')}`]]);
    expect(machineTraces(files, [at('srv', 'ci', 'job')])).toEqual([`docs/a.md:1 ${at('srv', 'ci', 'job')}`]);
    expect(machineTraces(files)).toEqual([]);
  });

  it('leaves routes, relative paths and project pages alone', () => {
    const files = new Map([
      [
        'a.md',
        `GET /studio/workunits, state${at('root', 'hash')}, \${base}${at('home', 'x')}, https://www.npmjs.com/x`,
      ],
    ]);
    expect(machineTraces(files)).toEqual([]);
  });
});
