/** Records: all collections, by noun. A new noun is a line here. */
import { agent } from '../aggregates/agent/agent.js';
import { artifactFeedback } from '../aggregates/artifact-feedback/artifact-feedback.js';
import { artifact, privateArtifact } from '../aggregates/artifact/artifact.js';
import { attempt } from '../aggregates/attempt/attempt.js';
import { branch } from '../aggregates/branch/branch.js';
import { clarification } from '../aggregates/clarification/clarification.js';
import { collectionRun } from '../aggregates/collection-run/collection-run.js';
import { collision } from '../aggregates/collision/collision.js';
import { command, localCommand } from '../aggregates/command/command.js';
import { conflict } from '../aggregates/conflict/conflict.js';
import { constraintSwitch } from '../aggregates/constraint-switch/constraint-switch.js';
import { deadLetter } from '../aggregates/dead-letter/dead-letter.js';
import { contribution } from '../aggregates/contribution/contribution.js';
import { decision } from '../aggregates/decision/decision.js';
import { evidence } from '../aggregates/evidence/evidence.js';
import { execution } from '../aggregates/execution/execution.js';
import { experiment } from '../aggregates/experiment/experiment.js';
import { externalDoc } from '../aggregates/external-doc/external-doc.js';
import { finding } from '../aggregates/finding/finding.js';
import { forge } from '../aggregates/forge/forge.js';
import { goal, isLimited, isOpenRoot } from '../aggregates/goal/goal.js';
import { hypothesis } from '../aggregates/hypothesis/hypothesis.js';
import { intent } from '../aggregates/intent/intent.js';
import { knownGood } from '../aggregates/known-good/known-good.js';
import { memory } from '../aggregates/memory/memory.js';
import { mergeProposal } from '../aggregates/merge-proposal/merge-proposal.js';
import { options } from '../aggregates/options/options.js';
import { givesUp, orchestrationDecision } from '../aggregates/orchestration-decision/orchestration-decision.js';
import { projectionSnapshot } from '../aggregates/projection-snapshot/projection-snapshot.js';
import { publishing } from '../aggregates/publishing/publishing.js';
import { reasoning } from '../aggregates/reasoning/reasoning.js';
import { repositoryConflict } from '../aggregates/repository-conflict/repository-conflict.js';
import { scheduledItem } from '../aggregates/scheduled-item/scheduled-item.js';
import { seenFile } from '../aggregates/seen-file/seen-file.js';
import { serverCall } from '../aggregates/server-call/server-call.js';
import { session } from '../aggregates/session/session.js';
import { steeringDecision } from '../aggregates/steering-decision/steering-decision.js';
import { isTaskOpen, task } from '../aggregates/task/task.js';
import { token } from '../aggregates/token/token.js';
import { toolServer } from '../aggregates/tool-server/tool-server.js';
import { trajectory } from '../aggregates/trajectory/trajectory.js';
import { webhook } from '../aggregates/webhook/webhook.js';
import { reliesOnOthers } from '../aggregates/work-unit/state.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import { Collection } from '../ledger/collection.js';
import { Newest } from '../ledger/newest.js';
import { AgentProfiles } from './agent-profiles.js';
import { ConversationEntries } from './conversation-entries.js';
import { FileLeases } from './file-leases.js';
import { Repositories } from './repositories.js';
import { Usages } from './usages.js';

/** Cached answers for repeated requests. */
const MOST_ANSWERS = 4096;

export type Records = ReturnType<typeof createRecords>;

