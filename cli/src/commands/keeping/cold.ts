import { cold as coldOperation } from '@weft/server';
import { cliCommand } from '../../syntax/define.js';
import { folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { operate } from '../../serving/operator.js';

export const cold = cliCommand({
  flags: {
    ...folderFlags,
    store: { ...folderFlags.store, summary: 'The database.', value: 'postgres://…' },
    back: { summary: 'Bring everything back into the database, which can do without the cold store then.' },
  },
}).run(async (flags, terminal) => {
  const found = await operate(configOf(flags, terminal), coldOperation, { back: flags.back }, terminal);
  if (flags.json) return terminal.out(JSON.stringify(found));
  const { objects, bytes, leftovers, back } = found;
  if (back) terminal.out(`${back.objects} objects brought back, ${back.bytes} bytes`);
  terminal.out(`${objects} objects in the cold store, ${bytes} bytes`);
  if (leftovers > 0) terminal.out(`${leftovers} that nothing refers to any more; they go with the next move`);
});
