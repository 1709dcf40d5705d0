/**
 * Units that an event may have made something due of. Their goals are looked at after it, and no others are, so whatever `due.ts` reads from
 * outside a goal has a line here. Tests hold that nothing becomes due elsewhere, of whatever they record.
 */
import { agentProfile } from '../record/aggregates/agent-profile/agent-profile.js';
import { forge } from '../record/aggregates/forge/forge.js';
import { options } from '../record/aggregates/options/options.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import type { StoredEvent } from '../record/ledger/stream.js';
import type { Records } from '../record/views/records.js';

/** What is for all goals: checks that a forge has to find green, who may do the work, and how often it is done anew. */
const OF_ALL: readonly string[] = [forge.name, agentProfile.name, options.name];

export function unitsTouchedBy(
  { workUnits }: Records,
  { aggregate, id, meta }: Pick<StoredEvent, 'aggregate' | 'id' | 'meta'>,
): string[] {
  if (OF_ALL.includes(aggregate)) return rootsOf(workUnits.all());
  const own = meta.workUnitId === undefined ? [] : [meta.workUnitId];
  // What needs this work may be of another goal.
  const inNeed = aggregate === workUnit.name ? workUnits.where('needs', id) : [];
  return [...own, ...inNeed.map(({ workUnitId }) => workUnitId)];
}

export function rootsOf(units: readonly WorkUnit[]): string[] {
  return units.filter(({ parentWorkUnitId }) => parentWorkUnitId === undefined).map(({ workUnitId }) => workUnitId);
}
