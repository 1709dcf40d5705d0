import { describe, it } from 'vitest';
import { expectAllOrNothing } from './killed-imports.js';

describe('a process that is killed in the middle of imports and exports', () => {
  it('[AR6] [AR8] has all of an archive or nothing, with its blobs, and whole files [fault 38]', () =>
    expectAllOrNothing({ rounds: 8, within: 60, large: 0 }));
});
