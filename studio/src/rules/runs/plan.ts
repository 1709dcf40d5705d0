/** Execution plan: which commands run, in what order. Pure. */
import type { STEP_KINDS } from '../../record/aggregates/execution/execution.js';
import type { ProjectRoot } from '../../workspace/programs/profile.js';
import type { Setup } from '../../workspace/programs/stacks.js';

export type StepKind = (typeof STEP_KINDS)[number];

export interface Ordered {
  /** Steps to run: a command, or `true` for the detected one. */
  readonly build?: string | boolean | undefined;
  readonly test?: string | boolean | undefined;
  readonly lint?: string | boolean | undefined;
  /** Project root to limit it to. A given command runs there; otherwise in the folder itself. */
  readonly rootPath?: string | undefined;
}

export interface PlannedStep {
  readonly kind: StepKind;
  readonly projectRoot: string;
  readonly buildSystem?: string;
  readonly command: string;
  readonly setup?: Setup;
}

/** Whether it is what the host would run by itself: nobody has said how, or where. */
export function isUsual(
  { build, test, lint, rootPath }: Ordered,
  { buildCommand, testCommand }: { readonly buildCommand: string | null; readonly testCommand: string | null },
): boolean {
  const isOwn = (how: Ordered['build'], usual: string | null): boolean => typeof how !== 'string' || how === usual;
  return isOwn(build, buildCommand) && isOwn(test, testCommand) && isOwn(lint, null) && rootPath === undefined;
}

const KINDS = [
  ['Build', 'build', 'buildCommand'],
  ['Test', 'test', 'testCommand'],
  ['Lint', 'lint', 'lintCommand'],
] as const;

/** Steps grouped by project, so that a failure is next to its cause. */
export function planOf(roots: readonly ProjectRoot[], { rootPath, ...ordered }: Ordered): PlannedStep[] {
  const wanted = rootPath === undefined ? undefined : normal(rootPath);
  const steps: PlannedStep[] = [];
  for (const root of roots.filter(({ relativePath }) => wanted === undefined || relativePath === wanted)) {
    for (const [kind, name, field] of KINDS) {
      const command = root[field];
      if (ordered[name] === true && command !== undefined) steps.push(stepOf(kind, command, root));
    }
  }
  const folder = wanted ?? '.';
  const here = roots.find(({ relativePath }) => relativePath === folder);
  const given = KINDS.flatMap(([kind, name]) => {
    const command = ordered[name];
    return typeof command === 'string' ? stepOf(kind, command, here ?? { relativePath: folder }) : [];
  });
  const order = (step: PlannedStep): number => KINDS.findIndex(([kind]) => kind === step.kind);
  // Given commands are sorted among the detected ones.
  return [...given, ...steps].sort((a, b) => (a.projectRoot === b.projectRoot ? order(a) - order(b) : 0));
}

function stepOf(
  kind: StepKind,
  command: string,
  { relativePath, stack, setup }: Pick<ProjectRoot, 'relativePath'> & Partial<ProjectRoot>,
): PlannedStep {
  return {
    kind,
    projectRoot: relativePath,
    command,
    ...(stack === undefined ? {} : { buildSystem: stack }),
    ...(setup === undefined ? {} : { setup }),
  };
}

function normal(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.length === 0 ? '.' : names.join('/');
}
