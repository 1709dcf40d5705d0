/** Task section: what the agent is to do, where, and every name that a tool needs. The repository's own words come elsewhere. */
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';
import { MAIN, mergeBranchOf } from '../../rules/branches/stored-branch.js';
import { type Fact, beginning, named } from './fact.js';

/** Characters of a goal: as many as one may have. */
const MOST_GOAL = 100_000;
const MOST_TASK = 20_000;

export function taskSection(records: Records, unit: WorkUnit): Fact[] {
  const { workUnitId, branchId, goal, successCriteria, fileScope, reconciliationSourceRef } = unit;
  const text = [
    `Work unit ${workUnitId}, on branch ${branchId}.`,
    `Goal: ${beginning(goal, MOST_GOAL, 'workunit_get shows the rest')}`,
    ...(successCriteria === undefined ? [] : [`It is done when: ${successCriteria}`]),
    ...(fileScope.length === 0 ? [] : [`You may change: ${fileScope.join(', ')}`]),
    ...(reconciliationSourceRef === undefined ? [] : [`What is to be brought in is at ${reconciliationSourceRef}.`]),
    ...(unit.expectedOutputKind === 'KnowledgeArtifact'
      ? [
          'What is wanted is knowledge: record it with artifact_record, as Research or Decision. No file is to be changed.',
        ]
      : [`What you propose goes to the branch ${targetOf(records, unit)}.`]),
  ].join('\n\n');
  return [named('task', text), ...tasksOf(records, workUnitId), ...referencesOf(unit)];
}

/** Branch that proposals of a unit are for: that where its parent's parts meet, or the way to the user. */
function targetOf(records: Records, { parentWorkUnitId: parent, bypassPromotionBranch }: WorkUnit): string {
  if (parent !== undefined) return mergeBranchOf(parent);
  const { usePromotionBranch } = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  return usePromotionBranch && !bypassPromotionBranch ? CANDIDATE : MAIN;
}

function tasksOf(records: Records, workUnitId: string): Fact[] {
  return records.tasks.where('workUnit', workUnitId).map(({ taskId, title, description, priority }) => {
    const text = beginning(description, MOST_TASK, 'task_get shows the rest');
    return named('task', `Task ${taskId} (priority ${priority}): ${title}\n${text}`);
  });
}

/** Files that whoever set the goal wants read. */
function referencesOf({ referenceFiles = [] }: WorkUnit): Fact[] {
  if (referenceFiles.length === 0) return [];
  const lines = referenceFiles.map(({ path, note }) => (note === undefined ? `- ${path}` : `- ${path}: ${note}`));
  return [named('references', ['Read these files first, as whoever set the goal asks:', ...lines].join('\n'))];
}
