/**
 * Nodes of this device that a server has refused for good, under whichever key: another tab may have written on top of them
 * before anybody was told. Each tab gives them up when it hears of them.
 */
import type { Replica } from '@weft/core/client';
import type { Records } from './storage/records.js';

const NAME = 'gone/';
/** Beyond, those of the lowest names are forgotten. */
const MOST = 1000;

export async function noteGone(records: Records, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = await records.read(NAME);
  const beyond = known.slice(0, Math.max(0, known.length + ids.length - MOST));
  await records.write(
    { put: ids.map((id) => [NAME + id, true] as const), remove: beyond.map(([prefix]) => ({ prefix })) },
    true,
  );
}

export async function giveUpGone(records: Records, replica: Replica): Promise<void> {
  const known = await records.read(NAME);
  if (known.length === 0) return;
  await replica.loadGivingUp();
  replica.giveUp(known.map(([name]) => name.slice(NAME.length)));
}
