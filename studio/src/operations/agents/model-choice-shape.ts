/** Shapes of model choices. Keys are held in memory only, and in no answer. */
import { profileOf } from '../../record/views/by-id.js';
import { z } from 'zod';
import type { ModelChoice } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import type { Overrides } from '../../rules/queue/queue.js';
import type { Context } from '../kernel/context.js';

const provider = z.string().min(1).max(200).optional().describe('Provider of the model.');
const model = z.string().min(1).max(400).optional().describe('Name of the model.');
const baseUrl = z.string().min(1).max(2000).optional().describe('Where the provider is reached.');
const apiKey = z.string().min(1).max(10_000).optional().describe('Its key. Held in memory only.');
const credentialRef = z
  .string()
  .min(1)
  .max(400)
  .optional()
  .describe('Name of a key that this host holds or will be given.');
export const ProfileId = z.string().min(1).max(200).describe('Id of an agent profile.');

/** Input fields of a model choice. */
export const modelFields = { provider, model, baseUrl, apiKey, credentialRef };
export const MODEL_FIELDS = ['provider', 'model', 'baseUrl', 'apiKey', 'credentialRef'] as const;

/** Output fields of a model choice. */
export const shownModel = {
  provider: z.string().optional().describe('Provider of the model.'),
  model: z.string().optional().describe('Name of the model.'),
  baseUrl: z.string().optional().describe('Where the provider is reached.'),
  credentialRef: z.string().optional().describe('Name of the key that is used.'),
};

/** Input fields of an override, where something runs again with another model. */
export const overrideFields = {
  overrideModel: model,
  overrideBaseUrl: baseUrl,
  overrideApiKey: apiKey,
  overrideProvider: provider,
  overrideProfileId: ProfileId.optional(),
  overrideCredentialRef: credentialRef,
};

export const lenientToolParsing = z.boolean().optional().describe('Whether malformed tool calls are put right.');

export type ModelFields = { readonly [Key in keyof typeof modelFields]?: string | undefined } & {
  readonly lenientToolParsing?: boolean | undefined;
};
type OverrideFields = { readonly [Key in keyof typeof overrideFields]?: string | undefined };

/** Model choice as it may be recorded, without the key. */
export function choiceOf({ credentials, newId }: Context, given: ModelFields): ModelChoice {
  const { provider, model, baseUrl, apiKey, credentialRef, lenientToolParsing } = given;
  return credentials.keep({ provider, model, baseUrl, apiKey, credentialRef, lenientToolParsing }, newId);
}

/** What runs otherwise the next time; a profile that nobody has made is refused before anything is kept. */
export function overridesOf(context: Context, given: OverrideFields): Overrides {
  const { overrideProfileId: profileId } = given;
  if (profileId !== undefined) profileOf(context.records, profileId);
  const choice = choiceOf(context, {
    provider: given.overrideProvider,
    model: given.overrideModel,
    baseUrl: given.overrideBaseUrl,
    apiKey: given.overrideApiKey,
    credentialRef: given.overrideCredentialRef,
  });
  return { ...choice, profileId };
}
