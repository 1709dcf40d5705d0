/** Tool with which agents read skills: instructions that people keep in the repository. */
import { z } from 'zod';
import { asGuidance } from '../../rules/branches/guidance.js';
import { type Skill, skillFile, skillsOf } from '../../rules/branches/skills.js';
import { refusal } from '../../reasons.js';
import { requireText } from '../../rules/branches/files.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { MOST_TOLD, OWN_TOOL_REFUSALS, Told, firstLines, ownWork } from './own-work.js';

const MOST_FILES = 100;

export const skill = operation({
  summary:
    'Read the instructions that this repository keeps for a kind of task, by their name; without a name, list what there is.',
  scope: 'read',
  in: z.object({
    name: z.string().max(100).default('').describe('Name of the skill. Default: all are listed.'),
    file: z.string().min(1).max(4096).default('SKILL.md').describe('File of the skill, by its path in its folder.'),
  }),
  out: Told,
  tool: 'skill',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: READS,
}).run(async (context, { name, file }) => {
  const { unit } = await ownWork(context);
  const skills = await skillsOf(context, unit.repositoryId);
  if (name === '') return { text: listOf(skills) };
  const found = skills.find((one) => one.name === name);
  if (!found) throw refusal('reject.file_not_found', `there is no skill ${name}; ${listOf(skills)}`);
  const bytes = await skillFile(context, unit.repositoryId, found, file);
  if (!bytes)
    throw refusal('reject.file_not_found', `the skill ${name} has no file ${file} that can be read; ${filesOf(found)}`);
  const text = firstLines(
    requireText(file, bytes),
    MOST_TOLD,
    (left) => `${left} more characters: view ${found.folder}/${file}`,
  );
  const others = file === 'SKILL.md' ? `\n${filesOf(found)}` : '';
  return { text: `${asGuidance(`How one does it in this repository, as its skill ${name} says`, text)}${others}` };
});

function listOf(skills: readonly Skill[]): string {
  if (skills.length === 0) return 'this repository keeps no skills';
  return `the skills: ${skills.map(({ name, description }) => (description === '' ? name : `${name} (${description})`)).join('; ')}`;
}

function filesOf({ folder, files }: Skill): string {
  const left = files.length - MOST_FILES;
  const more = left > 0 ? ` and ${left} more` : '';
  return `Its files are below ${folder} in your branch, where you may view and run them: ${files.slice(0, MOST_FILES).join(', ')}${more}`;
}
