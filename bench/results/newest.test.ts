import { describe, expect, it } from 'vitest';
import { pinnedRivals, sayNewest } from './newest.js';

const pinned = { one: '1.0.0', two: '2.0.0' };

describe('what is said of newer rivals', () => {
  it('names each with its pinned version', async () => {
    const newest: Record<string, string> = { one: '1.0.0', two: '2.1.0' };
    expect(await sayNewest(pinned, async (name) => newest[name]!)).toBe('Newer rivals: two 2.1.0 (pinned: 2.0.0).');
  });

  it('is that there are none', async () => {
    expect(await sayNewest(pinned, async (name) => (name === 'one' ? '1.0.0' : '2.0.0'))).toContain('newest');
  });

  it('names what nothing could be learnt of', async () => {
    const line = await sayNewest(pinned, (name) =>
      name === 'one' ? Promise.reject(new Error('offline')) : Promise.resolve('2.0.0'),
    );
    expect(line).toBe('Newer rivals: one unknown (pinned: 1.0.0).');
  });

  it('is about exact versions of the packages in bench/rivals', () => {
    const versions = pinnedRivals();
    expect(Object.keys(versions)).toEqual(expect.arrayContaining(['yjs', 'json-joy', 'loro-crdt']));
    for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
