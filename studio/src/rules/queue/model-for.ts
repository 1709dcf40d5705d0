/** Model of a unit: the one chosen for the stage or for the unit, by the nearest ancestor that has one. */
import { type ModelChoice, modelOf, scheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { lineOf } from '../goals/tree.js';

export function modelFor(
  look: Pick<Change, 'state'>,
  records: Records,
  workUnitId: string,
  profileId: string,
): ModelChoice {
  const stage = records.agentProfiles.get(profileId)?.stage ?? 'Execute';
  for (const unit of lineOf(look, workUnitId)) {
    const staged = records.agents
      .where('workUnit', unit.workUnitId)
      .flatMap(({ stageModels }) => stageModels?.[stage] ?? []);
    const chosen = staged.at(-1) ?? modelOf(look.state(scheduledItem, unit.workUnitId) ?? {});
    if (Object.keys(chosen).length > 0) return chosen;
  }
  return {};
}
