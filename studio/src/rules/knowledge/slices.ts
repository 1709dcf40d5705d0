/** Open slices: slices of a unit's plans without a part. */
import type { Records } from '../../record/views/records.js';
import { queryArtifacts } from './artifacts.js';
import { type PlanDocument, slicesOf } from './plan.js';

export type Slice = PlanDocument['slices'][number];

/** Open slices, each as the newest plan has it. */
export function openSlices(records: Records, workUnitId: string): Slice[] {
  const plans = queryArtifacts(records, workUnitId, { type: 'Plan', includeAncestors: false });
  const byId = new Map(plans.flatMap(({ body }) => slicesOf(body)).map((slice) => [slice.sliceId, slice]));
  for (const { fanOutInfo } of records.workUnits.where('parent', workUnitId)) byId.delete(fanOutInfo.sliceId ?? '');
  return [...byId.values()];
}
