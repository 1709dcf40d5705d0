/** Observations that are due: a pure function of the record. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../record/aggregates/options/options.js';
import { type Artifact, isInForce } from '../record/aggregates/artifact/state.js';
import { isOver } from '../record/aggregates/work-unit/status.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { pausedBy } from '../rules/queue/queue.js';
import { cyclesOfTree } from '../rules/goals/spending.js';
import { firstRootOf, lineOf } from '../rules/goals/tree.js';
import { DOMAIN_AGENTS, type DomainAgent } from '../rules/queue/staff.js';
import type { Change } from '../record/ledger/change.js';
import type { Records } from '../record/views/records.js';

export interface Look {
  readonly observer: DomainAgent;
  readonly artifact: Artifact;
  readonly unit: WorkUnit;
  /** Id of the conversation entry that records it. */
  readonly logId: string;
}

/** Observations of one observer per goal. */
const MOST_LOOKS = 20;
const LOOKED_AT = new Set(['Research', 'Decision', 'Constraint']);

/** Observations due for an artifact: one per observer, and none for what an observer recorded, which would never end. */
export function looksDue(look: Pick<Change, 'state'>, records: Records, artifact: Artifact): Look[] {
  const { artifactId, type, title = '', body = '', ownedByWorkUnitId } = artifact;
  const unit = records.workUnits.get(ownedByWorkUnitId ?? '');
  if (!unit || !LOOKED_AT.has(type) || !isInForce(artifact) || !mayBeLookedAt(look, records, unit)) return [];
  if (DOMAIN_AGENTS.some(({ titlePrefix }) => title.startsWith(titlePrefix))) return [];
  const enabled = enabledFor(look, records, unit);
  const text = `${title}\n${body}`;
  return DOMAIN_AGENTS.filter(({ name, keywords }) => enabled.has(name) && keywords.some((word) => has(text, word)))
    .map((observer) => ({ observer, artifact, unit, logId: `look-${observer.name}-${artifactId}` }))
    .filter(({ observer, logId }) => {
      const phase = records.conversationEntries.get(logId)?.phase;
      if (phase !== undefined) return phase === 'asked' || phase === 'answered';
      return looksOf(look, records, unit, observer) < MOST_LOOKS;
    });
}

/** Whether its unit is neither over nor paused. */
export function mayBeLookedAt(look: Pick<Change, 'state'>, records: Records, { workUnitId }: WorkUnit): boolean {
  const unit = records.workUnits.get(workUnitId);
  return unit !== undefined && !isOver(unit.status) && pausedBy(look, records, workUnitId) === undefined;
}

/** Observers enabled by the workgroup's options, or when an agent was taken on for this unit. */
function enabledFor(look: Pick<Change, 'state'>, records: Records, { workUnitId }: WorkUnit): ReadonlySet<string> {
  const { enabledDomainAgents } = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  const here = lineOf(look, workUnitId)
    .flatMap((unit) => records.agents.where('workUnit', unit.workUnitId))
    .flatMap(({ enabledDomainAgents: wanted = [] }) => wanted);
  return new Set([...enabledDomainAgents, ...here]);
}

/** Prefix match of a word: `test` in `tests`. */
function has(text: string, word: string): boolean {
  return new RegExp(`\\b${word}`, 'i').test(text);
}

function looksOf(
  look: Pick<Change, 'state'>,
  records: Records,
  { workUnitId }: WorkUnit,
  { name }: DomainAgent,
): number {
  return cyclesOfTree(records, firstRootOf(look, workUnitId)).filter(({ agentId }) => agentId === name).length;
}
