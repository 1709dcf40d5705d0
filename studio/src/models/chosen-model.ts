/** Model selection: which model an agent asks, and what that costs. */
import type { ModelChoice } from '../record/aggregates/scheduled-item/scheduled-item.js';
import { EXECUTORS } from '../rules/queue/staff.js';
import { refusal } from '../reasons.js';
import type { Executor } from './executor.js';
import type { Price } from './budgets.js';
import { type ModelRow, type RowOverride, rowOf, wrongRow } from './model-rows.js';
import type { Models } from './models.js';
import { keyNameOf } from './providers/make-provider.js';
import type { Provider } from './provider.js';

export interface ChosenModel {
  readonly provider: Provider;
  readonly model: string;
  /** Agent program that works in place of the loop's tools. Absent: the model answers, and the host does what it calls. */
  readonly executor?: Executor | undefined;
  /** What it takes and gives. Absent: what is known of a model of its name. */
  readonly row?: ModelRow | undefined;
  readonly price?: Price | undefined;
  /** Name of the key that it needs. */
  readonly credentialRef?: string | undefined;
}

/** Asker: an agent of this profile, or an observer of this name. */
export interface Asker {
  readonly profileId: string;
  readonly executor?: string | undefined;
  /** Stage of the profile. Absent: only what the model would be is asked. */
  readonly stage?: string | undefined;
}

/** Model selection. Throws when the chosen model is unknown. */
export type ChooseModel = (choice: ModelChoice, asker: Asker) => ChosenModel | Promise<ChosenModel>;

export interface HostModels {
  /** Default model. */
  readonly usual?: ModelChoice | undefined;
  /** Default model of each profile, by its id. */
  readonly usualOf?: Readonly<Record<string, ModelChoice>> | undefined;
  /** Overrides of models' rows, by model name. */
  readonly rows?: Readonly<Record<string, RowOverride>> | undefined;
  /** Prices by model name. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;
}

/**
 * Selection by precedence: the caller's choice, this host's default for the profile, the executor of the profile. Throws when a row of the
 * host cannot be kept to.
 */
export function chooseFrom(
  models: Pick<Models, 'provider'> & Partial<Pick<Models, 'executor'>>,
  { usual = {}, usualOf = {}, rows = {}, prices = {} }: HostModels,
): ChooseModel {
  for (const [model, row] of Object.entries(rows)) {
    const wrong = wrongRow(model, row);
    if (wrong !== undefined) throw new Error(`model ${JSON.stringify(model)}: ${wrong}`);
  }
  return async (choice, { profileId, executor, stage = '' }) => {
    const ours = usualOf[profileId] ?? ofExecutor(executor) ?? usual;
    // Our address and model mean nothing to another provider.
    const isOurs = choice.provider === undefined || choice.provider === ours.provider;
    const wanted = { ...(isOurs ? ours : {}), ...choice };
    if (wanted.provider === undefined)
      throw refusal(
        'reject.model_unknown',
        'no model was chosen: start the host with --model, or name a provider when the work is begun or requeued',
      );
    const { model = '' } = wanted;
    const credentialRef = keyNameOf(wanted);
    const made = credentialRef === undefined ? wanted : { ...wanted, credentialRef };
    const provider = await models.provider(made);
    const isAtWork = AT_WORK.has(stage) && ofExecutor(executor)?.provider === wanted.provider;
    const row = rowOf(model, rows[model]);
    // Another server of the same model has its own prices.
    const price = prices[model] ?? (wanted.baseUrl === undefined ? row.price : undefined);
    return {
      provider,
      model,
      row,
      price,
      credentialRef,
      ...(isAtWork && { executor: models.executor?.(made) }),
    };
  };
}

/** Makes each usual model of a host once, so that a wrong one is noticed at the start. Answers the names of the keys that they need. */
export async function usualModels(
  models: Pick<Models, 'provider'>,
  { usual, usualOf = {} }: HostModels,
): Promise<readonly string[]> {
  const choices = [...(usual ? [usual] : []), ...Object.values(usualOf)];
  for (const choice of choices) await models.provider(choice);
  return [...new Set(choices.flatMap((choice) => keyNameOf(choice) ?? []))];
}

/** Stages whose agents change files. Those of the others only answer, whatever runs them. */
const AT_WORK: ReadonlySet<string> = new Set(['Execute', 'Reconcile']);

function ofExecutor(executor: string | undefined): ModelChoice | undefined {
  const { providerKey: provider } = EXECUTORS.find(({ name }) => name === executor) ?? {};
  return provider ? { provider } : undefined;
}
