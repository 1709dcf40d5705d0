/**
 * Catalogue of refusals: every way in which the studio says no, by subject.
 *
 * The documentation, the OpenAPI document and the doors loop over this table.
 */
import { Rejection } from '@weft/core';
import { branchReasons } from './reasons/branches.js';
import { eventReasons } from './reasons/events.js';
import { executionReasons } from './reasons/execution.js';
import { forgeReasons } from './reasons/forges.js';
import { generalReasons } from './reasons/general.js';
import { joined } from './reasons/joined.js';
import { knowledgeReasons } from './reasons/knowledge.js';
import type { ReasonRow } from './reasons/reason-row.js';
import { remoteReasons } from './reasons/remotes.js';
import { repositoryReasons } from './reasons/repositories.js';
import { tokenReasons } from './reasons/tokens.js';
import { toolServerReasons } from './reasons/tool-servers.js';
import { webhookReasons } from './reasons/webhooks.js';
import { workReasons } from './reasons/work.js';

export const STUDIO_REASONS = joined(
  branchReasons,
  forgeReasons,
  generalReasons,
  eventReasons,
  executionReasons,
  knowledgeReasons,
  remoteReasons,
  repositoryReasons,
  tokenReasons,
  toolServerReasons,
  webhookReasons,
  workReasons,
);

export type StudioReason = keyof typeof STUDIO_REASONS;

export function isStudioReason(reason: string): reason is StudioReason {
  return Object.hasOwn(STUDIO_REASONS, reason);
}

/** Whether any operation may refuse so, which is why none declares it. */
export function isGeneralReason(reason: string): boolean {
  return Object.hasOwn(generalReasons, reason);
}

export function reasonRow(reason: StudioReason): ReasonRow {
  return STUDIO_REASONS[reason];
}

/** Type guard: whether a thrown value is this refusal. */
export function isReason(error: unknown, reason: StudioReason): error is Rejection {
  return error instanceof Rejection && error.reason === reason;
}

/** Makes a refusal; the caller throws it, so that control flow stays visible where it happens. */
export function refusal(reason: StudioReason, message: string, details?: unknown): Rejection {
  return new Rejection(reason, message, details === undefined ? {} : { data: details });
}
