/** Keys of model providers, which this host holds in memory only. */
import { z } from 'zod';
import { supply } from '../../rules/queue/queue.js';
import { operation } from '../kernel/define.js';
import { ENDS, READS, SETS } from '../kernel/hints.js';

const credentialRef = z.string().min(1).max(400);

export const keep = operation({
  summary: 'Give a key, which is held in memory until this host stops. Work that waits for it goes on.',
  scope: 'operate',
  in: z.object({
    credentialRef: credentialRef.describe('Name of the key; of a vendor that nobody has named one for, the vendor.'),
    apiKey: z.string().min(1).max(10_000).describe('The key itself. It is never written and never answered.'),
  }),
  out: z.object({ credentialRef: z.string().describe('Name under which it is held.') }),
  rest: { route: 'POST /studio/credentials' },
  human: true,
  refuses: [],
  annotations: SETS,
}).run((context, given) => {
  const { records, credentials, newId } = context;
  credentials.keep(given, newId);
  return context.answer((change) => {
    supply(change, records, given.credentialRef);
    return { credentialRef: given.credentialRef };
  });
});

export const list = operation({
  summary: 'List the names of the keys that are held, in the order in which they came.',
  scope: 'read',
  in: z.object({}),
  out: z.array(z.object({ credentialRef: z.string().describe('Name of the key.') })),
  rest: { route: 'GET /studio/credentials' },
  list: 'credentialRef',
  refuses: [],
  annotations: READS,
}).run(({ credentials }) => credentials.names().map((name) => ({ credentialRef: name })));

export const evict = operation({
  summary: 'Forget a key, or all of them.',
  scope: 'operate',
  in: z.object({
    credentialRef: credentialRef.optional().describe('Name of the key. Default: all.'),
  }),
  out: z.object({
    evicted: z.boolean().describe('True: it is held no more.'),
    credentialRef: z.string().nullable().describe('Name of the key, or null for all.'),
  }),
  rest: { route: 'POST /studio/credentials/evict' },
  human: true,
  refuses: [],
  annotations: ENDS,
}).run(({ credentials }, { credentialRef: name }) => {
  credentials.evict(name);
  return { evicted: true, credentialRef: name ?? null };
});
