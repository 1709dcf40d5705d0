import { describe, expect, it } from 'vitest';
import { contribution } from '../../record/aggregates/contribution/contribution.js';
import { forge } from '../../record/aggregates/forge/forge.js';
import { recordProposal } from '../../testing/work/proposal.js';
import { recording } from '../../testing/record/recording.js';
import { requireLandable } from '../branches/user-law.js';
import { approve } from '../proposals/review.js';
import { closedGate } from './required-checks.js';

const [FIRST, SECOND] = ['a'.repeat(40), 'b'.repeat(40)] as const;
type State = 'pending' | 'passed' | 'failed';

/** A proposal that people have approved, of a repository whose connection requires checks. */
function offered(requiredChecks: string[] | undefined, more: Parameters<typeof recordProposal>[2] = {}) {
  const { records, change } = recording();
  const settings = {
    kind: 'github' as const,
    api: 'https://api.github.com',
    project: 'o/r',
    tokenRef: 't',
    mention: '@weft',
    remote: 'origin',
    base: 'main',
    publishes: true,
    hostId: 'host-1',
    ...(requiredChecks && { requiredChecks }),
  };
  change((open) => recordProposal(open, 'MP-1', more));
  change((open) => approve(open, 'MP-1', { by: 'ann', automated: false, consideredArtifactIds: [] }));
  change((open) => open.run(forge, 'repo-1', 'connect', { repositoryId: 'repo-1', settings }));
  change((open) =>
    open.run(contribution, 'wu-1', 'begin', { goalId: 'wu-1', repositoryId: 'repo-1', issue: undefined }),
  );
  const push = (commit: string): void => {
    change((open) => open.run(contribution, 'wu-1', 'push', { proposalId: 'MP-1', branch: 'weft/wu-1', commit }));
  };
  const show = (commit: string, all: Readonly<Record<string, State>>): void => {
    const checks = Object.entries(all).map(([name, state]) => ({ name: name.trim(), state }));
    change((open) => open.run(contribution, 'wu-1', 'check', { commit, checks }));
  };
  const close = (): void => change((open) => void open.run(contribution, 'wu-1', 'end', { outcome: 'closed' }));
  const why = (): string | undefined => closedGate(records, records.proposals.get('MP-1')!)?.because;
  return { records, push, show, close, why };
}

describe('the gate of required checks', () => {
  it('opens when each is green for the very commit that was pushed last', () => {
    const { push, show, why } = offered(['lint', 'test']);
    expect(why()).toBe('it has no request there yet');
    push(FIRST);
    expect(why()).toBe('lint has not begun, test has not begun');
    show(FIRST, { lint: 'passed', test: 'pending', other: 'failed' });
    expect(why()).toBe('test is under way');
    show(FIRST, { lint: 'passed', test: 'failed' });
    expect(why()).toBe('test fails');
    show(FIRST, { lint: 'passed', test: 'passed' });
    expect(why()).toBeUndefined();
    push(SECOND);
    expect(why()).toBe('lint has not begun, test has not begun');
    show(SECOND, { lint: 'passed', test: 'passed' });
    expect(why()).toBeUndefined();
  });

  it('says when nothing more is to be waited for, since the request was closed', () => {
    const { push, show, why, close } = offered(['test']);
    push(FIRST);
    show(FIRST, { test: 'pending' });
    close();
    expect(why()).toBe('test is under way; its request was closed');
  });

  it('asks each of several checks of one name', () => {
    const { push, show, why } = offered(['test']);
    push(FIRST);
    show(FIRST, { test: 'passed', 'test ': 'failed' });
    expect(why()).toBe('test fails');
  });

  it('may ask whatever checks there are, of which there has to be one', () => {
    const { push, show, why } = offered(['*']);
    push(FIRST);
    expect(why()).toBe('no check has begun');
    show(FIRST, { lint: 'passed', test: 'pending' });
    expect(why()).toBe('test is under way');
    // A great many that are green hide none that is not.
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`check ${at}`, 'passed' as const]));
    show(FIRST, { ...many, zuletzt: 'failed' });
    expect(why()).toBe('zuletzt fails');
    show(FIRST, many);
    expect(why()).toBeUndefined();
  });

  it('is part of the law of the user’s branches, also on a person’s word', () => {
    const { records, push, show } = offered(['test']);
    const land = () =>
      requireLandable({ records, now: () => '2026-01-01T00:00:00.000Z' }, records.proposals.get('MP-1')!, 'main');
    push(FIRST);
    show(FIRST, { test: 'failed' });
    expect(land).toThrow('MP-1 waits for the checks of its forge: test fails');
    show(FIRST, { test: 'passed' });
    expect(land).not.toThrow();
  });

  it('is not asked for what stays on a branch of the work, nor where nothing is required', () => {
    expect(offered(['test'], { targetBranch: 'work-0' }).why()).toBeUndefined();
    expect(offered(undefined).why()).toBeUndefined();
    expect(offered(['test'], { targetBranch: 'candidate' }).why()).toBe('it has no request there yet');
  });
});
