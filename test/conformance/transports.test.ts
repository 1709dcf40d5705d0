/** The same dialogues over real sockets, on both transports. */
import { createHost } from '@weft/core';
import { memoryArchives } from '@weft/core/memory';
import { startServer } from '@weft/server';
import { describe, it } from 'vitest';
import { storeWith } from './broken-store.js';
import { dialogues } from './dialogue.js';
import { publicKeyOf } from './pack-directive.js';
import { runDialogue } from './run-dialogue.js';
import { socketDialer } from './socket-dialer.js';

describe.each(['uws', 'ws'] as const)('over %s', (transport) => {
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
      const server = await startServer({ host, transport, listen: '127.0.0.1:0' });
      try {
        await runDialogue(dialogue, socketDialer(server.url), { host, archives });
      } finally {
        await server.close();
        await host.close();
      }
    });
  }
});
