import { cliCommand } from '../define.js';
import { serverFlags, storeFlag, studioListenFlag, webhookHostsFlag } from '../flags.js';
import { Services } from '../services.js';

export const up = cliCommand({
  name: 'up',
  summary: 'Run the room server and the studio in one process, on one data folder.',
  flags: { ...serverFlags, 'studio-listen': studioListenFlag, 'webhook-hosts': webhookHostsFlag, store: storeFlag },
}).run((flags, terminal) =>
  Services.run(terminal, async (services) => {
    const { host, server } = await services.roomServer(flags);
    const studio = await services.studio(host, flags.store, flags['studio-listen'], flags['webhook-hosts']);
    terminal.out(`room server   ${server.url}`);
    terminal.out(`studio        ${studio.url}`);
    terminal.out(`studio token  ${studio.tokens}`);
    if (server.metricsUrl) terminal.out(`metrics       ${server.metricsUrl}`);
    if (server.blobUrl) terminal.out(`blobs         ${server.blobUrl}`);
  }),
);
