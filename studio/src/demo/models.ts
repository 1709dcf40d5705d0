/** The model of the demonstration: whoever asks gets its own lines of the script, turn by turn. */
import type { Models } from '../agents/models.js';
import { ProviderError } from '../agents/provider.js';
import { type Line, SCRIPT } from './script.js';

export function demoModels(): Models {
  const lanes = lanesOf(SCRIPT);
  return () => ({
    model: 'script',
    provider: {
      name: 'scripted',
      turn: ({ about: { role, title, turn = 0 } = {}, messages }, { signal }) => {
        if (signal.aborted) return Promise.reject(new ProviderError('stopped', 'stopped'));
        const lane = lanes.find(({ when }) => when.role === role && (when.title ?? title) === title);
        const line = lane?.lines[turn] ?? lane?.lines.find(({ repeat }) => repeat);
        if (!line) return Promise.reject(new ProviderError('refused', `nothing is written for ${role}, turn ${turn}`));
        const { text = '', calls = [] } = line;
        return Promise.resolve({
          text,
          calls: calls.map((call, i) => ({ ...call, callId: `call-${messages.length}-${i}` })),
          stop: calls.length === 0 ? 'end' : 'calls',
          usage: { inputTokens: JSON.stringify(messages).length >> 2, cachedInputTokens: 0, outputTokens: 50 },
        });
      },
    },
  });
}

function lanesOf(script: readonly Line[]) {
  const lanes: { readonly when: NonNullable<Line['when']>; readonly lines: Line[] }[] = [];
  for (const line of script) {
    if (line.when) lanes.push({ when: line.when, lines: [] });
    lanes.at(-1)?.lines.push(line);
  }
  return lanes;
}
