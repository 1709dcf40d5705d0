import { describe, it } from 'vitest';
import { typedByMany, typedByOne } from './typed-by-recording.js';

describe('recorded typing', () => {
  it('[SQ1] of one author gives the recorded text', () => typedByOne('friendsforever_flat.ascii'));

  it('[MP2] of three authors at once gives the recorded text everywhere', () =>
    typedByMany('clownschool.concurrent', 3));
});
