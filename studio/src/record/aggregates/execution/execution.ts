/** Execution: one run of builds, tests and checks of a saved branch. The beginning and the end of its output are kept. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const STEP_KINDS = ['Build', 'Test', 'Lint'] as const;

const about = { v: z.literal(1), resultId: z.string() };

const step = z.object({
  kind: z.enum(STEP_KINDS),
  projectRoot: z.string(),
  buildSystem: z.string().optional(),
  command: z.string(),
  startedAt: z.string(),
  exitCode: z.number(),
  stdOut: z.string(),
  stdErr: z.string(),
  truncated: z.boolean(),
  /** Test counts. */
  counts: z.object({ totalTests: z.number(), passed: z.number(), failed: z.number(), skipped: z.number() }).optional(),
  /** Lint results. */
  lintResults: z
    .array(
      z.object({
        ruleId: z.string(),
        severity: z.enum(['error', 'warning']),
        file: z.string(),
        line: z.number().optional(),
        message: z.string(),
      }),
    )
    .optional(),
});
export type StepGiven = z.infer<typeof step>;

const started = z.object({
  type: z.literal('ExecutionStarted'),
  ...about,
  /** Version 1 did not name the host; there was one. */
  v: z.union([z.literal(1), z.literal(2)]),
  branchId: z.string(),
  repositoryId: z.string(),
  workUnitId: z.string().optional(),
  /** Commit of the branch. */
  commit: z.string(),
  /** Host that runs it. */
  hostId: z.string().optional(),
  /** Whether its caller said how, or where: then it proves nothing of the project as a whole. */
  asAsked: z.boolean().optional(),
  /** Whether an agent has named the command or its environment: its success proves nothing, since it may be one that cannot fail. */
  isOfAgent: z.boolean().optional(),
});
export type ExecutionGiven = Omit<z.infer<typeof started>, 'type' | 'v'>;

const event = z.discriminatedUnion('type', [
  started,
  /** Output since the last such event, or its end. */
  z.object({ type: z.literal('ExecutionOutputWritten'), ...about, text: z.string() }),
  z.object({ type: z.literal('ExecutionStepEnded'), ...about, step }),
  z.object({ type: z.literal('ExecutionEnded'), ...about }),
  /** The host ended during the run, or it could not go on. */
  z.object({ type: z.literal('ExecutionInterrupted'), ...about }),
]);
type Events = readonly z.infer<typeof event>[];

export interface Step extends StepGiven {
  readonly completedAt: string;
}

export interface Execution extends ExecutionGiven {
  readonly executedAt: string;
  readonly status: 'running' | 'ended' | 'interrupted';
  readonly steps: readonly Step[];
}

export const execution = aggregate<Execution>()({
  name: 'execution',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'ExecutionStarted') {
      const { type: _type, v: _v, ...given } = event;
      return { ...given, executedAt: at, status: 'running', steps: [] };
    }
    if (!state) return undefined;
    switch (event.type) {
      case 'ExecutionOutputWritten':
        return state;
      case 'ExecutionStepEnded':
        return { ...state, steps: [...state.steps, { ...event.step, completedAt: at }] };
      case 'ExecutionEnded':
        return { ...state, status: 'ended' };
      case 'ExecutionInterrupted':
        return { ...state, status: 'interrupted' };
    }
  },
  decide: {
    start(state, given: ExecutionGiven & { readonly hostId: string }): Events {
      if (state) throw new Error(`${given.resultId} has begun already`);
      return [{ type: 'ExecutionStarted', v: 2, ...given }];
    },
    write: (state, { text }: { readonly text: string }): Events =>
      state?.status === 'running' ? [{ type: 'ExecutionOutputWritten', v: 1, resultId: state.resultId, text }] : [],
    endStep: (state, { step }: { readonly step: StepGiven }): Events =>
      state?.status === 'running' ? [{ type: 'ExecutionStepEnded', v: 1, resultId: state.resultId, step }] : [],
    end: (state, _given: object): Events =>
      state?.status === 'running' ? [{ type: 'ExecutionEnded', v: 1, resultId: state.resultId }] : [],
    interrupt: (state, _given: object): Events =>
      state?.status === 'running' ? [{ type: 'ExecutionInterrupted', v: 1, resultId: state.resultId }] : [],
  },
});

/** Whether a step succeeded. A check that exits with 0 may still have warned. */
export function succeeded({ exitCode }: Pick<StepGiven, 'exitCode'>): boolean {
  return exitCode === 0;
}