export function createRecords() {
  return {
    agentProfiles: new AgentProfiles(),
    agents: new Collection(agent, { workUnit: (agent) => agent.workUnitId }),
    artifactFeedback: new Collection(artifactFeedback),
    artifacts: new Collection(artifact, {
      owner: (one) => one.ownedByWorkUnitId,
      parent: (one) => one.parentArtifactId,
      promotedFrom: (one) => one.promotedFromArtifactId,
      unowned: (one) => (one.ownedByWorkUnitId === undefined ? one.type : undefined),
    }),
    attempts: new Collection(attempt),
    branches: new Collection(branch),
    clarifications: new Collection(clarification, {
      workUnit: (asked) => asked.workUnitId,
      open: (asked) => (asked.status === 'open' ? asked.workUnitId : undefined),
      waiting: ({ status }) => whether(status === 'open'),
    }),
    collisions: new Collection(collision, { open: (one) => (one.isOpen ? one.workUnitIds : undefined) }),
    collectionRuns: new Collection(collectionRun),
    commands: new Newest(command, MOST_ANSWERS),
    constraintSwitches: new Collection(constraintSwitch),
    decisions: new Collection(decision, { workUnit: (one) => one.workUnitId, proposal: (one) => one.proposalId }),
    evidence: new Collection(evidence, { workUnit: (one) => one.workUnitId }),
    executions: new Collection(execution, { branch: (one) => one.branchId, status: (one) => one.status }),
    experiments: new Collection(experiment, { parent: (one) => one.parentWorkUnitId }),
    externalDocs: new Collection(externalDoc),
    findings: new Collection(finding, { status: (one) => one.status }),
    localCommands: new Newest(localCommand, MOST_ANSWERS),
    conflicts: new Collection(conflict, {
      proposal: ({ proposalId }) => proposalId,
      workUnit: ({ workUnitId }) => workUnitId,
      parent: ({ parentWorkUnitId }) => parentWorkUnitId,
      waiting: ({ status }) => whether(status === 'Open'),
    }),
    contributions: new Collection(contribution, {
      repository: ({ repositoryId }) => repositoryId,
      issue: ({ repositoryId, issue }) => (issue === undefined ? undefined : `${repositoryId}#${issue.number}`),
    }),
    conversationEntries: new ConversationEntries(),
    deadLetters: new Collection(deadLetter, {
      workUnit: (entry) => entry.workUnitId,
      unresolved: (entry) => (entry.resolution === undefined ? entry.workUnitId : undefined),
      waiting: ({ resolution }) => whether(resolution === undefined),
    }),
    fileLeases: new FileLeases(),
    forges: new Collection(forge),
    goals: new Collection(goal, {
      root: (one) => (isOpenRoot(one) ? one.workUnitId : undefined),
      paused: (one) => whether(isOpenRoot(one) && one.status === 'Paused'),
      limited: (one) => whether(isOpenRoot(one) && isLimited(one)),
    }),
    hypotheses: new Collection(hypothesis, { parent: (one) => one.parentWorkUnitId }),
    intents: new Collection(intent, {
      workUnit: (intent) => intent.workUnitId,
      path: (intent) => intent.targetPath,
    }),
    knownGoods: new Collection(knownGood, { branch: ({ branchId }) => branchId }),
    memories: new Collection(memory, {
      repository: (one) => one.repositoryId,
      waiting: ({ status }) => whether(status === 'Proposed'),
    }),
    options: new Collection(options),
    orchestrationDecisions: new Collection(orchestrationDecision, {
      workUnit: (decision) => decision.workUnitId,
      givesUp: (decision) => whether(givesUp(decision)),
    }),
    privateArtifacts: new Collection(privateArtifact, { promotedFrom: (one) => one.promotedFromArtifactId }),
    projectionSnapshots: new Collection(projectionSnapshot, { workUnit: (one) => one.workUnitId }),
    proposals: new Collection(mergeProposal, {
      source: ({ sourceBranch }) => sourceBranch,
      landed: ({ appliedTo }) => appliedTo,
      workUnit: ({ workUnitId }) => workUnitId,
      session: ({ sessionId }) => sessionId,
      waiting: ({ status }) =>
        whether(status === 'ReadyForReview' || status === 'UnderReview' || status === 'Approved'),
    }),
    publishing: new Collection(publishing),
    reasoning: new Collection(reasoning, { workUnit: (one) => one.workUnitId }),
    repositories: new Repositories(),
    repositoryConflicts: new Collection(repositoryConflict, {
      repository: ({ repositoryId }) => repositoryId,
      mergeConflict: ({ mergeConflictId }) => mergeConflictId,
      waiting: ({ status }) => whether(status === 'Open'),
    }),
    scheduledItems: new Collection(scheduledItem, { place: (item) => item.place }),
    seenFiles: new Collection(seenFile),
    serverCalls: new Newest(serverCall, MOST_ANSWERS),
    sessions: new Collection(session, { root: (session) => session.rootWorkUnitId }),
    steeringDecisions: new Collection(steeringDecision, {
      workUnit: (decision) => decision.workUnitId,
      began: (decision) => decision.newWorkUnitId,
    }),
    tasks: new Collection(task, {
      workUnit: (task) => task.workUnitId,
      ranked: (task) => whether(isTaskOpen(task) && task.priority !== 0),
    }),
    tokens: new Collection(token),
    toolServers: new Collection(toolServer),
    trajectories: new Collection(trajectory),
    usages: new Usages(),
    webhooks: new Collection(webhook),
    workUnits: new Collection(workUnit, {
      parent: (unit) => unit.parentWorkUnitId,
      branch: (unit) => unit.branchId,
      needs: (unit) => unit.dependsOn,
      replaces: (unit) => unit.replacesWorkUnitId,
      relies: (unit) => whether(reliesOnOthers(unit)),
    }),
  };
}

/** Key of an index that only lists those of which something holds, so that they are found among all that have ever been. */
function whether(holds: boolean): 'yes' | undefined {
  return holds ? 'yes' : undefined;
}
