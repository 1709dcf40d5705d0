/** Who may begin a room. [GN1] */
import { nameOfMandate } from '../state/about-keys.js';
import { readGenesis } from '../state/genesis.js';
import type { CheckedPack } from './checked-pack.js';

/** Whether a node is a genesis by whom its roots let begin rooms. */
export function isFounded({ table, mandates }: Pick<CheckedPack, 'table' | 'mandates'>, place: number): boolean {
  const genesis = readGenesis(table, place);
  if (!genesis?.founding) return genesis !== undefined;
  return mandates?.has(nameOfMandate('founder', genesis.founding)) ?? false;
}
