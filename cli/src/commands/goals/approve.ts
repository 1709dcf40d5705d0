import { landing } from '../../people/landing.js';
import { proposalMeant } from '../../people/proposals.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const approve = cliCommand({
  operands: ['proposal?'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [wanted]) => {
  const client = new StudioClient(given, terminal);
  const { proposalId } = await proposalMeant(client, wanted, 'alone');
  await landing(client, proposalId, terminal, json);
});
