import { cliCommand } from '../define.js';
import { configOf, printConfig, printConfigFlag, serverFlags } from '../flags.js';
import { Services } from '../services.js';
import { studioFlags, studioListenFlag, studioOf } from '../studio-flags.js';

export const up = cliCommand({
  name: 'up',
  summary: 'Run the room server and the studio in one process, on one data folder.',
  flags: {
    ...serverFlags,
    'studio-listen': studioListenFlag,
    ...studioFlags,
    'print-config': printConfigFlag,
  },
}).run(async (flags, terminal) => {
  if (flags['print-config']) return printConfig(flags, terminal);
  const config = configOf(flags, terminal);
  const wanted = await studioOf(flags);
  await Services.run(terminal, async (services) => {
    const { host, server } = await services.roomServer(config);
    const studio = await services.studio(host, config.store, flags['studio-listen'], wanted);
    terminal.out(`room server   ${server.url}`);
    terminal.out(`studio        ${studio.url}`);
    terminal.out(`studio token  ${studio.tokens}`);
    if (server.metricsUrl) terminal.out(`metrics       ${server.metricsUrl}`);
    if (server.blobUrl) terminal.out(`blobs         ${server.blobUrl}`);
  });
});
