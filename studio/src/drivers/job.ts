/** Job: one agent at one unit, with the lease that it works under and the model that it asks. */
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import {
  type ModelChoice,
  type ScheduledItem,
  isHeld,
  requireLease,
} from '../record/aggregates/scheduled-item/scheduled-item.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import type { Change } from '../record/ledger/change.js';
import type { ChosenModel } from '../models/chosen-model.js';
import type { ModelRow } from '../models/model-rows.js';
import { callerOf } from '../models/question.js';
import { itemOf } from '../rules/queue/queue.js';
import type { AskingParts } from './asking-parts.js';
import type { SetUpTold } from '../rules/runs/set-up.js';
import type { Fact } from './briefing/fact.js';
import type { Workplaces } from './executing/workplaces.js';
import type { Tools } from './tools.js';

export interface LoopParts extends AskingParts {
  readonly tools: Tools;
  /** Workplaces of agent programs. Absent: none work here. */
  readonly places?: Workplaces | undefined;
  /** Sets up the folder of a unit, where the operator has a script for it, and tells what came of it. */
  readonly setUp?: ((workUnitId: string, told: SetUpTold, signal: AbortSignal) => Promise<void>) | undefined;
  /** What of the repository an agent of this stage is told where its conversation begins. */
  readonly orientation: (unit: WorkUnit, profile: AgentProfile) => Promise<readonly Fact[]>;
  /** What others have changed where the unit's own proposal could not land. */
  readonly bothSides: (unit: WorkUnit) => Promise<readonly Fact[]>;
}

export interface Job {
  readonly parts: LoopParts;
  readonly item: ScheduledItem;
  readonly agentId: string;
  readonly profile: AgentProfile;
  readonly choice: ModelChoice;
  readonly model: ChosenModel;
  readonly row: ModelRow;
  readonly signal: AbortSignal;
}

/** Runs a change under the lease, and refuses when another holds it now. */
export async function changeIfOurs<T>({ parts, item, agentId }: Job, work: (change: Change) => T): Promise<T> {
  return parts.ledger.change(callerOf(agentId), (change) => {
    requireLease(itemOf(change, item.workUnitId), item);
    return work(change);
  });
}

export function isOurs(look: Pick<Change, 'state'>, item: ScheduledItem): boolean {
  return isHeld(itemOf(look, item.workUnitId), item);
}

/** Whether the agent is a program with tools of its own. */
export function isProgram({ model, parts }: Pick<Job, 'model' | 'parts'>): boolean {
  return model.executor !== undefined && parts.places !== undefined;
}

/** What a vendor limits: a model, for a key. */
export function limitKeyOf({ item, model }: Pick<Job, 'item' | 'model'>): string {
  const { credentialRef = model.credentialRef ?? '' } = item;
  return [model.provider.name, model.model, credentialRef].join(' ');
}
