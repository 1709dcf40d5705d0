/** View of what agents do now, in words: the step that an agent names itself, else its last turn as the record has it. */
import type { Agent } from '../../record/aggregates/agent/agent.js';
import type { ConversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import type { Records } from '../../record/views/records.js';
import { treeOf } from './tree.js';

export interface AtWork {
  readonly agentId: string;
  readonly workUnitId: string;
  readonly currentActivity: string;
}

/** Characters of what a call is about. */
const LONGEST = 120;
/** Input that says what a call is about, the most telling first. */
const TELLING = ['path', 'command', 'pattern', 'query', 'keywords', 'name', 'url', 'title', 'summary', 'question'];

/** What an agent does. Undefined while its work waits. */
export function activityOf(records: Records, { agentId, workUnitId, currentActivity }: Agent): string | undefined {
  if (currentActivity !== undefined) return currentActivity;
  const item = records.scheduledItems.get(workUnitId);
  if (item?.place !== 'leased' || item.leasedBy !== agentId) return undefined;
  const last = records.conversationEntries
    .where('workUnit', workUnitId)
    .filter((one) => one.agentId === agentId)
    .at(-1);
  // What a program has told of itself is under no lease.
  if (!last || (last.generation ?? item.generation) !== item.generation) return 'begins';
  return inWords(last);
}

/** Agents whose turn it is, of a unit and all below it. */
export function atWorkOn(records: Records, rootId: string): AtWork[] {
  return treeOf(records, rootId).flatMap(({ workUnitId }) => {
    const item = records.scheduledItems.get(workUnitId);
    const found = item?.place === 'leased' ? records.agents.get(item.leasedBy ?? '') : undefined;
    const currentActivity = found && activityOf(records, found);
    return currentActivity === undefined ? [] : [{ agentId: found!.agentId, workUnitId, currentActivity }];
  });
}

function inWords({ phase, cycleNumber, stopReason, toolCalls }: ConversationEntry): string {
  const calls = callsIn(toolCalls);
  switch (phase) {
    case 'asked':
      return `waits for the model, turn ${cycleNumber}`;
    case 'failed':
      return `the model did not answer (${stopReason ?? 'no reason'}), turn ${cycleNumber}`;
    case 'answered':
      return calls;
    case 'done':
      return calls === '' ? `has answered, turn ${cycleNumber}` : `has done: ${calls}`;
  }
}

/** The first call, with what it is about, and how many are beside it. */
function callsIn([first, ...others]: ConversationEntry['toolCalls']): string {
  if (!first) return '';
  const about = aboutOf(first.inputJson);
  const name = first.name.replace(/^svcs?_v1_/, '');
  return `${name}${about === '' ? '' : ` ${about}`}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

function aboutOf(inputJson: string): string {
  const input = objectIn(inputJson);
  for (const name of TELLING) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof value !== 'string') continue;
    const text = value.replaceAll(/\s+/g, ' ').trim();
    if (text !== '') return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  }
  return '';
}

/** Input of a call. That of a program may be cut, and then is no JSON. */
function objectIn(inputJson: string): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(inputJson);
    return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
