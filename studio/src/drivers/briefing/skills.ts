/** Skills section: names of instructions that the repository keeps for tasks of one kind. Their text is asked for where it is needed. */
import type { Skill } from '../../rules/branches/skills.js';
import { type Fact, fitted, named } from './fact.js';

const MOST_CHARACTERS = 6000;

export function skillsSection(skills: readonly Skill[]): Fact[] {
  if (skills.length === 0) return [];
  const lines = skills.map(({ name, description }) => `- ${name}${description === '' ? '' : `: ${description}`}`);
  const text = `Skills that this repository keeps, each with instructions for one kind of task. Where one fits yours, read it with skill before you begin:\n`;
  return [named('skills', `${text}${fitted(lines, MOST_CHARACTERS, 'skill without a name lists all')}`)];
}
