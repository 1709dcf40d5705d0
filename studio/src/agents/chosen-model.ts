/** Which model an agent asks, and what that costs. */
import type { ModelChoice } from '../aggregates/scheduled-item/scheduled-item.js';
import { refusal } from '../reasons.js';
import type { Price } from './budgets.js';
import type { Models } from './models.js';
import type { Provider } from './provider.js';

export interface ChosenModel {
  readonly provider: Provider;
  readonly model: string;
  readonly price?: Price | undefined;
}

/** Throws when nothing is known of what was chosen. */
export type ChooseModel = (choice: ModelChoice) => ChosenModel | Promise<ChosenModel>;

/** `usual` is asked where nothing is chosen; prices are by model. */
export function chooseFrom(
  models: Pick<Models, 'provider'>,
  usual: ModelChoice = {},
  prices: Readonly<Record<string, Price>> = {},
): ChooseModel {
  return async (choice) => {
    // Of another provider, the usual address and model mean nothing.
    const isUsual = choice.provider === undefined || choice.provider === usual.provider;
    const wanted = { ...(isUsual ? usual : {}), ...choice };
    if (wanted.provider === undefined)
      throw refusal('reject.model_unknown', 'no model was chosen, and this host was started without one');
    const { model = '' } = wanted;
    return { provider: await models.provider(wanted), model, price: prices[model] };
  };
}
