import { cliCommand } from '../define.js';
import { configFlag, configOf, folderFlags, jsonFlag } from '../flags.js';
import { Services } from '../services.js';
import { studioFlags, studioListenFlag, studioOf } from '../studio-flags.js';

export const studio = cliCommand({
  name: 'studio',
  summary: 'Run the studio alone. Prints its URL when it is ready.',
  flags: {
    listen: studioListenFlag,
    store: { ...folderFlags.store, summary: 'Data folder, or `memory` to keep nothing.', value: 'folder|memory' },
    config: configFlag,
    ...studioFlags,
    json: jsonFlag,
  },
  words: {
    usage: 'weft studio <noun> <verb> [--field value] [--json]',
    summary: 'Asks a running studio for one of its operations; weft studio <noun> --help lists the verbs.',
    async run(words, terminal) {
      const { runStudioWords } = await import('../studio-words.js');
      await runStudioWords(words, terminal);
    },
  },
}).run(async ({ listen, store: folder, config, json, ...flags }, terminal) => {
  const wanted = await studioOf(flags);
  const configured = configOf({ store: folder, config }, terminal);
  await Services.run(terminal, async (services) => {
    const running = await services.studio(await services.engine(configured), configured.store, listen, wanted);
    const { url, tokens } = running;
    if (json) return terminal.out(JSON.stringify({ url, tokens }));
    terminal.out(url);
    terminal.err(`tokens: ${tokens}`);
  });
});
