import { UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag, printConfigFlag } from '../../syntax/flags.js';
import { configOf, printConfig, serverFlags } from '../../serving/server-flags.js';
import { standbyOf, studioFolder } from '../../serving/stores.js';
import { Services } from '../../serving/services.js';
import { studioFlags, studioListenFlag, studioOf } from '../../serving/studio-flags.js';

export const up = cliCommand({
  flags: {
    ...serverFlags,
    'studio-listen': studioListenFlag,
    ...studioFlags,
    'print-config': printConfigFlag,
    json: jsonFlag,
  },
}).run(async (flags, terminal) => {
  if (flags['print-config']) return printConfig(flags, terminal);
  const config = configOf(flags, terminal);
  const wanted = await studioOf(flags, terminal);
  studioFolder(config.store, wanted.folder);
  if (config['cluster-addr'] !== undefined || config.bus !== undefined)
    throw new UsageError('a studio has its database alone: leave out --cluster-addr and --bus, or start weft serve');
  const standby = standbyOf(config.store, flags.standby, terminal);
  await Services.run(terminal, async (services) => {
    const { server, ...engine } = await services.roomServer(config, standby);
    const studio = await services.studio(engine, config, flags['studio-listen'], wanted);
    const { url, metricsUrl: metrics, adminUrl: admin, blobUrl: blobs } = server;
    const { url: at, tokens } = studio;
    if (flags.json) return terminal.out(JSON.stringify({ url, studio: at, tokens, metrics, admin, blobs }));
    terminal.out(`room server   ${url}`);
    terminal.out(`studio        ${at}`);
    terminal.out(`open          ${studio.link()}`);
    terminal.out(`studio token  ${tokens}`);
    if (metrics) terminal.out(`metrics       ${metrics}`);
    if (admin) terminal.out(`admin         ${admin}`);
    if (blobs) terminal.out(`blobs         ${blobs}`);
    terminal.err(
      'weft: in the folder of a project: weft run "<what is to be achieved>"; weft status shows what waits for you',
    );
  });
});
