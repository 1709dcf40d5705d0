/** Backup of the data folder, while the server goes on. */
import { type Copied, backUp } from '@weft/core/level';
import * as z from 'zod';
import { storeOperation } from './define.js';
import { telling } from './progress.js';

export const backup = storeOperation({
  name: 'backup',
  in: z.object({ target: z.string() }),
  alone: true,
  run({ store, signal, ...context }, { target }): Promise<Copied> {
    const tell = telling(context);
    return backUp(store, target, { signal, progress: (done, total) => tell({ done, total, unit: 'bytes' }) });
  },
});
