import { describe, expect, it } from 'vitest';
import { type Finding, findingsText, wrongFinding } from './findings.js';

const placed: Finding = { severity: 'major', path: 'src/a.ts', line: 7, text: 'it throws' };
const ofFile: Finding = { severity: 'minor', path: 'src/a.ts', text: 'it is long', placeless: 'all of it' };
const missing: Finding = { severity: 'blocker', placeless: 'there is no test', text: 'nothing\n  shows it' };

describe('findings of a reviewer', () => {
  it('are lines that begin with their place, one for each', () => {
    const loose: Finding = { severity: 'note', text: 'well done' };
    expect(findingsText([placed, ofFile, missing, loose]).split('\n')).toEqual([
      'src/a.ts:7: major: it throws',
      'src/a.ts: minor: it is long',
      'blocker: nothing shows it (there is no test)',
      'note: well done',
    ]);
  });

  it('are refused where nobody could find what they are about', () => {
    const files = new Set(['src/a.ts']);
    const wrong = (decision: 'Approved' | 'Rejected', ...findings: Finding[]) =>
      wrongFinding({ decision, findings, files });
    expect(wrong('Approved')).toBeUndefined();
    expect(wrong('Rejected')).toMatch(/^a rejection says what is wrong/);
    expect(wrong('Rejected', placed, ofFile, missing)).toBeUndefined();
    const { path: _path, ...noPath } = placed;
    const { line: _line, ...noLine } = placed;
    expect(wrong('Approved', placed, noPath)).toMatch(/^finding 2 has no place/);
    expect(wrong('Approved', noLine, placed)).toMatch(/^finding 1 has no place/);
    expect(wrong('Approved', placed, { ...placed, path: 'src/b.ts' })).toMatch(/^there is no file src\/b\.ts/);
  });
});
