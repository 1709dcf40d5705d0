/** Dependencies of whatever asks a model: the record, which model, and what may be spent. */
import type { Budgets } from '../models/budgets.js';
import type { ChooseModel } from '../models/chosen-model.js';
import type { RecordParts } from '../record/views/record-parts.js';

export interface AskingParts extends RecordParts {
  readonly models: ChooseModel;
  /** Budgets that count for a work unit. */
  readonly budgets: (workUnitId: string) => Budgets;
  /** Where what agents say is told while they say it. Absent: nowhere. */
  readonly speech?: Heard | undefined;
}

/** Whoever hears what agents say. */
export interface Heard {
  say(
    speaker: { readonly workUnitId: string; readonly agentId: string; readonly logId: string },
    text: string,
    startsOver?: boolean,
  ): void;
  flush(): void;
}
