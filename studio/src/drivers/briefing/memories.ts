/** Memories section: what people have confirmed that work on this repository should know. */
import { asGuidance } from '../../rules/branches/guidance.js';
import type { Memory } from '../../record/aggregates/memory/memory.js';
import { type Fact, fitted, named } from './fact.js';

const MOST_CHARACTERS = 6000;

export function memoriesSection(memories: readonly Memory[]): Fact[] {
  if (memories.length === 0) return [];
  // What was confirmed last fits first.
  const lines = memories.toReversed().map(({ text }) => `- ${text.replaceAll('\n', '\n  ')}`);
  const text = fitted(lines, MOST_CHARACTERS, 'the newest are these');
  return [named('memories', asGuidance('What is remembered of this repository', text))];
}
