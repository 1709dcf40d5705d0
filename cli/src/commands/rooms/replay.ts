import { replay as replayOperation } from '@weft/server';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { operate } from '../../serving/operator.js';

/** Limit that no room reaches: all of its nodes. */
const ALL = 2 ** 31;

export const replay = cliCommand({
  operands: ['room'],
  flags: {
    ...folderFlags,
    json: { summary: 'Changes nothing: the lines are JSON.' },
    prefix: {
      summary: 'Only what was written under keys that begin so.',
      value: 'text',
      default: '',
      mayBeEmpty: true,
    },
    'from-lamport': {
      summary:
        'Only nodes of this clock or a later one; 0 for all of the log. Without, it starts from the newest origin.',
      value: 'number',
    },
    limit: { summary: 'At most so many nodes; all without.', value: 'number' },
    cursor: { summary: 'Where the one before has ended, as it said on stderr.', value: 'text' },
  },
}).run(async (flags, terminal, [room]) => {
  const { prefix, cursor } = flags;
  const from = numberIn('from-lamport', flags['from-lamport']);
  const input = {
    room,
    key_prefix: prefix,
    most: numberIn('limit', flags.limit, 1) ?? ALL,
    ...(from === undefined ? {} : { from_lamport: from }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const told = (node: unknown): void => terminal.out(JSON.stringify(node));
  const end = await operate(configOf(flags, terminal), replayOperation, input, terminal, { told });
  if (end.cursor !== null) terminal.err(`there is more: --cursor ${end.cursor}`);
});

function numberIn(flag: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`--${flag} takes a number${least === 0 ? '' : ` from ${least}`}, not ${JSON.stringify(text)}`);
}
