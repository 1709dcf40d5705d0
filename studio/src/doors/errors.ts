/**
 * The one funnel through which every failure leaves, over REST and over tools.
 *
 * A refusal shows its reason, its message and what to do; anything else is a defect of ours, is logged whole
 * under the request id, and shows nothing but that id.
 */
import { Rejection } from '@weft/core';
import type { StudioLog } from '../log.js';
import { isStudioReason, reasonRow } from '../reasons.js';
import type { StudioReason } from '../reasons.js';
import { CONTRACT_VERSION } from '../version.js';

export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 500 | 503;

export const STATUS_OF: Readonly<Record<StudioReason, ErrorStatus>> = {
  'reject.invalid_input': 400,
  'reject.unauthenticated': 401,
  'reject.scope_missing': 403,
  'reject.host_not_allowed': 403,
  'reject.origin_not_allowed': 403,
  'reject.route_not_found': 404,
  'reject.not_json': 415,
  'reject.body_too_large': 413,
  'reject.stopping': 503,
  'reject.event_not_understood': 422,
  'reject.repository_not_found': 404,
  'reject.repository_path_unusable': 400,
  'reject.repository_registered_elsewhere': 409,
  'reject.repository_folder_missing': 422,
  'reject.path_outside_repository': 400,
  'reject.git_failed': 422,
};

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
  if (!(error instanceof Rejection)) {
    log({ level: 'error', message: 'a request failed for an unexpected reason', requestId, error });
    const message = 'the host failed unexpectedly; its log has the cause under this request id';
    return { status: 500, message, code: 'internal', retryable: false, requestId };
  }
  const details = error.data === undefined ? {} : { details: error.data };
  // A reason of the engine itself: the request was understood and could not be completed.
  if (!isStudioReason(error.reason)) {
    return { status: 422, message: error.message, code: error.reason, ...details, retryable: false, requestId };
  }
  const { recovery, retryable = false } = reasonRow(error.reason);
  const status = STATUS_OF[error.reason];
  return { status, message: error.message, code: error.reason, ...details, retryable, recovery, requestId };
}

export function restError({ status: _status, message, ...rest }: Failure): object {
  return { error: message, ...rest };
}

export function toolError(tool: string, { status: _status, message, code, ...rest }: Failure): object {
  return { contractVersion: CONTRACT_VERSION, tool, status: 'error', message, code, ...rest };
}
