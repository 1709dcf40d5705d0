/** What of a store lies in its cold store, and the way back. */
import type { ColdMoves, ColdUsage } from '@weft/core';
import * as z from 'zod';
import { OperatorError, storeOperation } from './define.js';

export interface ColdFound extends ColdUsage {
  /** What was brought back before. */
  readonly back?: ColdMoves;
}

export const cold = storeOperation({
  name: 'cold',
  in: z.object({ back: z.boolean() }),
  alone: true,
  async run({ store, signal }, { back: isMeant }): Promise<ColdFound> {
    const tier = store.cold;
    if (!tier) throw new OperatorError('there is no cold store; name it with WEFT_COLD_STORE, as weft serve is told');
    if (!isMeant) return tier.usage();
    const back = await tier.bringBack(signal);
    if (!back) throw new OperatorError('something is moved to the cold store just now; try again in a minute');
    return { ...(await tier.usage()), back };
  },
});
