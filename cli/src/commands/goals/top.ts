import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { readBoard } from '../../top/reading.js';
import { Sitting } from '../../top/sitting.js';

export const top = cliCommand({
  operands: ['unit?'],
  flags: {
    silent: { summary: 'Do not ring when something new needs you.' },
    ...connectionFlags,
    json: { summary: 'Print what the screen would show now as JSON, for programs.' },
  },
}).run(async ({ silent, json, ...given }, terminal, [unit]) => {
  if (json) return terminal.out(JSON.stringify(await readBoard(new StudioClient(given, terminal))));
  const device = terminal.device?.();
  if (!device)
    throw new UsageError(
      'weft top draws on a terminal, and there is none here: weft status and weft follow print lines instead',
    );
  await new Sitting({ given, device, terminal, isSilent: silent }).run(unit);
});
