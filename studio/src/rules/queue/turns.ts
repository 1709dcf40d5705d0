/** Order of the queue: what is most urgent first, and among equals what has waited longest. */
import type { ScheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { isTaskOpen } from '../../record/aggregates/task/task.js';
import type { Records } from '../../record/views/records.js';

/** Items that wait for their turn, in the order in which they have it. */
export function inTurn(records: Records): ScheduledItem[] {
  const queued = records.scheduledItems.where('place', 'queued');
  // Most hosts give no task a priority, and looking at each line is not free.
  if (records.tasks.where('ranked', 'yes').length === 0) return queued;
  const rows = queued.map((item) => ({ item, priority: priorityOf(records, item.workUnitId) }));
  return rows.sort((a, b) => b.priority - a.priority).map(({ item }) => item);
}

/** Priority of a unit: the highest of its open tasks, or that of the nearest unit above which has some, or 0. */
export function priorityOf({ workUnits, tasks }: Records, workUnitId: string): number {
  for (let id: string | undefined = workUnitId; id !== undefined; id = workUnits.get(id)?.parentWorkUnitId) {
    const open = tasks.where('workUnit', id).filter(isTaskOpen);
    if (open.length > 0) return Math.max(...open.map(({ priority }) => priority));
  }
  return 0;
}
