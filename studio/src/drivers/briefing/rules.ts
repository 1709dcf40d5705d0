/** Rules section: how one works in the repository, as people wrote it for agents. It changes nothing of what an agent may do. */
import { type Rules, asGuidance } from '../../rules/branches/guidance.js';
import { type Fact, beginning, named } from './fact.js';

/** Characters of all files together. */
const MOST_CHARACTERS = 16_000;

export function rulesSection(rules: readonly Rules[]): Fact[] {
  let left = MOST_CHARACTERS;
  return rules.flatMap(({ path, text }) => {
    if (left <= 0) return [];
    const shown = beginning(text, left, `view shows the rest of ${path}`);
    left -= text.length;
    return [named('rules', asGuidance(`How one works in this repository, as its ${path} says`, shown))];
  });
}
