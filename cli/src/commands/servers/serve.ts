import { cliCommand } from '../../syntax/define.js';
import { jsonFlag, printConfigFlag } from '../../syntax/flags.js';
import { configOf, printConfig, serverFlags } from '../../serving/server-flags.js';
import { Services } from '../../serving/services.js';

export const serve = cliCommand({
  flags: { ...serverFlags, 'print-config': printConfigFlag, json: jsonFlag },
}).run(async (flags, terminal) => {
  if (flags['print-config']) return printConfig(flags, terminal);
  const config = configOf(flags, terminal);
  await Services.run(terminal, async (services) => {
    const server =
      config.threads > 1 ? await services.spreadServer(config) : (await services.roomServer(config)).server;
    const { url, metricsUrl: metrics, adminUrl: admin, blobUrl: blobs } = server;
    if (flags.json) return terminal.out(JSON.stringify({ url, metrics, admin, blobs }));
    terminal.out(url);
    if (metrics) terminal.out(`metrics: ${metrics}`);
    if (admin) terminal.out(`admin: ${admin}`);
    if (blobs) terminal.out(`blobs: ${blobs}`);
  });
});
