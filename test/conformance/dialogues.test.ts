import { describe, it } from 'vitest';
import { dialogues } from './dialogue.js';
import { inProcessDialer } from './in-process-dialer.js';
import { runDialogue } from './run-dialogue.js';
import { serve } from './served.js';

describe('in process', () => {
  for (const { file, dialogue } of dialogues) {
    it(`[${dialogue.rule}] ${dialogue.title} (${file})`, async () => {
      const served = await serve(dialogue);
      try {
        await runDialogue(dialogue, inProcessDialer(served.host), served);
      } finally {
        await served.host.close();
      }
    });
  }
});
