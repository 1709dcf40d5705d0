/** Retry with feedback: tells a model what was wrong with its reply and asks again, a few times. All attempts count as usage. */
import type { ModelMessage, ModelUsage, Provider } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { MalformedReply, sumUsage, withSpent } from './reply.js';

const MOST_QUOTED = 300;

export function reAsk(provider: Provider, most = 2): Provider {
  return {
    name: provider.name,
    count: provider.count,
    async turn(request, options) {
      let spent: ModelUsage | undefined;
      let correction: readonly ModelMessage[] = [];
      for (let asked = 0; ; asked += 1) {
        try {
          const turn = await provider.turn({ ...request, messages: [...request.messages, ...correction] }, options);
          const { native, ...plain } = turn;
          // What the model thought is bound to a correction that is no part of the conversation: sent back without it, it would be refused.
          const isLost = correction.length > 0 && native?.isBound === true;
          return { ...(isLost ? plain : turn), usage: sumUsage(spent, turn.usage) };
        } catch (error) {
          if (!(error instanceof ProviderError)) throw error;
          const whole = spent ? withSpent(error, spent) : error;
          if (error.fault !== 'malformed' || asked >= most || options.signal.aborted) throw whole;
          spent = whole.spent;
          correction = error instanceof MalformedReply ? [{ role: 'user', text: correctionOf(error) }] : [];
          options.onStartOver?.();
        }
      }
    },
  };
}

function correctionOf({ message, reply }: MalformedReply): string {
  const quote = reply === '' ? '' : `\nIt began:\n${reply.slice(0, MOST_QUOTED)}`;
  return `Your last reply could not be used: ${message}.${quote}\nReply again, whole and correct.`;
}
