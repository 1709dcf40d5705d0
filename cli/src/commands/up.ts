import { agentFlags, agentsOf } from '../studio-flags.js';
import { cliCommand } from '../define.js';
import {
  configOf,
  printConfig,
  printConfigFlag,
  sandboxFlag,
  sandboxOf,
  serverFlags,
  studioListenFlag,
  studioOptions,
  webhookHostsFlag,
} from '../flags.js';
import { Services } from '../services.js';

export const up = cliCommand({
  name: 'up',
  summary: 'Run the room server and the studio in one process, on one data folder.',
  flags: {
    ...serverFlags,
    'studio-listen': studioListenFlag,
    'webhook-hosts': webhookHostsFlag,
    sandbox: sandboxFlag,
    ...agentFlags,
    'print-config': printConfigFlag,
  },
}).run(async (flags, terminal) => {
  if (flags['print-config']) return printConfig(flags, terminal);
  const sandbox = sandboxOf(flags.sandbox, terminal);
  const config = configOf(flags, terminal);
  const wanted = await agentsOf(flags, terminal.environment);
  await Services.run(terminal, async (services) => {
    const { host, server } = await services.roomServer(config);
    const options = studioOptions(flags['studio-listen'], flags['webhook-hosts'], terminal);
    const studio = await services.studio(host, config.store, { ...options, ...wanted, sandbox });
    terminal.out(`room server   ${server.url}`);
    terminal.out(`studio        ${studio.url}`);
    terminal.out(`studio token  ${studio.tokens}`);
    if (server.metricsUrl) terminal.out(`metrics       ${server.metricsUrl}`);
    if (server.blobUrl) terminal.out(`blobs         ${server.blobUrl}`);
  });
});
