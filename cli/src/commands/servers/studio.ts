import { cliCommand } from '../../syntax/define.js';
import { configFlag, folderFlags, jsonFlag } from '../../syntax/flags.js';
import { configOf, logFlags, tracesFlag } from '../../serving/server-flags.js';
import { standbyOf, studioFolder } from '../../serving/stores.js';
import { Services } from '../../serving/services.js';
import { studioFlags, studioListenFlag, studioOf } from '../../serving/studio-flags.js';

export const studio = cliCommand({
  flags: {
    listen: studioListenFlag,
    store: {
      ...folderFlags.store,
      summary: 'Data folder, a PostgreSQL database, or `memory` to keep nothing.',
      value: 'folder|postgres://…|memory',
    },
    ...logFlags,
    traces: tracesFlag,
    config: configFlag,
    ...studioFlags,
    json: jsonFlag,
  },
  words: {
    usage: 'weft studio <noun> <verb> [--field value] [--json]',
    summary:
      'Asks a running studio for one of its operations; weft studio help lists the nouns with their verbs, weft studio <noun> --help says what these do.',
    async run(words, terminal) {
      const { runStudioWords } = await import('../../studio/studio-words.js');
      await runStudioWords(words, terminal);
    },
  },
}).run(async (flags, terminal) => {
  const { listen, json, store, config: file, traces, 'log-level': level, 'log-format': format } = flags;
  const wanted = await studioOf(flags, terminal);
  const config = configOf({ store, config: file, traces, 'log-level': level, 'log-format': format }, terminal);
  studioFolder(config.store, wanted.folder);
  const standby = standbyOf(config.store, flags.standby, terminal);
  await Services.run(terminal, async (services) => {
    const running = await services.studio(await services.engine(config, standby), config, listen, wanted);
    const { url, tokens } = running;
    if (json) return terminal.out(JSON.stringify({ url, tokens }));
    terminal.out(url);
    terminal.err(`tokens: ${tokens}`);
    terminal.err(`open: ${running.link()}`);
  });
});
