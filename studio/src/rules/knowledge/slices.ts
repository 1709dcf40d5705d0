/** The slices of a unit's plans that nobody has begun: a plan is followed by making a part of each. */
import type { Records } from '../../record/views/records.js';
import { queryArtifacts } from './artifacts.js';
import { type PlanDocument, slicesOf } from './plan.js';

export type Slice = PlanDocument['slices'][number];

/** The newest plan that names a slice says what it is. */
export function openSlices(records: Records, workUnitId: string): Slice[] {
  const plans = queryArtifacts(records, workUnitId, { type: 'Plan', includeAncestors: false });
  const byId = new Map(plans.flatMap(({ body }) => slicesOf(body)).map((slice) => [slice.sliceId, slice]));
  for (const { fanOutInfo } of records.workUnits.where('parent', workUnitId)) byId.delete(fanOutInfo.sliceId ?? '');
  return [...byId.values()];
}
