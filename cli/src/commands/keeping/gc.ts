import { gc as gcOperation } from '@weft/server';
import { cliCommand } from '../../syntax/define.js';
import { secondsIn } from '../../syntax/duration.js';
import { folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { operate } from '../../serving/operator.js';

export const gc = cliCommand({
  flags: {
    ...folderFlags,
    delete: { summary: 'Do it. Without this nothing is changed.' },
    grace: {
      summary: 'What was uploaded, linked or let go less than this ago stays: a number with s, m, h or d.',
      value: 'time',
      default: '1d',
    },
  },
}).run(async (flags, terminal) => {
  const input = { delete: flags.delete, grace_ms: secondsIn('grace', flags.grace) * 1000 };
  const found = await operate(configOf(flags, terminal), gcOperation, input, terminal);
  if (flags.json) return terminal.out(JSON.stringify(found));
  const { rooms, letGo, deleted, bytes } = found;
  const would = flags.delete ? '' : 'would be ';
  terminal.out(`${rooms} rooms read`);
  terminal.out(`${letGo} blobs ${would}let go by a room whose log does not mention them`);
  terminal.out(`${deleted} blobs ${would}deleted, ${bytes} bytes`);
  if (!flags.delete) terminal.out('nothing was changed; add --delete to do it');
});
