/** Section of files that change together with those of the task, as earlier proposals show. */
import type { Records } from '../../record/views/records.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { coModifications, touchedFiles } from '../../rules/knowledge/co-modification.js';
import { compileGlob } from '../../workspace/files/glob.js';
import { type Fact, named } from './fact.js';

const MOST_PAIRS = 12;

export function togetherSection(records: Records, { fileScope, repositoryId }: WorkUnit): Fact[] {
  if (fileScope.length === 0) return [];
  const globs = fileScope.map(compileGlob);
  const isOurs = (path: string): boolean => globs.some((matches) => matches(path));
  const isMeant = (id: string): boolean => records.workUnits.get(id)?.repositoryId === repositoryId;
  const pairs = coModifications(touchedFiles(records.proposals, isMeant))
    .filter(({ pathA, pathB }) => isOurs(pathA) || isOurs(pathB))
    .slice(0, MOST_PAIRS);
  if (pairs.length === 0) return [];
  const lines = pairs.map(({ pathA, pathB, support }) => `- ${pathA} and ${pathB} (${support} times)`);
  return [named('together', ['Files that were changed together before:', ...lines].join('\n'))];
}
