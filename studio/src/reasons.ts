/**
 * Every way in which the studio says no, by subject.
 *
 * The documentation, the OpenAPI document and the doors loop over this table.
 */
import { Rejection } from '@weft/core';
import { branchReasons } from './reasons/branches.js';
import { generalReasons } from './reasons/general.js';
import type { ReasonRow } from './reasons/reason-row.js';
import { repositoryReasons } from './reasons/repositories.js';
import { workReasons } from './reasons/work.js';

export const STUDIO_REASONS = { ...branchReasons, ...generalReasons, ...repositoryReasons, ...workReasons } as const;

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
