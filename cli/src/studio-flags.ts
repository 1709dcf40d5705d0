/** Whether agents work on goals, and with which models. */
import { type ModelFile, readModelFile } from '@weft/studio';
import { UsageError } from './define.js';

export const agentFlags = {
  agents: { summary: 'Whether agents work on goals.', value: 'on|off', default: 'on', choices: ['on', 'off'] },
  model: {
    summary: 'Model where nobody has chosen one: provider/name, such as openai/gpt-5. WEFT_MODEL_URL is its address.',
    value: 'provider/name',
  },
  models: {
    summary:
      'JSON file about models: which profile asks which, prices, budgets, programs, recordings (docs/models.md).',
    value: 'file',
    initially: '$WEFT_MODELS',
  },
  'goal-tokens': { summary: 'Tokens that one goal may cost; then it waits for a person.', value: 'number' },
} as const;

interface Given {
  readonly agents: string;
  readonly model?: string | undefined;
  readonly models?: string | undefined;
  readonly 'goal-tokens'?: string | undefined;
}

/** Flags count before the file. */
export async function agentsOf(
  { agents: switched, model, models: path, 'goal-tokens': tokens }: Given,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Pick<ModelFile, 'models'> & Partial<Pick<ModelFile, 'agents'>>> {
  const { WEFT_MODEL_URL: baseUrl, WEFT_MODELS: file } = environment;
  const named = path ?? file;
  const { agents, models } = named === undefined ? { agents: {}, models: {} } : await readModelFile(named);
  if (switched === 'off') return { models };
  const { budgets = {} } = agents;
  return {
    models,
    agents: {
      ...agents,
      ...(model === undefined ? {} : { usual: { ...modelOf(model), ...(baseUrl === undefined ? {} : { baseUrl }) } }),
      ...(tokens === undefined ? {} : { budgets: { ...budgets, goal: { ...budgets.goal, tokens: countOf(tokens) } } }),
    },
  };
}

function modelOf(text: string): { readonly provider: string; readonly model?: string } {
  const at = text.indexOf('/');
  const [provider, model] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  if (provider === '') throw new UsageError(`--model takes provider/name, not ${text}`);
  return { provider, ...(model === '' ? {} : { model }) };
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--goal-tokens takes a number, not ${text}`);
}
