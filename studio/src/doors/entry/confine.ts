/** Confinement of agents: a change may name the agent's own work unit, branch and proposals, and nothing of others. */
import type { OperationParts } from '../../operations/kernel/context.js';
import type { NamedOperation } from '../../operations/kernel/define.js';

type Input = Readonly<Record<string, unknown>>;

/** Branches that every repository has. */
const RESERVED: ReadonlySet<string> = new Set(['main', 'candidate']);

/** Defaults for an agent's input: the unit that it works on, the proposal that it reviews. */
export function about(
  { records }: Pick<OperationParts, 'records'>,
  { in: { shape } }: NamedOperation,
  input: Input,
  workUnitId: string,
): Input {
  const { proposalId } = records.proposals.where('workUnit', workUnitId).at(-1) ?? {};
  return {
    ...('workUnitId' in shape ? { workUnitId } : {}),
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
  const isMine: Readonly<Record<string, (id: string) => boolean>> = {
    workUnitId: (id) => id === workUnitId,
    parentWorkUnitId: (id) => id === workUnitId,
    // Models mistype branches. Where the unit already says which branch is meant, only the name of another existing branch
    // counts as a breach.
    branchId: (id) => id === unit?.branchId || ('workUnitId' in shape && !isBranch(records, id)),
    proposalId: (id) => records.proposals.get(id)?.workUnitId === workUnitId,
    taskId: (id) => records.tasks.get(id)?.workUnitId === workUnitId,
    artifactId: (id) => records.artifacts.get(id)?.ownedByWorkUnitId === workUnitId,
  };
  for (const [field, check] of Object.entries(isMine)) {
    const named = input[field];
    if (typeof named === 'string' && !check(named)) return `${field} ${named}`;
  }
  return undefined;
}

function isBranch({ branches, workUnits, options }: OperationParts['records'], branchId: string): boolean {
  return (
    RESERVED.has(branchId) ||
    options.all().some(({ candidateBranchId }) => candidateBranchId === branchId) ||
    branches.get(branchId) !== undefined ||
    workUnits.where('branch', branchId).length > 0
  );
}
