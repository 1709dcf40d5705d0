import { describe, it } from 'vitest';
import { typedByMany, typedByOne } from './typed-by-recording.js';

describe('recorded typing', () => {
  it('[SQ1] of one author gives the recorded text', () => typedByOne('sveltecomponent'));

  it('[MP2] of two authors at once gives the recorded text everywhere', () =>
    typedByMany('friendsforever.concurrent', 2));
});
