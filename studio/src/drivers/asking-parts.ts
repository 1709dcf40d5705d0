/** Dependencies of whatever asks a model: the record, which model, and what may be spent. */
import type { Budgets } from '../models/budgets.js';
import type { ChooseModel } from '../models/chosen-model.js';
import type { RecordParts } from '../record/views/record-parts.js';

export interface AskingParts extends RecordParts {
  readonly models: ChooseModel;
  readonly budgets: () => Budgets;
}
