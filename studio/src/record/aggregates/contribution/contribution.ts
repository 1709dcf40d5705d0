/**
 * Contribution: the work on a goal as a forge sees it, from the issue that it began with to the request that it ends in. Its id is that of
 * the goal. What was heard is recorded in the change that follows from it, so nothing follows twice.
 */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const Issue = z.object({ number: z.number(), url: z.string(), title: z.string() });
const SeenCheck = z.object({ name: z.string(), state: z.enum(['pending', 'passed', 'failed']) });
/** Check of what was pushed, as the forge has shown it last. */
export type SeenCheck = Readonly<z.infer<typeof SeenCheck>>;
/** Most checks that are kept of a commit. */
const MOST_CHECKS = 300;
const MOST_NAME = 300;
const WORST_FIRST = ['failed', 'pending', 'passed'];

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ContributionBegun'),
    v: z.literal(1),
    goalId: z.string(),
    repositoryId: z.string(),
    /** Issue that it began with. */
    issue: Issue.optional(),
  }),
  /** Write-ahead: this commit is about to be there, under this branch. */
  z.object({
    type: z.literal('ContributionPushed'),
    v: z.literal(1),
    proposalId: z.string(),
    branch: z.string(),
    commit: z.string(),
  }),
  z.object({ type: z.literal('ContributionRequested'), v: z.literal(1), number: z.number(), url: z.string() }),
  z.object({
    type: z.literal('ContributionHeard'),
    v: z.literal(1),
    ids: z.array(z.string()),
    threads: z.array(z.string()),
  }),
  z.object({
    type: z.literal('ContributionChecked'),
    v: z.literal(1),
    commit: z.string(),
    checks: z.array(SeenCheck),
  }),
  z.object({ type: z.literal('ContributionAnswered'), v: z.literal(1), threads: z.array(z.string()) }),
  z.object({
    type: z.literal('ContributionEnded'),
    v: z.literal(1),
    outcome: z.enum(['merged', 'closed']),
    commit: z.string().optional(),
    by: z.string().optional(),
  }),
]);
type ContributionEvent = z.infer<typeof event>;
type Events = readonly ContributionEvent[];

export interface Contribution {
  readonly goalId: string;
  readonly repositoryId: string;
  readonly issue?: z.infer<typeof Issue> | undefined;
  readonly proposalId?: string;
  readonly branch?: string;
  /** Commits that were pushed, the last at the end. */
  readonly pushed: readonly string[];
  readonly number?: number;
  readonly url?: string;
  /** Ids of what was said there and has been dealt with. */
  readonly heard: readonly string[];
  /** Threads that wait for an answer of ours. */
  readonly threads: readonly string[];
  /** Checks of the commit that was pushed last, when they were looked at. */
  readonly checked?: { readonly commit: string; readonly checks: readonly SeenCheck[] };
  readonly outcome?: 'merged' | 'closed';
  readonly mergedAs?: string;
  readonly endedBy?: string;
  readonly begunAt: string;
}

export const contribution = aggregate<Contribution>()({
  name: 'contribution',
  room: 'workgroup',
  // The root of a goal's work has the goal's id.
  workUnitOf: ({ goalId }) => goalId,
  event,
  evolve(state, event: ContributionEvent, { at }): Contribution | undefined {
    if (event.type === 'ContributionBegun') {
      const { goalId, repositoryId, issue } = event;
      return state ?? { goalId, repositoryId, issue, pushed: [], heard: [], threads: [], begunAt: at };
    }
    if (!state) return undefined;
    switch (event.type) {
      case 'ContributionPushed': {
        const { proposalId, branch, commit } = event;
        return { ...state, proposalId, branch, pushed: [...state.pushed.filter((one) => one !== commit), commit] };
      }
      case 'ContributionRequested':
        return { ...state, number: event.number, url: event.url };
      case 'ContributionHeard':
        return {
          ...state,
          heard: [...new Set([...state.heard, ...event.ids])],
          threads: [...new Set([...state.threads, ...event.threads])],
        };
      case 'ContributionChecked':
        return { ...state, checked: { commit: event.commit, checks: event.checks } };
      case 'ContributionAnswered':
        return { ...state, threads: state.threads.filter((one) => !event.threads.includes(one)) };
      case 'ContributionEnded': {
        const { outcome, commit, by } = event;
        return {
          ...state,
          outcome,
          ...(commit === undefined ? {} : { mergedAs: commit }),
          ...(by === undefined ? {} : { endedBy: by }),
        };
      }
    }
  },
  decide: {
    begin: (state, given: Pick<Contribution, 'goalId' | 'repositoryId' | 'issue'>): Events =>
      state ? [] : [{ type: 'ContributionBegun', v: 1, ...given }],
    push(state, given: { readonly proposalId: string; readonly branch: string; readonly commit: string }): Events {
      const isSame = state?.pushed.at(-1) === given.commit && state.proposalId === given.proposalId;
      return isSame ? [] : [{ type: 'ContributionPushed', v: 1, ...given }];
    },
    request: (state, given: { readonly number: number; readonly url: string }): Events =>
      state?.number === given.number ? [] : [{ type: 'ContributionRequested', v: 1, ...given }],
    hear(state, { ids, threads }: { readonly ids: readonly string[]; readonly threads: readonly string[] }): Events {
      const fresh = ids.filter((id) => !state?.heard.includes(id));
      return fresh.length === 0 ? [] : [{ type: 'ContributionHeard', v: 1, ids: fresh, threads: [...threads] }];
    },
    /** The worst come first, so that a great many hide none of them. */
    check(state, { commit, checks }: { readonly commit: string; readonly checks: readonly SeenCheck[] }): Events {
      const kept = checks
        .map(({ name, state: is }) => ({ name: name.slice(0, MOST_NAME), state: is }))
        .sort((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state) || (a.name < b.name ? -1 : 1))
        .slice(0, MOST_CHECKS);
      const isSame = JSON.stringify(state?.checked) === JSON.stringify({ commit, checks: kept });
      return isSame ? [] : [{ type: 'ContributionChecked', v: 1, commit, checks: kept }];
    },
    answer: (_state, { threads }: { readonly threads: readonly string[] }): Events =>
      threads.length === 0 ? [] : [{ type: 'ContributionAnswered', v: 1, threads: [...threads] }],
    end(
      state,
      given: {
        readonly outcome: 'merged' | 'closed';
        readonly commit?: string | undefined;
        readonly by?: string | undefined;
      },
    ): Events {
      return state?.outcome === undefined ? [{ type: 'ContributionEnded', v: 1, ...given }] : [];
    },
  },
});
