import { KEYED_KINDS } from '@weft/studio';
import { expect, it } from 'vitest';
import { KEY_VARIABLES } from './vendor-keys.js';

it('every provider that needs a key has a variable in which one is looked for', () => {
  expect(Object.keys(KEY_VARIABLES)).toEqual([...KEYED_KINDS]);
});
