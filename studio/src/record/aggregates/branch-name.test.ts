import { describe, expect, it } from 'vitest';
import { requireBranchName, requireBranchTemplate, requireGitBranchName } from './branch-name.js';

/** What is said of a name; undefined where it is taken. */
function faultOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    const { reason, data } = error as { reason: string; data: readonly { field: string; message: string }[] };
    expect([reason, data.map(({ field }) => field)]).toEqual(['reject.invalid_input', ['at']]);
    return data[0]!.message;
  }
}

const TAKEN = ['main', 'work/one', 'v1.2', 'a-b', 'ends-in-.locked', 'a@b', 'HEADS', 'MY_HEADER', 'é/ü', 'a.lock.b'];

describe('the name of a branch', () => {
  it.each([
    ['HEAD', 'means something else to git'],
    ['@', 'means something else to git'],
    ['ORIG_HEAD', 'means something else to git'],
    ['-f', 'would be taken for an option'],
    ['refs/heads/a', 'is the whole name of a ref'],
    ['a\u0007b', 'holds a character that cannot be shown'],
    ['a..b', 'holds .. or @{'],
    ['a@{1}', 'holds .. or @{'],
    ['', 'has an empty part'],
    ['a//b', 'has an empty part'],
    ['a/', 'has an empty part'],
    ['.a', 'has a part that begins with a dot'],
    ['a/.b', 'has a part that begins with a dot'],
    ['a.lock', 'has a part that ends in .lock'],
    ['a.lock/b', 'has a part that ends in .lock'],
    ['a.', 'ends in a dot'],
  ])('is not %j, and the refusal says what to do', (name, why) => {
    for (const check of [requireBranchName, requireGitBranchName])
      expect(faultOf(() => check(name, 'at'))).toMatch(new RegExp(`^${why.replaceAll(/[.{]/g, '\\$&')}.*[;,] `));
  });

  it.each([...' ~^:?*[\\'])('may hold %j in the studio, and not in git', (character) => {
    const name = `a${character}b`;
    expect(faultOf(() => requireBranchName(name, 'at'))).toBeUndefined();
    expect(faultOf(() => requireGitBranchName(name, 'at'))).toBe(
      `holds ${JSON.stringify(character)}, which git refuses; use - in its place`,
    );
  });

  it('may be any other', () => {
    for (const name of TAKEN) {
      expect([name, faultOf(() => requireBranchName(name, 'at'))]).toEqual([name, undefined]);
      expect([name, faultOf(() => requireGitBranchName(name, 'at'))]).toEqual([name, undefined]);
    }
  });

  it('is called `name` where nobody says otherwise', () => {
    expect(() => requireBranchName('@')).toThrow(
      expect.objectContaining({ data: [expect.objectContaining({ field: 'name' })] }),
    );
  });
});

describe('a template for names of branches', () => {
  it('is one that makes names, whatever is filled in', () => {
    for (const template of ['weft/{goal}', '{title}', ' {branch}-{body} ', 'a{goal}b{goal}'])
      expect([template, faultOf(() => requireBranchTemplate(template, 'at'))]).toEqual([template, undefined]);
    expect(faultOf(() => requireBranchTemplate('weft/{other}?', 'at'))).toMatch(/^holds "\?"/);
    expect(faultOf(() => requireBranchTemplate('{goal}/', 'at'))).toMatch(/^has an empty part/);
  });
});
