import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { git } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { branchRef, escapeName } from './ref-names.js';

const anyName = fc.string({ minLength: 1, maxLength: 400, unit: 'binary' });
const PREFIX = branchRef('a').length - 1;

/** Inverse of `branchRef`: its escapes are those of a URI, with another sign. */
function nameIn(ref: string): string {
  return decodeURIComponent(ref.slice(PREFIX).replaceAll('+/', '').replaceAll('=', '%'));
}

describe('names of branches as refs', () => {
  it('come back as they were, whatever they hold', () => {
    fc.assert(fc.property(anyName, (name) => nameIn(branchRef(name)) === name));
  });

  it('are never the folder of another one, and differ on disks that fold case', () => {
    fc.assert(
      fc.property(anyName, anyName, (one, other) => {
        fc.pre(one !== other);
        const [a, b] = [escapeName(one), escapeName(other)];
        expect(a.toLowerCase()).not.toBe(b.toLowerCase());
        expect(a.startsWith(`${b}/`)).toBe(false);
      }),
    );
    const [long, longer] = ['a'.repeat(180), 'a'.repeat(181)];
    expect(escapeName(longer).startsWith(`${escapeName(long)}/`)).toBe(false);
  });

  it('are taken by git', async () => {
    const folder = await tempFolder();
    await git(folder, 'init', '--quiet', '--bare');
    const names = [
      'a',
      'a/b',
      'a b',
      'A',
      '..',
      '@{',
      '-x',
      '.lock',
      'x.lock',
      '~^:?*[\\',
      '🙂/ß',
      'ä',
      'a\n',
      'x'.repeat(400),
    ];
    const empty = await git(folder, 'hash-object', '-w', '-t', 'tree', '/dev/null');
    const commit = await git(folder, 'commit-tree', empty, '-m', 'x');
    for (const name of names) await git(folder, 'update-ref', branchRef(name), commit);
    const refs = (await git(folder, 'for-each-ref', '--format=%(refname)')).split('\n');
    expect(refs.map(nameIn).sort()).toEqual([...names].sort());
  });

  it('are refused when they are no text', () => {
    for (const name of ['', '\ud800']) expect(() => escapeName(name)).toThrow('no valid text');
  });
});
