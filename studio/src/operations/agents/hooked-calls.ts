/**
 * Hooks around calls of agents' tools: which of them are asked, what they are told, and what a refusal comes to. A hook that fails
 * refuses or allows as the operator has said, and is a finding.
 */
import type { FindingGiven } from '../../record/aggregates/finding/finding.js';
import type { Records } from '../../record/views/records.js';
import { refusal } from '../../reasons.js';
import { findingIdOf } from '../../rules/knowledge/detect-findings.js';
import { reportFindings } from '../../rules/knowledge/findings.js';
import type { HookAnswer, ToolHook } from '../../workspace/tool-hooks/tool-hooks.js';
import type { OperationParts } from '../kernel/context.js';

export interface HookedCall {
  readonly agentId: string;
  /** Default: the unit that the agent works on. */
  readonly workUnitId?: string | undefined;
  /** Name of the tool, without the prefix of the contract. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Characters of an answer that a hook, and an agent behind an objection, is told. */
const MOST_TOLD = 40_000;

/** A call with its hooks around it. Throws when one refuses: before it is made, or with what it answered. */
export async function hooked<Answer>(
  shared: OperationParts,
  asked: HookedCall,
  call: () => Promise<Answer>,
  textOf: (answer: Answer) => string,
): Promise<Answer> {
  if (shared.programs.hooks.all.length === 0) return call();
  for (const hook of hooksFor(shared, asked, 'before')) {
    const { name } = hook;
    const judged = await answerOf(shared, hook, asked, {});
    const why = judged.allow ? '' : `the hook ${name} refuses this call, and it was not made: ${judged.reason}`;
    if (!judged.allow) throw refusal('reject.hook_refused', why, { hook: name });
  }
  const answer = await call();
  for (const hook of hooksFor(shared, asked, 'after')) {
    const { name } = hook;
    const text = textOf(answer).slice(0, MOST_TOLD);
    const judged = await answerOf(shared, hook, asked, { answer: text });
    const why = judged.allow ? '' : `the call was made, and the hook ${name} refuses what came of it: ${judged.reason}`;
    if (!judged.allow) throw refusal('reject.hook_objected', `${why}\nIt answered: ${text}`, { hook: name });
  }
  return answer;
}

function hooksFor(
  { programs, records }: OperationParts,
  { agentId, workUnitId, name }: HookedCall,
  when: ToolHook['when'],
): ToolHook[] {
  const { path, profileId } = workOf(records, agentId, workUnitId);
  return programs.hooks.all.filter(
    (hook) =>
      hook.when === when &&
      hook.tools.some((pattern) => matches(pattern, name)) &&
      (hook.repository === undefined || hook.repository === path) &&
      (hook.profiles === undefined || (profileId !== undefined && hook.profiles.includes(profileId))),
  );
}

/** Unit that an agent works on, what it is about, and by which profile. */
function workOf({ agents, workUnits, repositories, scheduledItems }: Records, agentId: string, named?: string) {
  const workUnitId = named ?? agents.get(agentId)?.workUnitId;
  const unit = workUnits.get(workUnitId ?? '');
  const all = repositories.all();
  const repository =
    unit?.repositoryId === undefined ? (all.length === 1 ? all[0] : undefined) : repositories.get(unit.repositoryId);
  return { unit, path: repository?.path, workUnitId, profileId: scheduledItems.get(workUnitId ?? '')?.profileId };
}

function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

async function answerOf(
  shared: OperationParts,
  hook: ToolHook,
  { agentId, name, input, workUnitId: named }: HookedCall,
  more: Readonly<Record<string, unknown>>,
): Promise<HookAnswer> {
  const { unit, workUnitId, path, profileId } = workOf(shared.records, agentId, named);
  const { branchId, goal } = unit ?? {};
  const told = { hook: hook.name, when: hook.when, tool: name, input, agentId, profileId, workUnitId, branchId, goal };
  try {
    return await shared.programs.hooks.ask(hook, { ...told, repository: path, ...more });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await reportFailure(shared, hook, agentId, why);
    if (hook.onFailure === 'allow') return { allow: true };
    return {
      allow: false,
      reason: 'it gave no answer, and refuses then. A person is told; go on with what needs no such call.',
    };
  }
}

/** Failure for people: the finding names the hook alone, since what it says may repeat the call. */
async function reportFailure(
  { ledger, log }: OperationParts,
  hook: ToolHook,
  agentId: string,
  why: string,
): Promise<void> {
  log({ level: 'warn', message: 'a hook of a tool gave no answer', about: { hook: hook.name, why } });
  const found: FindingGiven = {
    findingId: findingIdOf('tool hook', hook.name, hook.onFailure),
    source: 'Deterministic',
    kind: 'PromptImprovement',
    title: `The hook ${hook.name} gives no answer`,
    summary:
      hook.onFailure === 'refuse'
        ? 'Calls of agents are refused until it answers again. The log says what went wrong.'
        : 'Calls of agents go on without it. The log says what went wrong.',
    supportingDataJson: JSON.stringify({ hook: hook.name }),
  };
  await ledger.change(`agent:${agentId}`, (change) => reportFindings(change, [found]));
}
