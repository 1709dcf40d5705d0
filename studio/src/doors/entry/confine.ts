/** Confinement of agents: a change may name the agent's own work unit, branch and proposals, and nothing of others. */
import type { OperationParts } from '../../operations/kernel/context.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { isMergeBranch, isOwnTarget } from '../../operations/proposals/own-targets.js';

type Input = Readonly<Record<string, unknown>>;

type Records = OperationParts['records'];

/** Branches that every repository has. */
const RESERVED: ReadonlySet<string> = new Set(['main', 'candidate']);

/** Defaults for an agent's input: the unit that it works on, the proposal that it reviews. */
export function withOwnWork(
  { records }: Pick<OperationParts, 'records'>,
  { hints, in: { shape } }: NamedOperation,
  input: Input,
  workUnitId: string,
): Input {
  const { proposalId } = records.proposals.where('workUnit', workUnitId).at(-1) ?? {};
  return {
    ...('workUnitId' in shape ? { workUnitId } : {}),
    // What it has others do is a part of its work.
    ...('parentWorkUnitId' in shape && !hints.readOnly ? { parentWorkUnitId: workUnitId } : {}),
    ...('proposalId' in shape && proposalId !== undefined ? { proposalId } : {}),
    ...input,
  };
}

/** First thing named in the input that belongs to others; undefined when there is none, and for operations that only read. */
export function strangeIn(
  { records }: Pick<OperationParts, 'records'>,
  { hints, in: { shape } }: NamedOperation,
  input: Input,
  workUnitId: string,
): string | undefined {
  if (hints.readOnly) return undefined;
  const unit = records.workUnits.get(workUnitId);
  // What a person has recorded, a rule for one, is not an agent's to take back.
  const isOwnArtifact = (id: string): boolean => {
    const { ownedByWorkUnitId, ownedByAgentId } = records.artifacts.get(id) ?? {};
    return ownedByWorkUnitId === workUnitId && ownedByAgentId !== undefined;
  };
  // A name that no agent has is a mistake for the operation to refuse, and no breach.
  const isColleague = (id: string): boolean => (records.agents.get(id)?.workUnitId ?? workUnitId) === workUnitId;
  const isMine: Readonly<Record<string, (id: string) => boolean>> = {
    workUnitId: (id) => id === workUnitId,
    parentWorkUnitId: (id) => id === workUnitId,
    // Models mistype branches. Where the unit already says which branch is meant, only the name of another existing branch
    // counts as a breach.
    branchId: (id) => id === unit?.branchId || ('workUnitId' in shape && !isBranch(records, id)),
    targetBranch: (id) => isTarget(records, workUnitId, id),
    proposalId: (id) => records.proposals.get(id)?.workUnitId === workUnitId,
    taskId: (id) => records.tasks.get(id)?.workUnitId === workUnitId,
    artifactId: isOwnArtifact,
    supersedes: isOwnArtifact,
    agentId: isColleague,
    assignedAgent: isColleague,
    reviewerAgentId: isColleague,
    requestedByAgentId: isColleague,
  };
  for (const [field, check] of Object.entries(isMine)) {
    const strange = [input[field]].flat().find((named) => typeof named === 'string' && !check(named));
    if (strange !== undefined) return `${field} ${String(strange)}`;
  }
  return undefined;
}

function isTarget(records: Records, workUnitId: string, branchId: string): boolean {
  if (isOfEveryRepository(records, branchId) || !isBranch(records, branchId)) return true;
  return isOwnTarget(records, workUnitId, branchId);
}

function isOfEveryRepository({ options }: Records, branchId: string): boolean {
  return RESERVED.has(branchId) || options.all().some(({ candidateBranchId }) => candidateBranchId === branchId);
}

function isBranch(records: Records, branchId: string): boolean {
  const { branches, workUnits } = records;
  return (
    isOfEveryRepository(records, branchId) ||
    isMergeBranch(records, branchId) ||
    branches.get(branchId) !== undefined ||
    workUnits.where('branch', branchId).length > 0
  );
}
