/** What callers may assume of an operation, for those that are alike. */
import type { ToolHints } from './define.js';

/** Changes nothing. */
export const READS: ToolHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
/** Adds something new each time. */
export const ADDS: ToolHints = { readOnly: false, destructive: false, idempotent: false, openWorld: false };
/** Comes to the same when it is repeated. */
export const SETS: ToolHints = { readOnly: false, destructive: false, idempotent: true, openWorld: false };
/** Ends or takes away something. */
export const ENDS: ToolHints = { readOnly: false, destructive: true, idempotent: true, openWorld: false };
