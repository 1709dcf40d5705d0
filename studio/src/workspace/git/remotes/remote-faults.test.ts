import { describe, expect, it } from 'vitest';
import { isPassing, remoteFault } from './remote-faults.js';

describe('a disk without space', () => {
  it('is this one, and is not asked again, unless the other side speaks of its own', () => {
    const here = 'Receiving objects:  33% (1/3)\nfatal: write error: No space left on device\nfatal: early EOF';
    const there = 'remote: fatal: write error: No space left on device\nfatal: early EOF';
    expect([isPassing(here), isPassing(there)]).toEqual([false, true]);
    expect(remoteFault(here, 'x', 'clone of')).toMatchObject({ reason: 'reject.disk_full' });
    expect(remoteFault(there, 'x', 'clone of')).toMatchObject({ reason: 'reject.remote_unreachable' });
  });
});
