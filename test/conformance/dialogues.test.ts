import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, it } from 'vitest';
import { dialogues } from './dialogue.js';
import { inProcessDialer } from './in-process-dialer.js';
import { publicKeyOf } from './pack-directive.js';
import { runDialogue } from './run-dialogue.js';

describe('in process', () => {
  for (const { file, dialogue } of dialogues) {
    it(`[${dialogue.rule}] ${dialogue.title} (${file})`, async () => {
      const host = createHost({ store: memoryStore(), adminKey: publicKeyOf('admin'), limits: dialogue.limits ?? {} });
      try {
        await runDialogue(dialogue, inProcessDialer(host), host);
      } finally {
        await host.close();
      }
    });
  }
});
