import { agentFlags, agentsOf } from '../studio-flags.js';
import { cliCommand } from '../define.js';
import {
  configFlag,
  configOf,
  folderFlags,
  sandboxFlag,
  sandboxOf,
  studioListenFlag,
  studioOptions,
  webhookHostsFlag,
} from '../flags.js';
import { Services } from '../services.js';
import { runStudioWords } from '../studio-words.js';

export const studio = cliCommand({
  name: 'studio',
  summary: 'Run the studio alone. Prints its URL when it is ready.',
  flags: {
    listen: studioListenFlag,
    store: { ...folderFlags.store, summary: 'Data folder, or `memory` to keep nothing.', value: 'folder|memory' },
    config: configFlag,
    'webhook-hosts': webhookHostsFlag,
    sandbox: sandboxFlag,
    ...agentFlags,
  },
  words: {
    usage: 'weft studio <noun> <verb> [--field value] [--json]',
    summary: 'Asks a running studio for one of its operations; weft studio <noun> --help lists the verbs.',
    run: runStudioWords,
  },
}).run((flags, terminal) =>
  Services.run(terminal, async (services) => {
    const { listen, 'webhook-hosts': hosts, sandbox: named, ...rest } = flags;
    const wanted = await agentsOf(flags, terminal.environment);
    const sandbox = sandboxOf(named, terminal);
    const { store } = configOf(rest, terminal);
    const host = await services.host(store);
    const options = studioOptions(listen, hosts, terminal);
    const running = await services.studio(host, store, { ...options, ...wanted, sandbox });
    terminal.out(running.url);
    terminal.err(`tokens: ${running.tokens}`);
  }),
);
