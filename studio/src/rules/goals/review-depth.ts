/**
 * Review depth: how many agents look at a proposal, by its paths, its size and its evidence. A pure function of the record, which says with
 * each review why it was so deep. A person's review does not depend on it.
 */
import { type Execution, succeeded } from '../../record/aggregates/execution/execution.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';

export interface ReviewDepth {
  /** Agents that look at it, one after the other, each without the other's words. With none, its tests speak for it. */
  readonly agents: 0 | 1 | 2;
  readonly because: string;
}

type Offered = Pick<Proposal, 'filesTouched' | 'linesChanged' | 'lostTests'>;

/** Most that a part may change without any agent's look at it alone. */
const SMALL = { files: 5, lines: 200 };
/** Most that one look can take in. */
const LARGE = { files: 20, lines: 1000 };
/** Paths of a kind that are named in a reason. */
const MOST_NAMED = 3;

/** Paths at which a mistake costs more than elsewhere. */
const DELICATE: readonly (readonly [RegExp, string])[] = [
  [
    /^\.github\/|^\.gitlab-ci|^\.circleci\/|^\.husky\/|^\.git(?:hooks|attributes|modules)|(?:^|\/)jenkinsfile$/i,
    'what checks every change',
  ],
  [
    /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|go\.(?:mod|sum)|cargo\.(?:toml|lock)|requirements[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|gemfile(?:\.lock)?|pom\.xml|build\.gradle(?:\.kts)?|composer\.(?:json|lock))$/i,
    'dependencies',
  ],
  [/(?:^|\/)migrations?\/|\.(?:sql|proto|avsc)$/i, 'stored or sent formats'],
  [
    /(?:^|[/._-])(?:auth(?:n|z|enticat\w*|ori[sz]\w*)?|login|passwords?|secrets?|crypto\w*|permissions?|payments?|billing)(?:[/._-]|$)/i,
    'who may do what',
  ],
  [/(?:^|\/)(?:dockerfile|[\w.-]*compose\.ya?ml)$|\.tf$|(?:^|\/)(?:deploy|k8s|helm)\//i, 'how it is deployed'],
];

/** Depth for a proposal of a unit where agents decide. */
export function reviewDepthOf(records: Records, unit: WorkUnit, proposal: Proposal): ReviewDepth {
  const dangers = dangersOf(proposal);
  const isWhole = unit.parentWorkUnitId === undefined;
  if (dangers.length > 0)
    return isWhole
      ? { agents: 2, because: `two agents look at it, since ${dangers.join('; ')}` }
      : { agents: 1, because: `an agent looks at it, since ${dangers.join('; ')}` };
  if (isWhole) return { agents: 1, because: 'one agent looks at it: it is no larger than one look takes in' };
  if (proposal.reconciledFrom.length > 0)
    return { agents: 1, because: 'an agent looks at it, since it brings several changes together' };
  if (!isWithin(proposal, SMALL)) return { agents: 1, because: `an agent looks at it: it changes ${sizeOf(proposal)}` };
  const tests = testsOf(records, proposal);
  if (!tests) return { agents: 1, because: 'an agent looks at it: no test that the host has run shows that it works' };
  const because = `no agent looks at it alone: it changes ${sizeOf(proposal)}, its tests have passed (${tests.resultId}), and what it becomes a part of is looked at`;
  return { agents: 0, because };
}

/** Whether as many agents have approved it as are to look at it. */
export function isLookedAt(records: Records, proposal: Proposal): boolean {
  const unit = records.workUnits.get(proposal.workUnitId ?? '');
  const { approvals = 0 } = proposal;
  return unit === undefined || approvals >= reviewDepthOf(records, unit, proposal).agents;
}

/** What is dangerous about a change, for whoever reviews it. */
export function dangersOf(proposal: Offered): string[] {
  const { filesTouched, lostTests = [] } = proposal;
  const delicate = DELICATE.flatMap(([kind, what]) => {
    const paths = filesTouched.filter((path) => kind.test(path));
    if (paths.length === 0) return [];
    return `it changes ${what} (${paths.slice(0, MOST_NAMED).join(', ')}${paths.length > MOST_NAMED ? ', …' : ''})`;
  });
  return [
    ...(lostTests.length > 0 ? ['it takes something away from the tests'] : []),
    ...delicate,
    ...(isWithin(proposal, LARGE) ? [] : [`it changes ${sizeOf(proposal)}`]),
  ];
}

function isWithin({ filesTouched, linesChanged = 0 }: Offered, most: typeof SMALL): boolean {
  return filesTouched.length <= most.files && linesChanged <= most.lines;
}

function sizeOf({ filesTouched: { length: files }, linesChanged: lines }: Offered): string {
  const inFiles = `${files} ${files === 1 ? 'file' : 'files'}`;
  return lines === undefined ? inFiles : `${lines} ${lines === 1 ? 'line' : 'lines'} in ${inFiles}`;
}

/** Tests of this very commit, as the repository runs them, when all have passed and there are any. */
function testsOf(records: Records, { sourceBranch, headCommit }: Proposal): Execution | undefined {
  const ran = records.executions
    .where('branch', sourceBranch)
    .filter(({ status, commit, asAsked }) => status === 'ended' && commit === headCommit && asAsked !== true)
    .findLast(({ steps }) => steps.some(({ kind }) => kind === 'Test'));
  const isGreen = ran?.steps.every(succeeded) === true;
  return isGreen && ran.steps.some(({ counts }) => (counts?.passed ?? 0) > 0) ? ran : undefined;
}
