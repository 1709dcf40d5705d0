import * as z from 'zod';
import { word } from '../word.js';

export const sessionRevoke = word({
  noun: 'session',
  verb: 'revoke',
  summary:
    'Revoke what an identity provider, or your application, has given to somebody until now: who is here by it has to go.',
  changes: true,
  in: z.object({ subject: z.string().min(1).max(512).describe("Whom: the token's `sub`, or the subject of a grant.") }),
  out: z.object({ subject: z.string(), gone: z.number().describe('Sessions that were ended.') }),
  everywhere: (answers) => ({
    subject: answers[0]?.subject ?? '',
    gone: answers.reduce((sum, { gone }) => sum + gone, 0),
  }),
  async run({ host }, { subject }) {
    // What was made within this second may be from after the reason for it: it is meant too.
    const before = Math.floor(Date.now() / 1000) + 1;
    return { subject, gone: await host.revokeSubject(subject, before) };
  },
});
