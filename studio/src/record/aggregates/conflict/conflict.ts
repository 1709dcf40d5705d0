/** Merge conflict: a proposal that cannot land because others have changed the same, in a goal's own branch or on the candidate. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

const CONFLICT_KINDS = ['task', 'candidate'] as const;
export type ConflictKind = (typeof CONFLICT_KINDS)[number];
export const CONFLICT_STATUSES = ['Open', 'Reconciling', 'Resolved'] as const;

const about = { v: z.literal(1), conflictId: z.string() };

const BroughtIn = z.object({ target: z.string(), commit: z.string() });
type BroughtIn = z.infer<typeof BroughtIn>;

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('MergeConflictDetected'),
    ...about,
    kind: z.enum(CONFLICT_KINDS),
    proposalId: z.string(),
    repositoryId: z.string(),
    targetBranch: z.string(),
    workUnitId: z.string().optional(),
    parentWorkUnitId: z.string().optional(),
    winningProposalId: z.string().optional(),
    conflictingPaths: z.array(z.string()),
  }),
  z.object({
    type: z.literal('ConflictReconciling'),
    ...about,
    workUnitId: z.string(),
    /** Commit of the target, and the commit of the unit's own branch that it was merged as. Absent for work that begins with both. */
    broughtIn: BroughtIn.optional(),
  }),
  z.object({ type: z.literal('ConflictReopened'), ...about }),
  z.object({ type: z.literal('ConflictResolved'), ...about, proposalId: z.string() }),
]);
type ConflictEvent = z.infer<typeof event>;
type Events = readonly ConflictEvent[];
type Given = Omit<Extract<ConflictEvent, { type: 'MergeConflictDetected' }>, 'type' | 'v'>;

export interface Conflict extends Given {
  readonly status: (typeof CONFLICT_STATUSES)[number];
  readonly detectedAt: string;
  /** Work unit that resolves the conflict. */
  readonly reconcilingWorkUnitId?: string;
  readonly broughtIn?: BroughtIn;
  readonly resolvedBy?: string;
}

export const conflict = aggregate<Conflict>()({
  name: 'conflict',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event: ConflictEvent, { at }): Conflict | undefined {
    if (event.type === 'MergeConflictDetected') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, status: 'Open', detectedAt: at };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ConflictReconciling':
        return reconciling(state, event);
      case 'ConflictReopened':
        return { ...state, status: 'Open' };
      case 'ConflictResolved':
        return { ...state, status: 'Resolved', resolvedBy: event.proposalId };
    }
  },
  decide: {
    detect(state, given: Given): Events {
      return state ? [] : [{ type: 'MergeConflictDetected', v: 1, ...given }];
    },

    /** Starts a reconciliation; one that failed may be started again. */
    reconcile(
      state,
      { workUnitId, broughtIn }: { readonly workUnitId: string; readonly broughtIn?: BroughtIn },
    ): Events {
      const { conflictId, status } = unresolved(state);
      const again: Events = status === 'Reconciling' ? [{ type: 'ConflictReopened', v: 1, conflictId }] : [];
      const both = broughtIn && { broughtIn };
      return [...again, { type: 'ConflictReconciling', v: 1, conflictId, workUnitId, ...both }];
    },

    /** Nobody is at it any more. */
    reopen(state): Events {
      const { conflictId, status } = unresolved(state);
      return status === 'Reconciling' ? [{ type: 'ConflictReopened', v: 1, conflictId }] : [];
    },

    resolve(state, { proposalId }: { readonly proposalId: string }): Events {
      return [{ type: 'ConflictResolved', v: 1, conflictId: unresolved(state).conflictId, proposalId }];
    },
  },
});

function unresolved(state: Conflict | undefined): Conflict {
  if (!state) throw refusal('reject.conflict_not_found', 'no conflict has this id');
  if (state.status !== 'Resolved') return state;
  const { conflictId, status } = state;
  throw refusal('reject.wrong_state', `conflict ${conflictId} is resolved`, { conflictId, status });
}

function reconciling(
  { broughtIn: _before, ...rest }: Conflict,
  { workUnitId, broughtIn }: Extract<ConflictEvent, { type: 'ConflictReconciling' }>,
): Conflict {
  return { ...rest, status: 'Reconciling', reconcilingWorkUnitId: workUnitId, ...(broughtIn && { broughtIn }) };
}
