/** Readiness of models: whether agents of some profiles could ask theirs now. Nothing is asked for it. */
import { refusal } from '../reasons.js';
import type { Asker, ChooseModel, ChosenModel } from './chosen-model.js';
import type { Credentials } from './credentials.js';
import { ProviderError } from './provider.js';

export interface Required extends Asker {
  /** Whether a limit in dollars will hold for it, which is of no use where nobody knows what the model costs. */
  readonly isPriced?: boolean;
}

/**
 * Throws, with what to do, when the model of one of them is unknown, its script cannot be read, its key is not held, or its price
 * is needed and unknown.
 */
export type RequireModels = (askers: readonly Required[]) => Promise<void>;

export function requireModels(choose: ChooseModel, credentials: Pick<Credentials, 'has'>): RequireModels {
  return async (askers) => {
    for (const asker of askers) {
      const { credentialRef, price, model } = await chosenFor(choose, asker);
      if (asker.isPriced === true && price === undefined)
        throw refusal(
          'reject.price_unknown',
          `a limit in dollars says nothing for ${asker.profileId}: nobody knows what its model ${JSON.stringify(model)} costs.`,
          { profileId: asker.profileId, model },
        );
      if (credentialRef === undefined || credentials.has(credentialRef)) continue;
      throw refusal(
        'reject.key_missing',
        `the model of ${asker.profileId} needs the key ${JSON.stringify(credentialRef)}, which this studio does not hold: weft key set ${credentialRef}`,
        { credentialRef, profileId: asker.profileId },
      );
    }
  };
}

async function chosenFor(choose: ChooseModel, asker: Asker): Promise<ChosenModel> {
  try {
    return await choose({}, asker);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { profileId } = asker;
    throw refusal('reject.model_unknown', `the model of ${profileId} cannot be asked: ${error.message}`, { profileId });
  }
}
