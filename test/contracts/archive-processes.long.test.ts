import { it } from 'vitest';
import { expectAllOrNothing } from './killed-imports.js';

it('[AR6] an import of many records is there whole or not at all, when its process is killed', () =>
  expectAllOrNothing({ rounds: 30, within: 2500, large: 40 }));
