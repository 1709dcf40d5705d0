import { type UnitSeen, named } from '../../people/work.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const transcript = cliCommand({
  operands: ['work'],
  flags: {
    parts: { summary: 'With the work that it was divided into.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ json, parts, ...given }, terminal, [wanted]) => {
  const client = new StudioClient(given, terminal);
  const units = await client.call<UnitSeen[]>('workunit.list', { words: wanted });
  const { workUnitId } = named(units, (unit) => unit.workUnitId, wanted, 'work unit');
  const asked = { workUnitId, format: json ? 'json' : 'markdown', ...(parts ? { parts } : {}) };
  const { text, leftOut } = await client.call<{ text: string; leftOut: number }>('transcript.get', asked);
  terminal.out(text.replace(/\n$/, ''));
  if (leftOut > 0) terminal.err(`weft: the last ${leftOut} turns are left out, since the text would be too long`);
});
