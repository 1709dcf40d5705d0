/** Steering: a person's word to work under way is a constraint for the unit and all below it. */
import type { Change } from '../../record/ledger/change.js';
import { note } from './note.js';

export function steer(change: Change, workUnitId: string, text: string): void {
  note(change, workUnitId, { type: 'Constraint', title: 'What a person wants', body: text });
}
