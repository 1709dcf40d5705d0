/** Projections of knowledge: what an agent is given, what supports the work, how it was reasoned. */
import { isInForce } from '../record/aggregates/artifact/state.js';
import type { Artifact } from '../record/aggregates/artifact/state.js';
import { queryArtifacts } from '../rules/knowledge/artifacts.js';
import { coModifications, touchedFiles } from '../rules/knowledge/co-modification.js';
import { constraintsFor } from '../rules/knowledge/constraints.js';
import { evidenceNow } from '../rules/knowledge/evidence.js';
import { slicesOf } from '../rules/knowledge/plan.js';
import { timelineEntry } from '../rules/knowledge/timeline.js';
import { unitOf } from '../record/views/by-id.js';
import { lineageOf } from '../rules/goals/tree.js';
import { type Projection, type Sources, needed } from './sources.js';
import { unitsAbout } from './work.js';

/** Least confidence of a co-modification hint. */
const SURE = 0.5;
/** Latest events that are read; older ones are in the replay. */
const MOST_EVENTS = 2000;

function shown({ artifactId, type, status, title, body, ownedByWorkUnitId, ownedByAgentId, createdAt }: Artifact) {
  return { artifactId, type, status, title, body, ownedByWorkUnitId, ownedByAgentId, createdAt };
}

function rules({ records }: Sources, workUnitId: string) {
  return constraintsFor(records, workUnitId).map(({ artifactId, title, body, reach }) => ({
    artifactId,
    title,
    body,
    reach,
  }));
}

/** Latest build and test results of the unit. */
function execution({ records, executions }: Sources, workUnitId: string) {
  const found = executions.latest(unitOf(records, workUnitId).branchId);
  return found && { resultId: found.resultId, allSucceeded: found.allSucceeded, executedAt: found.executedAt };
}

export const agentWorkspace: Projection = (sources, about) => {
  const { records, proposals } = sources;
  const unit = unitOf(records, needed(about, 'workUnitId'));
  const { workUnitId, repositoryId, assignedAgent } = unit;
  const known = queryArtifacts(records, workUnitId).filter((one) => isInForce(one) && one.type !== 'Constraint');
  const isHere = (id: string): boolean => records.workUnits.get(id)?.repositoryId === repositoryId;
  const pairs = coModifications(touchedFiles(proposals, isHere)).filter(({ confidence }) => confidence >= SURE);
  return {
    agentId: about.agentId ?? assignedAgent,
    workUnitId,
    inheritedConstraints: rules(sources, workUnitId),
    artifacts: { artifacts: known.toReversed().map(shown) },
    execution: execution(sources, workUnitId),
    coModHints: pairs.map(({ pathA, pathB, confidence }) => ({ pathA, pathB, confidence })),
  };
};

export const evidenceLedger: Projection = (sources, about) => {
  const units = new Set(unitsAbout(sources, about).map(({ workUnitId }) => workUnitId));
  const found = sources.records.evidence.all().filter(({ workUnitId }) => units.has(workUnitId));
  return {
    workUnitId: about.workUnitId,
    total: found.length,
    succeeded: found.filter(({ success }) => success).length,
    evidence: found
      .map(({ evidenceId, workUnitId, kind, success, summary, commit, attachedAt }) => ({
        evidenceId,
        workUnitId,
        kind,
        success,
        summary,
        commit,
        attachedAt,
      }))
      .reverse(),
  };
};

export const trajectoryTimeline: Projection = (sources, about) => {
  const units = unitsAbout(sources, about);
  const { feed } = sources;
  const numbers = feed.numbersOfWorkUnits(units.map(({ workUnitId }) => workUnitId));
  const entries = numbers.slice(-MOST_EVENTS).map((number) => feed.get(number)!);
  const phases = units.flatMap(({ workUnitId }) =>
    (sources.records.trajectories.get(workUnitId)?.phases ?? []).map((phase) => ({ workUnitId, ...phase })),
  );
  const isMeant = (at: string): boolean =>
    (about.since === undefined || at >= about.since) && (about.until === undefined || at <= about.until);
  return {
    workUnitId: about.workUnitId,
    // The total; only the newest are looked at.
    eventCount: numbers.length,
    phases: phases.filter(({ enteredAt }) => isMeant(enteredAt)).reverse(),
    events: entries
      .filter(({ stored }) => isMeant(stored.meta.at))
      .reverse()
      .map(timelineEntry)
      .map(({ eventId, kind, workUnitId, occurredAt, by }) => ({ eventId, kind, workUnitId, occurredAt, by })),
  };
};

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly edgeType: 'Refine' | 'Fork' | 'EvidenceAttached' | 'Decided';
}

