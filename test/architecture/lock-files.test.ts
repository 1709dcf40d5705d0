import { describe, expect, it } from 'vitest';
import { lockGaps, pinnedDownloads } from './lock-files.js';

function lock(packages: Record<string, object>): Map<string, string> {
  return new Map([['package-lock.json', JSON.stringify({ packages })]]);
}

describe('lock files', () => {
  it('name no download address', () => {
    const address = ['https://registry', 'example', 'a.tgz'].join('/');
    const files = lock({ 'node_modules/a': { resolved: address }, 'node_modules/b': { resolved: 'core', link: true } });
    expect(pinnedDownloads(files)).toEqual([`package-lock.json ${address}`]);
  });

  it('have an entry for each dependency, optional ones too', () => {
    const files = lock({
      '': { dependencies: { a: '1' } },
      'node_modules/a': { optionalDependencies: { 'a-darwin': '1', 'a-linux': '1' }, dependencies: { b: '1', c: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
      'node_modules/a-linux': {},
      'node_modules/c': {},
    });
    expect(lockGaps(files)).toEqual(['package-lock.json node_modules/a -> a-darwin']);
  });
});
