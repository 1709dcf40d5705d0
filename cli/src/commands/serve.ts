import { cliCommand } from '../define.js';
import { serverFlags, storeFlag } from '../flags.js';
import { Services } from '../services.js';

export const serve = cliCommand({
  name: 'serve',
  summary: 'Run the room server. Prints its URL when it is ready.',
  flags: { ...serverFlags, store: storeFlag },
}).run((flags, terminal) =>
  Services.run(terminal, async (services) => {
    const { server } = await services.roomServer(flags);
    terminal.out(server.url);
    if (server.metricsUrl) terminal.err(`metrics: ${server.metricsUrl}`);
    if (server.blobUrl) terminal.err(`blobs: ${server.blobUrl}`);
  }),
);
