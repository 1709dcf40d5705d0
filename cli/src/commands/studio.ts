import { cliCommand } from '../define.js';
import { storeFlag, studioListenFlag, webhookHostsFlag } from '../flags.js';
import { Services } from '../services.js';
import { runStudioWords } from '../studio-words.js';

export const studio = cliCommand({
  name: 'studio',
  summary: 'Run the studio alone. Prints its URL when it is ready.',
  flags: { listen: studioListenFlag, store: storeFlag, 'webhook-hosts': webhookHostsFlag },
  words: {
    usage: 'weft studio <noun> <verb> [--field value] [--json]',
    summary: 'Asks a running studio for one of its operations; weft studio <noun> --help lists the verbs.',
    run: runStudioWords,
  },
}).run((flags, terminal) =>
  Services.run(terminal, async (services) => {
    const host = await services.host(flags.store);
    const running = await services.studio(host, flags.store, flags.listen, flags['webhook-hosts']);
    terminal.out(running.url);
    terminal.err(`tokens: ${running.tokens}`);
  }),
);
