/** A copy of the data folder, while the server goes on. */
import { type Copied, backUp } from '@weft/core/level';
import * as z from 'zod';
import { operation } from './define.js';

export const backup = operation({
  name: 'backup',
  in: z.object({ target: z.string() }),
  alone: true,
  run: ({ store }, { target }): Promise<Copied> => backUp(store, target),
});
