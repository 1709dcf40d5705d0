import { describe, expect, it } from 'vitest';
import { brokenCitations } from './spec-rules.js';

describe('rules of the engine', () => {
  const spec = '- **[AB1]** One.\n- **[AB2]** Two.\n';
  const cite = (rule: string): string => `it('[${rule}] holds', () => undefined);`;

  it('refuses a rule without a test', () => {
    const files = new Map([
      ['core/src/a.test.ts', cite('AB1')],
      ['core/src/a.ts', `// [${'AB2'}]`],
    ]);
    expect(brokenCitations(spec, files)).toEqual(['no test cites [AB2]']);
  });

  it('refuses a citation of a rule that does not exist', () => {
    const files = new Map([
      ['core/src/a.test.ts', cite('AB1') + cite('AB2')],
      ['conformance/dialogues/x.json', '{ "rule": "AB9" }'],
    ]);
    expect(brokenCitations(spec, files)).toHaveLength(1);
  });

  it('refuses two rules of one number', () => {
    const files = new Map([['core/src/a.test.ts', cite('AB1') + cite('AB2')]]);
    expect(brokenCitations(`${spec}- **[AB1]** Three.\n`, files)).toEqual(['two rules are [AB1]']);
  });
});
