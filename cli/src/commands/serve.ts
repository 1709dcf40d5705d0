import { cliCommand } from '../define.js';
import { configOf, printConfig, printConfigFlag, serverFlags } from '../flags.js';
import { Services } from '../services.js';

export const serve = cliCommand({
  name: 'serve',
  summary: 'Run the room server. Prints its URL when it is ready.',
  flags: { ...serverFlags, 'print-config': printConfigFlag },
}).run(async (flags, terminal) => {
  if (flags['print-config']) return printConfig(flags, terminal);
  const config = configOf(flags, terminal);
  await Services.run(terminal, async (services) => {
    const { server } = await services.roomServer(config);
    terminal.out(server.url);
    if (server.metricsUrl) terminal.out(`metrics: ${server.metricsUrl}`);
    if (server.blobUrl) terminal.out(`blobs: ${server.blobUrl}`);
  });
});
