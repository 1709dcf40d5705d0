/** Whole section: where a part stands in the work that it is a part of. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';
import { type Fact, beginning, fitted, named } from './fact.js';

const MOST_ROOT = 12_000;
const MOST_PARTS = 6000;
const MOST_CONTRACT = 6000;

export function wholeSection(records: Records, unit: WorkUnit): Fact[] {
  const root = rootOf(records, unit);
  if (root.workUnitId === unit.workUnitId) return [];
  const { goal, successCriteria } = root;
  const whole = [
    `The whole of which this is a part (${root.workUnitId}): ${beginning(goal, MOST_ROOT, 'workunit_get shows the rest')}`,
    ...(successCriteria === undefined ? [] : [`The whole is done when: ${successCriteria}`]),
    'Others do the other parts. Do yours, and nothing of theirs.',
  ];
  return [named('whole', whole.join('\n')), ...siblingsOf(records, unit)];
}

function rootOf(records: Records, unit: WorkUnit): WorkUnit {
  let root = unit;
  for (let id = unit.parentWorkUnitId; id !== undefined; id = root.parentWorkUnitId) {
    const parent = records.workUnits.get(id);
    if (!parent) break;
    root = parent;
  }
  return root;
}

/** The other parts: what each is to do where, and what this one may rely on, word for word. How they stand changes, and is not told. */
function siblingsOf(records: Records, { workUnitId, parentWorkUnitId: parent, dependsOn }: WorkUnit): Fact[] {
  if (parent === undefined) return [];
  const others = records.workUnits.where('parent', parent).filter((one) => one.workUnitId !== workUnitId);
  const near = others.filter((one) => dependsOn.includes(one.workUnitId) || one.dependsOn.includes(workUnitId));
  const lines = others.map((one) => {
    const files = one.fileScope.length === 0 ? 'any files' : one.fileScope.join(', ');
    return `- ${one.workUnitId} (${files}): ${one.goal.split('\n')[0] ?? ''}`;
  });
  const contracts = near.flatMap(({ workUnitId: id, metadata }) => {
    const contract = metadata?.['contract'];
    if (contract === undefined) return [];
    return [
      named(
        'contract',
        `Contract of ${id}, word for word:\n${beginning(contract, MOST_CONTRACT, 'workunit_get shows the rest')}`,
      ),
    ];
  });
  if (lines.length === 0) return [];
  return [named('parts', `The other parts:\n${fitted(lines, MOST_PARTS, 'workunit_list shows all')}`), ...contracts];
}
