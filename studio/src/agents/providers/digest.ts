/** What was asked, as a hash: the same for whoever asks the same, whatever the order of fields and whichever model is meant. */
import { createHash } from 'node:crypto';
import type { ModelMessage, ModelRequest } from '../provider.js';

export function digestOf({ system, tools, messages }: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): string {
  const asked = [system, tools.map(({ name }) => name), messages.map(plain)];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

function plain(message: ModelMessage): unknown[] {
  if (message.role === 'user') return [message.text];
  if (message.role === 'tool') return [message.callId, message.text, message.isError];
  return [message.text, message.calls.map(({ callId, name, input }) => [callId, name, input])];
}
