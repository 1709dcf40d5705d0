/** Absent section: what the repository names and is not in the folder, so that nobody looks for why a build misses it. */
import { type Fact, named } from './fact.js';

export function absentSection(absent: readonly string[]): Fact[] {
  if (absent.length === 0) return [];
  const lines = absent.map((line) => `- ${line}\n`).join('');
  return [named('absent', `Not in your folder, and not for you to bring or to change:\n${lines}`)];
}
