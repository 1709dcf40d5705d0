/** What a person says to work under way: every unit of the tree that is not over carries it, and whoever works there reads it. */
import { isOver } from '../aggregates/work-unit/status.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import type { Change } from '../ledger/change.js';
import type { Records } from '../views/records.js';
import { treeOf } from './tree.js';

export function steer(change: Change, records: Records, workUnitId: string, text: string): void {
  for (const unit of treeOf(records, workUnitId)) {
    const now = change.state(workUnit, unit.workUnitId);
    if (now && !isOver(now.status)) change.run(workUnit, unit.workUnitId, 'note', { key: 'steering', text });
  }
}
