/** Usage of one run of a program, from what it tells of its session, which includes all runs before. */
import type { ModelUsage } from './provider.js';

/** Undefined where it has told nothing. A session that tells of less than before has begun to count anew. */
export function usedSince(told: ModelUsage, before: ModelUsage | undefined): ModelUsage | undefined {
  if (totalOf(told) === 0) return undefined;
  if (!before || FIELDS.some((field) => (told[field] ?? 0) < (before[field] ?? 0))) return told;
  const rest = (field: (typeof FIELDS)[number]): number => (told[field] ?? 0) - (before[field] ?? 0);
  return {
    inputTokens: rest('inputTokens'),
    cachedInputTokens: rest('cachedInputTokens'),
    outputTokens: rest('outputTokens'),
    ...(told.cacheWriteTokens === undefined ? {} : { cacheWriteTokens: rest('cacheWriteTokens') }),
    ...(told.microUsd === undefined ? {} : { microUsd: rest('microUsd') }),
  };
}

const FIELDS = ['inputTokens', 'cachedInputTokens', 'cacheWriteTokens', 'outputTokens', 'microUsd'] as const;

function totalOf(usage: ModelUsage): number {
  return FIELDS.reduce((sum, field) => sum + (usage[field] ?? 0), 0);
}