export const reasoningCommitGraph: Projection = (sources, about) => {
  const { records } = sources;
  const units = unitsAbout(sources, about);
  const edges: Edge[] = [];
  const nodes = units.flatMap(({ workUnitId, parentWorkUnitId }) => {
    const commits = records.reasoning.where('workUnit', workUnitId);
    const first = commits[0];
    const above = records.reasoning.where('workUnit', parentWorkUnitId ?? '').at(-1);
    if (first && above) edges.push({ from: above.commitId, to: first.commitId, edgeType: 'Fork' });
    for (const [i, { commitId }] of commits.entries()) {
      const next = commits[i + 1];
      if (next) edges.push({ from: commitId, to: next.commitId, edgeType: 'Refine' });
    }
    const lastBefore = (at: string): string | undefined =>
      commits.findLast(({ committedAt }) => committedAt <= at)?.commitId;
    for (const { evidenceId, attachedAt } of records.evidence.where('workUnit', workUnitId)) {
      const from = lastBefore(attachedAt);
      if (from !== undefined) edges.push({ from, to: evidenceId, edgeType: 'EvidenceAttached' });
    }
    for (const { decisionId, decidedAt } of records.decisions.where('workUnit', workUnitId)) {
      const from = lastBefore(decidedAt);
      if (from !== undefined) edges.push({ from, to: decisionId, edgeType: 'Decided' });
    }
    return commits;
  });
  return {
    nodes: nodes
      .map(({ inputStage: stage, committedAt: occurredAt, projectionSnapshotJson: _seen, ...node }) => ({
        ...node,
        stage,
        occurredAt,
      }))
      .reverse(),
    edges,
  };
};

/** Decision context: what a decision on this work can use; never the text of a prompt. */
export const decisionContext: Projection = (sources, about) => {
  const { records, progress, proposals } = sources;
  const workUnitId = needed(about, 'workUnitId');
  const { goal, assignedAgent } = unitOf(records, workUnitId);
  const known = queryArtifacts(records, workUnitId).filter(isInForce);
  const plans = known.filter(({ type }) => type === 'Plan').toReversed();
  const lineage = lineageOf(records, workUnitId);
  const evidence = lineage.flatMap((unit) =>
    evidenceNow(records, unit.workUnitId, proposals.ofUnit(unit.workUnitId).at(-1)),
  );
  const reader = about.agentId ?? assignedAgent ?? '';
  const agent = progress.agents.find(({ agentId }) => agentId === reader);
  const profileId = records.agents.get(reader)?.profileId ?? records.scheduledItems.get(workUnitId)?.profileId;
  const steered = [
    ...records.steeringDecisions.where('began', workUnitId),
    ...records.steeringDecisions.where('workUnit', workUnitId).filter(({ kind }) => kind === 'RetryWithContext'),
  ];
  return {
    workUnitId,
    goal,
    steeredFromDecisionId: steered.at(-1)?.steeringDecisionId,
    constraints: rules(sources, workUnitId),
    // Plans add up.
    plan: plans.flatMap(({ body }) =>
      slicesOf(body).map(({ sliceId, goal, fileScope, steps }) => ({ sliceId, goal, fileScope, steps })),
    ),
    assumptions: known
      .filter(({ type }) => type === 'Research' || type === 'Decision')
      .map(({ artifactId, title }) => ({ artifactId, title }))
      .reverse(),
    evidence: evidence.map(({ kind, summary, success }) => ({ kind, summary, success })).reverse(),
    execution: execution(sources, workUnitId),
    // Empty where all tools are allowed.
    allowedTools: records.agentProfiles.get(profileId ?? '')?.allowedTools ?? [],
    agentModel: agent?.model,
    agentProvider: agent?.provider,
  };
};
