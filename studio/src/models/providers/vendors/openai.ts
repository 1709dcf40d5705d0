/**
 * Provider over the two wires of OpenAI: responses, at the vendor's own address, and chat completions, which others speak too. A
 * model's row of settings may say which.
 */
import type OpenAI from 'openai';
import type { Provider } from '../../provider.js';
import { askChat } from './chat-completions.js';
import type { HttpAsk, HttpModel } from './http-model.js';
import { overHttp } from './http-model.js';
import type { Reply } from '../replies/reply.js';
import { askResponses } from './responses.js';

const OWN_ADDRESS = 'https://api.openai.com/v1';
/** Placeholder key: the library must not read one from the environment of whoever runs the host. */
const NO_KEY = 'none';

export function openai(model: HttpModel): Provider {
  return overHttp('openai', model, ask);
}

async function ask({ request, fetch, key, baseUrl = OWN_ADDRESS }: HttpAsk, reply: Reply): Promise<void> {
  const isOwn = baseUrl === OWN_ADDRESS;
  // Lazy import: 115 ms and 13 MB.
  const { OpenAI } = await import('openai');
  const client: OpenAI = new OpenAI({
    apiKey: key ?? NO_KEY,
    organization: null,
    project: null,
    baseURL: baseUrl,
    maxRetries: 0,
    logLevel: 'off',
    fetch,
  });
  const { wire = isOwn ? 'responses' : 'chat' } = request.ways ?? {};
  await (wire === 'responses' ? askResponses(client, request, reply) : askChat(client, request, reply, isOwn));
}
