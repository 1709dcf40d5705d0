/** One line for all that is recorded: the same where every view shows the same, in the same order. */
import { createHash } from 'node:crypto';
import type { Records } from '../../record/views/records.js';

export function recordDigest(records: Records): string {
  const { scheduledItems, fileLeases, usages, repositories, workUnits } = records;
  const shown = {
    ...Object.fromEntries(Object.entries(records).map(([name, collection]) => [name, collection.all()])),
    turns: (['queued', 'leased', 'parked'] as const).map((place) => scheduledItems.where('place', place)),
    parts: workUnits.all().map(({ workUnitId }) => workUnits.where('parent', workUnitId)),
    contentions: fileLeases.contentions,
    usages: [usages.reads, usages.searches],
    paths: repositories.all().map(({ path, repositoryId }) => [path, repositories.turnOf(repositoryId, path)]),
  };
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex');
}
