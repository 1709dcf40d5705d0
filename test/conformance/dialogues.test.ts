import { describe, it } from 'vitest';
import { dialogues } from './dialogue.js';
import { inProcessDialer } from './in-process-dialer.js';
import { runDialogue } from './run-dialogue.js';
import { siteOf } from './site.js';

describe('in process', () => {
  for (const { file, dialogue } of dialogues) {
    it(`[${dialogue.rule}] ${dialogue.title} (${file})`, async () => {
      const site = await siteOf(dialogue);
      try {
        await runDialogue(dialogue, inProcessDialer(site.host), site);
      } finally {
        await site.host.close();
      }
    });
  }
});
