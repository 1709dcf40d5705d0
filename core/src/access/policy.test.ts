import { describe, expect, it } from 'vitest';
import { GLOB_BOUNDS } from './glob.js';
import { sift } from '../codec/sieve.js';
import { Policy, type PolicyValue, policyValue } from './policy.js';

const [ann, bob] = ['a'.repeat(64), 'b'.repeat(64)];
const policyOf = (value: PolicyValue): Policy => new Policy(policyValue(value));

describe('a policy', () => {
  it('[PO1] is decided by the first rule that matches', () => {
    const policy = policyOf({
      default: 'allow',
      rules: [
        { path_glob: 'docs/open/*', can_write: [ann, bob] },
        { path_glob: 'docs/**', can_write: [ann] },
        { path_glob: 'closed', can_write: [] },
        { path_glob: '**', can_write: [bob] },
        { path_glob: 'never/reached', can_write: [ann] },
      ],
    });
    const answers = (key: string) => [ann, bob].map((author) => policy.allows(author, key));
    expect(answers('docs/open/a')).toEqual([true, true]);
    expect(answers('docs/open/a/b')).toEqual([true, false]);
    expect(answers('docs')).toEqual([true, false]);
    expect(answers('closed')).toEqual([false, false]);
    expect(answers('never/reached')).toEqual([false, true]);
  });

  it('[PO1] says what its default says where no rule matches', () => {
    const rules = [{ path_glob: 'docs/*', can_write: [ann] }];
    expect(policyOf({ default: 'allow', rules }).allows(bob, 'other')).toBe(true);
    expect(policyOf({ default: 'deny', rules }).allows(ann, 'other')).toBe(false);
    expect(policyOf({ default: 'deny', rules: [] }).allows(ann, '')).toBe(false);
  });

  it('[PO1] says who may write anywhere at all, and which rule decides', () => {
    const rules = [
      { path_glob: 'docs/*', can_write: [ann] },
      { path_glob: '**', can_write: [] },
    ];
    const [open, closed] = (['allow', 'deny'] as const).map((other) => policyOf({ default: other, rules }));
    expect([ann, bob].map((author) => open!.allowsSomewhere(author))).toEqual([true, true]);
    expect([ann, bob].map((author) => closed!.allowsSomewhere(author))).toEqual([true, false]);
    expect(['docs/a', 'a'].map((key) => closed!.ruleOf(key))).toEqual([0, 1]);
    expect(policyOf({ default: 'deny', rules: rules.slice(0, 1) }).ruleOf('a')).toBeUndefined();
  });

  it('[PO1] knows keys in either case', () => {
    const policy = policyOf({ default: 'deny', rules: [{ path_glob: '**', can_write: [ann.toUpperCase()] }] });
    expect([ann, bob].map((author) => policy.allows(author, 'k'))).toEqual([true, false]);
  });

  it('[PO2] of another shape is none', () => {
    const rule = { path_glob: 'a', can_write: [ann] };
    for (const value of [
      ...[undefined, null, 'deny', [], {}, { default: 'deny' }, { rules: [] }, { default: 'no', rules: [] }],
      ...['xyz', [ann]].map((author) => ({ default: 'deny', rules: [{ ...rule, can_write: [author] }] })),
      { default: 'deny', rules: [{ ...rule, path_glob: 'a'.repeat(GLOB_BOUNDS.length + 1) }] },
      { default: 'deny', rules: Array.from({ length: GLOB_BOUNDS.patterns + 1 }, () => rule) },
    ])
      expect(sift(policyValue, value)).toBeUndefined();
  });
});
