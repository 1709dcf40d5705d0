/**
 * The one funnel through which every failure leaves, over REST and over tools.
 *
 * A refusal shows its reason, its message and what to do. A failure of the store becomes one, and is logged whole for who runs
 * the host. Anything else is a defect of ours, is logged whole under the request id, and shows nothing but that id.
 */
import { Rejection } from '@weft/core';
import type { StudioLog } from '../../log.js';
import { isStudioReason, reasonRow } from '../../reasons.js';
import type { ReasonKind } from '../../reasons/reason-row.js';
import type { StudioReason } from '../../reasons.js';
import { CONTRACT_VERSION } from '../../version.js';
import { storeFailure } from './store-failure.js';

export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503 | 507;

const STATUS: Readonly<Record<ReasonKind, ErrorStatus>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  gone: 410,
  stale: 412,
  'too-large': 413,
  'not-json': 415,
  impossible: 422,
  limited: 429,
  stopping: 503,
  failing: 503,
  full: 507,
};

export function statusOf(reason: StudioReason): ErrorStatus {
  return STATUS[reasonRow(reason).kind];
}

/** Reasons that a door may give for any operation, which is why no declaration lists them. */
export const GENERAL_REASONS = [
  'reject.invalid_input',
  'reject.unauthenticated',
  'reject.scope_missing',
  'reject.host_not_allowed',
  'reject.origin_not_allowed',
  'reject.not_json',
  'reject.body_too_large',
  'reject.stopping',
  'reject.disk_full',
  'reject.store_failed',
  'reject.human_only',
  'reject.rate_limited',
  'reject.busy',
  'reject.idempotency_key_reused',
  'reject.changed_meanwhile',
  'reject.event_not_understood',
] as const satisfies readonly StudioReason[];

export interface Failure {
  readonly status: ErrorStatus;
  readonly message: string;
  readonly code: string;
  readonly details?: unknown;
  readonly retryable: boolean;
  readonly recovery?: readonly string[];
  readonly requestId: string;
}

export function failureOf(error: unknown, requestId: string, log: StudioLog): Failure {
  const ofStore = storeFailure(error);
  if (ofStore) {
    log({ level: 'error', message: 'a request failed with the store', about: { requestId }, error });
    return failureOf(ofStore, requestId, log);
  }
  if (!(error instanceof Rejection)) {
    log({ level: 'error', message: 'a request failed for an unexpected reason', about: { requestId }, error });
    const message = 'the host failed unexpectedly; its log has the cause under this request id';
    return { status: 500, message, code: 'internal', retryable: false, requestId };
  }
  const details = error.data === undefined ? {} : { details: error.data };
  // A reason of the engine itself: the request was understood and could not be completed.
  if (!isStudioReason(error.reason)) {
    return { status: 422, message: error.message, code: error.reason, ...details, retryable: false, requestId };
  }
  const { recovery, retryable = false } = reasonRow(error.reason);
  const status = statusOf(error.reason);
  return { status, message: error.message, code: error.reason, ...details, retryable, recovery, requestId };
}

export function restError({ status: _status, message, ...rest }: Failure): object {
  return { error: message, ...rest };
}

export function toolError(tool: string, { status: _status, message, code, ...rest }: Failure): object {
  return { contractVersion: CONTRACT_VERSION, tool, status: 'error', message, code, ...rest };
}

/** Refusal as a model reads it: what is wrong, and what to do. */
export function inWords({ message, recovery = [], code }: Failure): string {
  return [`Refused: ${message}`, ...recovery, `(${code})`].join('\n');
}
