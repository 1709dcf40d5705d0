import { type Notice, Rejection } from '@weft/core';
import { describe, expect, it } from 'vitest';
import { refusal, STUDIO_REASONS } from '../../reasons.js';
import type { StudioReason } from '../../reasons.js';
import { failureOf, restError, statusOf, toolError } from './errors.js';

function failure(error: unknown) {
  const log: Notice[] = [];
  return { log, failure: failureOf(error, 'req-1', (entry) => log.push(entry)) };
}

describe('the error funnel', () => {
  it('shows a refusal with its code, its details and what to do', () => {
    const { failure: shown, log } = failure(refusal('reject.git_failed', 'git failed', { said: 'no' }));
    const rest = {
      code: 'reject.git_failed',
      details: { said: 'no' },
      retryable: false,
      recovery: [...STUDIO_REASONS['reject.git_failed'].recovery],
      requestId: 'req-1',
    };
    expect(shown.status).toBe(422);
    expect(restError(shown)).toEqual({ error: 'git failed', ...rest });
    expect(toolError('svc_v1_x', shown)).toEqual({
      contractVersion: 'v1',
      tool: 'svc_v1_x',
      status: 'error',
      message: 'git failed',
      ...rest,
    });
    expect(log).toEqual([]);
  });

  it('shows nothing of a defect but the request id, and logs it whole', () => {
    const error = new Error('password=hunter2');
    const { failure: shown, log } = failure(error);
    expect(shown).toMatchObject({ status: 500, code: 'internal', requestId: 'req-1', retryable: false });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(log).toEqual([expect.objectContaining({ level: 'error', about: { requestId: 'req-1' }, error })]);
  });

  it('passes a refusal of the engine on', () => {
    const { failure: shown } = failure(new Rejection('invalid-value', 'too large'));
    expect(shown).toMatchObject({ status: 422, code: 'invalid-value', message: 'too large' });
  });

  it('says that a call may succeed later exactly where it may', () => {
    expect(failure(refusal('reject.stopping', 'stopping')).failure).toMatchObject({ status: 503, retryable: true });
  });

  it('knows a status for every reason, and tells every caller what to do', () => {
    for (const [reason, { recovery, meaning }] of Object.entries(STUDIO_REASONS)) {
      expect(statusOf(reason as StudioReason), reason).toBeGreaterThanOrEqual(400);
      expect(recovery.length, reason).toBeGreaterThan(0);
      expect(meaning, reason).toMatch(/\.$/);
    }
  });
});
