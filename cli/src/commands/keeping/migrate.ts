import { type MigrationPlan, planMigration } from '@weft/core/level';
import { isDatabase } from '@weft/server';
import { cliCommand } from '../../syntax/define.js';
import { folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';

export const migrate = cliCommand({
  flags: {
    ...folderFlags,
    'dry-run': { summary: 'Say what would be done, and do nothing.' },
  },
}).run(async (flags, terminal) => {
  const { store } = configOf(flags, terminal);
  const { from, to, steps } = await (isDatabase(store) ? inDatabase(store, flags['dry-run']) : planMigration(store));
  if (flags.json) terminal.out(JSON.stringify({ from, to, steps }));
  else if (steps.length === 0) terminal.out(`format ${from}, which this version reads as it is: nothing to do`);
  else for (const step of steps) terminal.out(step);
});

async function inDatabase(address: string, isDry: boolean): Promise<MigrationPlan> {
  // Loaded here: nobody else needs its client.
  const { migratePostgres } = await import('@weft/core/postgres');
  return migratePostgres(address, { isDry });
}
