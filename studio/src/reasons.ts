/**
 * Every way in which the studio says no.
 *
 * One row per reason: what it means and what the caller can do about it. The documentation, the OpenAPI
 * document and the doors loop over this table; the HTTP status of each reason is known to the doors alone.
 */
import { Rejection } from '@weft/core';

interface ReasonRow {
  readonly meaning: string;
  readonly recovery: readonly string[];
  /** True when the very same call may succeed later. */
  readonly retryable?: true;
}

export const STUDIO_REASONS = {
  'reject.invalid_input': {
    meaning: 'A field is missing, unknown, or of the wrong type.',
    recovery: ['Correct the fields listed in details and call again.'],
  },
  'reject.unauthenticated': {
    meaning: 'The request carries no bearer token, or one that this host did not issue.',
    recovery: ['Send "Authorization: Bearer <token>" with a token from studio.tokens.json.'],
  },
  'reject.scope_missing': {
    meaning: 'The token is valid but its scope does not reach this operation.',
    recovery: ['Use a token of the scope named in the message.'],
  },
  'reject.host_not_allowed': {
    meaning: 'The Host header names a host that this server does not answer for.',
    recovery: ['Use the address that the studio printed at start, or allow the host name when starting it.'],
  },
  'reject.origin_not_allowed': {
    meaning: 'The request comes from a web page of another origin.',
    recovery: ['Call from a program, or from a page served by the studio itself.'],
  },
  'reject.route_not_found': {
    meaning: 'No operation answers this method and path.',
    recovery: ['See /studio/openapi.json for every route.'],
  },
  'reject.not_json': {
    meaning: 'The body is not declared as application/json.',
    recovery: ['Send "Content-Type: application/json".'],
  },
  'reject.body_too_large': {
    meaning: 'The body is larger than 10 MiB.',
    recovery: ['Send less in one request.'],
  },
  'reject.stopping': {
    meaning: 'The host is shutting down.',
    recovery: ['Try again when the host is back.'],
    retryable: true,
  },
  'reject.event_not_understood': {
    meaning: 'The stream holds an event that this version of the studio cannot read.',
    recovery: ['Update this host to the version that the other hosts run.'],
  },
  'reject.repository_not_found': {
    meaning: 'No repository with this id is registered.',
    recovery: ['List the repositories, or register this one.'],
  },
  'reject.repository_path_unusable': {
    meaning: 'The path cannot be registered as a repository.',
    recovery: ['Name the absolute path of a git repository, of an empty folder, or of a folder still to be made.'],
  },
  'reject.repository_registered_elsewhere': {
    meaning: 'The same repository is registered at another path that still holds it.',
    recovery: ['Work at the path named in details, or move that folder away and register again.'],
  },
  'reject.repository_folder_missing': {
    meaning: 'The registered path no longer holds this repository.',
    recovery: ['Put the folder back, or register the repository at its new path.'],
  },
  'reject.path_outside_repository': {
    meaning: 'The path leads out of the repository.',
    recovery: ['Give a path relative to the root of the repository, without "..".'],
  },
  'reject.git_failed': {
    meaning: 'git could not complete.',
    recovery: ['Read what git said in details, and repair the repository.'],
  },
} as const satisfies Record<string, ReasonRow>;

export type StudioReason = keyof typeof STUDIO_REASONS;

export function isStudioReason(reason: string): reason is StudioReason {
  return Object.hasOwn(STUDIO_REASONS, reason);
}

export function reasonRow(reason: StudioReason): ReasonRow {
  return STUDIO_REASONS[reason];
}

/** Makes the refusal; the caller throws it, so that control flow stays visible where it happens. */
export function refusal(reason: StudioReason, message: string, details?: unknown): Rejection {
  return new Rejection(reason, message, details === undefined ? {} : { data: details });
}
