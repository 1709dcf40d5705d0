/** Actions that were given up: the coordinator could not do what is due, and says why. */
import {
  type OrchestrationDecision,
  givesUp,
} from '../../record/aggregates/orchestration-decision/orchestration-decision.js';
import type { Records } from '../../record/views/records.js';
import { placesOf } from './places.js';

/** Last decision about a unit, where that gives up and nobody is at work on it since. */
export function givenUpOf(records: Records, workUnitId: string): OrchestrationDecision | undefined {
  const last = records.orchestrationDecisions.where('workUnit', workUnitId).at(-1);
  if (!last || !givesUp(last)) return undefined;
  const [place] = placesOf(records, workUnitId);
  return place === 'created' || place === 'active' || place === 'in-review' ? last : undefined;
}
