/**
 * Stall detection: the same call with the same outcome, again and again, while nothing changes. An outcome is compared without what
 * differs each time anyway: ids, numbers, times, temporary paths. What an agent says is no part of it. Nor is the first call after a
 * compaction that has taken the outcome of such a call from the conversation: it is looked up again.
 */
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';

type Cycle = Pick<ConversationEntry, 'toolCalls' | 'toolResults' | 'compaction'>;

export interface Repetition {
  /** The tool that was called. */
  readonly tool: string;
  readonly times: number;
  readonly isError: boolean;
}

interface Counted extends Repetition {
  /** The latest turn that had it. */
  readonly turn: number;
}

/** Tools that wait: to call one again is no repetition. */
const WAITING: ReadonlySet<string> = new Set(['run_output', 'clarification_request']);
/** Tools that change what others see: after one has succeeded with something new, the same call may well have another outcome. */
const CHANGING =
  /^(?:edit|write|patch|delete|move|todo|review)$|(?:workspace_(?:write|replace|delete)|artifact_record|task_update|merge_propose|merge_review)$/;

/** Most frequent repetition of a call of the last cycle, since something has changed. */
export function repetitionIn(cycles: readonly Cycle[]): Repetition | undefined {
  const known = new Set<string>();
  let counts = new Map<string, Counted>();
  let last = new Set<string>();
  /** First turn whose results stand in the conversation as they were. */
  let shown = 0;
  for (const [turn, { toolCalls, toolResults, compaction }] of cycles.entries()) {
    if (compaction) shown = turn - (compaction.longestResult === undefined ? compaction.kept : 0);
    last = new Set();
    for (const [place, { name, inputJson }] of toolCalls.entries()) {
      const { result = '', isError = false } = toolResults[place] ?? {};
      if (WAITING.has(bareName(name))) continue;
      const call = `${name} ${inputJson}`;
      const isProgress = CHANGING.test(name) && !isError && !known.has(call);
      known.add(call);
      if (isProgress) counts = new Map();
      const key = `${call} ${isError ? 'failed' : 'gave'} ${outcomeOf(result, isError)}`;
      // Once for each turn, however often it was called in it.
      if (last.has(key)) continue;
      last.add(key);
      const before = counts.get(key);
      const times = (before?.times ?? 0) + (before && before.turn < shown ? 0 : 1);
      counts.set(key, { tool: name, isError, times, turn });
    }
  }
  const found = [...last].flatMap((key) => counts.get(key) ?? []);
  return found.reduce<Repetition | undefined>((most, one) => (one.times > (most?.times ?? 0) ? one : most), undefined);
}

/** Outcome without what differs each time. Of a failure no number counts; of what succeeds, none of a time. */
function outcomeOf(text: string, isError: boolean): string {
  const plain = text
    .slice(0, MOST_COMPARED)
    .replaceAll(/\/tmp\/[^\s"'`:]+/g, '/tmp')
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:T|\b)[\d:.]*Z?/g, '@')
    .replaceAll(/\b(?:[A-Za-z]+[-_])?(?=[0-9a-f]*\d)[0-9a-f]{7,}\b/gi, '#')
    .replaceAll(/\breq[-_][\w-]+/gi, '#')
    .replaceAll(/\d+(?:\.\d+)?\s?(?=(?:ms|s|sec|secs|seconds?|m|min|minutes?)\b)/gi, '0');
  return isError ? plain.replaceAll(/\d+(?:\.\d+)?/g, '0') : plain;
}

/** Characters of an outcome that are compared. */
const MOST_COMPARED = 20_000;

function bareName(name: string): string {
  return name.replace(/^svc_v\d+_/, '');
}
