/** Dialogues over real sockets, on both transports. */
import { startServer } from '@weft/server';
import { describe, it } from 'vitest';
import { transportNames } from '../support/transport-names.js';
import { dialogues } from './dialogue.js';
import { runDialogue } from './run-dialogue.js';
import { serve } from './served.js';
import { socketDialer } from './socket-dialer.js';

describe.each(transportNames)('over %s', (transport) => {
  for (const { file, dialogue } of dialogues) {
    it(`[${dialogue.rule}] ${dialogue.title} (${file})`, async () => {
      const served = await serve(dialogue);
      const server = await startServer({ host: served.host, transport, listen: '127.0.0.1:0' });
      try {
        await runDialogue(dialogue, socketDialer(server.url), served);
      } finally {
        await server.close();
        await served.host.close();
      }
    });
  }
});
