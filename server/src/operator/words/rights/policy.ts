import * as z from 'zod';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

export const Policy = z.object({
  default: z.enum(['allow', 'deny']).describe('For keys that no rule matches.'),
  rules: z
    .array(z.object({ path_glob: z.string(), can_write: z.array(z.string()).describe('Public keys.') }))
    .describe('The first that matches a key decides.'),
});

export const roomPolicy = word({
  noun: 'room',
  verb: 'policy',
  summary: 'Show who may write where in a room, or say it: who is not in it may not, from now on.',
  changes: true,
  in: OneRoom.extend({ policy: Policy.optional().describe('What is to hold; only shown when absent.') }),
  out: z.object({ room: z.string(), policy: z.unknown().describe('What holds; null where everybody may write.') }),
  async run({ host }, { room, policy }) {
    if (policy) await asked(host, room, 'SetPolicy', policy);
    const holds = await host.withRoom(room, ({ facts }) => Promise.resolve(facts.policy ?? null));
    return { room, policy: holds };
  },
});
