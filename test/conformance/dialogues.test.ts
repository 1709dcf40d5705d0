import { createHost } from '@weft/core';
import { memoryArchives } from '@weft/core/memory';
import { describe, it } from 'vitest';
import { storeWith } from './broken-store.js';
import { dialogues } from './dialogue.js';
import { inProcessDialer } from './in-process-dialer.js';
import { publicKeyOf } from './pack-directive.js';
import { runDialogue } from './run-dialogue.js';

describe('in process', () => {
  for (const { file, dialogue } of dialogues) {
    it(`[${dialogue.rule}] ${dialogue.title} (${file})`, async () => {
      const archives = memoryArchives();
      const host = createHost({
        store: await storeWith(dialogue.broken, dialogue.room),
        adminKey: publicKeyOf('admin'),
        archives: { stores: { file: archives } },
        limits: dialogue.limits ?? {},
        onFault: (fault) => {
          if (!dialogue.broken) throw fault;
        },
      });
      try {
        await runDialogue(dialogue, inProcessDialer(host), { host, archives });
      } finally {
        await host.close();
      }
    });
  }
});
