/** Which models there are, and what they cost. */
import type { ModelChoice } from '../aggregates/scheduled-item/scheduled-item.js';
import type { Price } from './budgets.js';
import type { Provider } from './provider.js';

export interface ChosenModel {
  readonly provider: Provider;
  readonly model: string;
  readonly price?: Price | undefined;
}

/** Throws when nothing is known of what was chosen. */
export type Models = (choice: ModelChoice) => ChosenModel | Promise<ChosenModel>;
