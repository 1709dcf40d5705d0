import { resolve } from 'node:path';
import { archiveDescribe, archiveExport, archiveImport, archiveValidate } from '@weft/server';
import { type FlagValues, type Terminal, cliCommand } from '../../syntax/define.js';
import { archiveFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { type Operating, operate } from '../../serving/operator.js';
import { fields } from '../../output/show.js';

export const exportRoom = cliCommand({
  operands: ['room', 'archive'],
  flags: archiveFlags,
}).run(async (flags, terminal, [room, archive]) => {
  const input = { room, archive: refOf(archive) };
  show(await operate(configOf(flags, terminal), archiveExport, input, terminal, unusedOf(flags)), flags.json, terminal);
});

export const importRoom = cliCommand({
  operands: ['room', 'archive'],
  flags: {
    ...archiveFlags,
    'dry-run': { summary: 'Look at its frame, signature and policies alone: nothing is changed.' },
  },
}).run(async (flags, terminal, [room, archive]) => {
  const input = { room, archive: refOf(archive), is_trial: flags['dry-run'] };
  show(await operate(configOf(flags, terminal), archiveImport, input, terminal, unusedOf(flags)), flags.json, terminal);
});

export const validate = cliCommand({
  operands: ['archive'],
  flags: {
    ...archiveFlags,
    quick: { summary: 'Look at its frame and signature alone: what it holds is not computed anew.' },
  },
}).run(async (flags, terminal, [archive]) => {
  const input = { archive: refOf(archive), is_quick: flags.quick };
  show(
    await operate(configOf(flags, terminal), archiveValidate, input, terminal, unusedOf(flags)),
    flags.json,
    terminal,
  );
});

export const describe = cliCommand({
  operands: ['archive'],
  flags: archiveFlags,
}).run(async (flags, terminal, [archive]) => {
  show(
    await operate(configOf(flags, terminal), archiveDescribe, { archive: refOf(archive) }, terminal, unusedOf(flags)),
    flags.json,
    terminal,
  );
});

function unusedOf(flags: FlagValues<typeof archiveFlags>): Operating {
  const given = (['archive-root', 'archive-trust'] as const).filter((name) => flags[name] !== undefined);
  if (given.length === 0) return {};
  const names = given.map((name) => `--${name}`).join(' and ');
  return { unused: `a server runs, which has its own: ${names} was not used` };
}

/** Reference of an archive with its path made absolute here: the server that is asked has another working folder. */
function refOf(archive: string): string {
  if (archive.includes('://')) return archive;
  return `file://${/^\.{0,2}\//.test(archive) ? resolve(archive) : archive}`;
}

function show(result: object, json: boolean, terminal: Terminal): void {
  if (json) return terminal.out(JSON.stringify(result));
  for (const line of fields(result)) terminal.out(line);
}
