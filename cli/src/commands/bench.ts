import { UsageError, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';
import { measure } from './measure.js';
import { table } from '../output/show.js';

export const bench = cliCommand({
  flags: {
    in: { summary: 'Where that folder is made: on the disk that the data would be on.', value: 'folder', default: '.' },
    seconds: {
      summary: 'About so long for each of the measurements, of which there are four.',
      value: 'number',
      default: '2',
    },
    json: jsonFlag,
  },
}).run(async (flags, terminal) => {
  const seconds = Number(flags.seconds);
  if (!(seconds > 0 && seconds <= 600)) throw new UsageError('--seconds takes a number up to 600');
  const found = await measure(flags.in, seconds * 1000, terminal.stop);
  if (flags.json) return terminal.out(JSON.stringify(found));
  const rows = found.map(({ what, value, unit }) => [what, Number(value.toPrecision(3)), unit]);
  for (const line of table(['what', 'value', ''], rows, terminal)) terminal.out(line);
});
