/** Keys of model providers, which this host holds in memory only. */
import { z } from 'zod';
import { operation } from '../kernel/define.js';
import { ENDS } from '../kernel/hints.js';

export const evict = operation({
  summary: 'Forget a key, or all of them.',
  scope: 'operate',
  in: z.object({
    credentialRef: z.string().min(1).max(400).optional().describe('Name of the key. Default: all.'),
  }),
  out: z.object({
    evicted: z.boolean().describe('True: it is held no more.'),
    credentialRef: z.string().nullable().describe('Name of the key, or null for all.'),
  }),
  rest: { route: 'POST /studio/credentials/evict' },
  human: true,
  refuses: [],
  annotations: ENDS,
}).run(({ credentials }, { credentialRef }) => {
  credentials.evict(credentialRef);
  return { evicted: true, credentialRef: credentialRef ?? null };
});
