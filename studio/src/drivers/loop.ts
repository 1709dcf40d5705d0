/**
 * Agent loop: one agent works on one unit, from when the unit is leased until it is not.
 *
 * The next step is read from the record each time. So nothing needs to be remembered here: an agent that is stopped anywhere,
 * also by the end of the host, continues where the record says.
 */
import { Rejection } from '@weft/core';
import { conversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import { type ScheduledItem, modelOf } from '../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import { rowOf } from '../models/model-rows.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { limitInForce, parkForLimit } from '../rules/queue/limits.js';
import { modelFor } from '../rules/queue/model-for.js';
import { itemOf } from '../rules/queue/queue.js';
import { ask as askPeople } from '../rules/people/clarify.js';
import type { SetUpTold } from '../rules/runs/set-up.js';
import { unitOf } from '../record/views/by-id.js';
import { refusal } from '../reasons.js';
import { askModel } from './ask-model.js';
import { callsOf, cyclesOf } from '../models/conversation.js';
import { type Job, type LoopParts, changeIfOurs, isOurs, limitKeyOf } from './job.js';
import { type NextStep, nextStep } from './next-step.js';
import { callerOf, toWellFormed } from '../models/question.js';
import { executing } from './executing/executing.js';
import { endStage, missingAt } from './stage-end.js';

/** Characters of a tool result shown to the model. */
const LONGEST_RESULT = 64 * 1024;

/** Runs the loop. Ends when the unit is not ours any more: it is done, it waits for something, or it was taken away. */
export async function work(parts: LoopParts, item: ScheduledItem, signal: AbortSignal): Promise<void> {
  const profile = parts.records.agentProfiles.get(item.profileId);
  if (!profile) throw refusal('reject.profile_not_found', `no profile is called ${item.profileId}`);
  const { workUnitId, profileId } = item;
  const own = modelOf(item);
  const isChosen = Object.keys(own).length > 0;
  const choice = isChosen ? own : modelFor(parts.ledger.look, parts.records, workUnitId, profileId);
  const model = await parts.models(choice, { profileId, executor: profile.executor, stage: profile.stage });
  const { row = rowOf(model.model) } = model;
  const given = { parts, item, agentId: item.leasedBy ?? '', profile, choice, model, row, signal };
  const job = withProgram(given);
  if (await whileOurs(waitsForLimit(job))) return;
  await whileOurs(setUp(job));
  for (let step = next(job); step.do !== 'leave'; step = next(job)) await whileOurs(take(job, step));
}

/** What a step comes to; undefined when another holds the lease by now, and continues what was begun here. */
async function whileOurs<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof Rejection && error.reason === 'reject.lease_lost') return undefined;
    throw error;
  }
}

/** Job whose agent is a program of its own, where its profile says so. */
function withProgram(job: Job): Job {
  const { model, parts } = job;
  const { executor } = model;
  if (!executor || !parts.places) return job;
  return { ...job, model: { ...model, provider: executing(job, executor, parts.places) } };
}

function next({ parts, item, profile, signal }: Job): NextStep {
  const { ledger, records } = parts;
  const unit = unitOf(records, item.workUnitId);
  return nextStep({
    isOurs: !signal.aborted && isOurs(ledger.look, item),
    cycles: cyclesOf(records, item),
    isReferred: isReferred({ parts, item }),
    schedule: item.schedule,
    maxIterations: profile.maxIterations,
    missing: missingAt(profile.stage, records, unit),
  });
}

async function take(job: Job, step: Exclude<NextStep, { do: 'leave' }>): Promise<void> {
  const { parts, item, agentId, profile } = job;
  switch (step.do) {
    case 'ask':
      return askModel(job, step.notice);
    case 'refer':
      return changeIfOurs(job, (change) => {
        const { workUnitId } = item;
        askPeople(change, parts.records, { ...refusalOf(job, step.reason), workUnitId, requestedByAgentId: agentId });
      });
    case 'use tools':
      return useTools(job, step.cycle);
    case 'end':
      return changeIfOurs(job, (change) => endStage(change, parts.records, item, profile.stage));
    case 'fail': {
      const { workUnitId } = item;
      const failure = { workUnitId, kind: step.kind, reason: step.reason, agentId };
      return changeIfOurs(job, (change) => void toDeadLetter(change, parts.records, failure));
    }
  }
}

/** Sets up the folder before its agent begins. What came of it is told as a note of the unit. */
async function setUp(job: Job): Promise<void> {
  const { parts, item, profile, signal } = job;
  if (profile.stage !== 'Execute' && profile.stage !== 'Reconcile') return;
  const { workUnitId } = item;
  const told: SetUpTold = (key, text) =>
    changeIfOurs(job, (change) => {
      // Told before the host ended.
      if (change.state(workUnit, workUnitId)?.metadata?.[key]?.endsWith(text) === true) return;
      change.run(workUnit, workUnitId, 'note', { key, text });
    });
  await parts.setUp?.(workUnitId, told, signal);
}

/** Whether the model and key may not be asked for now; then the unit waits with those that found out. */
async function waitsForLimit(job: Job): Promise<boolean> {
  const { parts, item } = job;
  return changeIfOurs(job, (change) => {
    const limited = limitInForce(parts.records, limitKeyOf(job), change.at);
    if (limited) parkForLimit(change, item.workUnitId, limited);
    return limited !== undefined;
  });
}

/** Question to people about a turn that the model has refused. */
function refusalOf({ parts, item, model }: Job, reason: string) {
  return {
    question: `The model ${model.model} refuses to go on: ${reason}\nSay how the work shall go on, or requeue it with another model.`,
    context: refusedTurn(parts, item),
    blocking: true,
    options: [],
  };
}

function isReferred({ parts, item }: Pick<Job, 'parts' | 'item'>): boolean {
  const context = refusedTurn(parts, item);
  return parts.records.clarifications.where('workUnit', item.workUnitId).some((asked) => asked.context === context);
}

function refusedTurn({ records }: LoopParts, item: ScheduledItem): string {
  return `It is about ${cyclesOf(records, item).at(-1)?.logId ?? 'the first turn'}.`;
}

/** Runs tool calls in order, each with an idempotency key: what was done before a crash is answered again, not done again. */
async function useTools({ parts, item, profile, signal }: Job, cycle: ConversationEntry): Promise<void> {
  const { workUnitId } = item;
  const results: ConversationEntry['toolResults'] = [];
  const { agentId, logId } = cycle;
  for (const [index, { callId, name, input }] of callsOf(cycle).entries()) {
    if (signal.aborted || !isOurs(parts.ledger.look, item)) {
      // A parked unit stops here, and continues later.
      if (itemOf(parts.ledger.look, workUnitId)) return;
      results.push({ toolUseId: callId, result: 'Not done: the work had ended.', truncated: false, isError: true });
      continue;
    }
    const { allowedTools: allowed } = profile;
    const key = `${logId}/${index}`;
    const { text, isError } = await parts.tools.call({ agentId, workUnitId, allowed, name, input, key });
    const truncated = text.length > LONGEST_RESULT;
    const left = `\n[${text.length - LONGEST_RESULT} more characters of the answer were cut; ask for less at once]`;
    const result = toWellFormed(truncated ? text.slice(0, LONGEST_RESULT) + left : text);
    results.push({ toolUseId: callId, result, truncated, ...(isError ? { isError } : {}) });
  }
  await parts.ledger.change(callerOf(agentId), (change) =>
    change.run(conversationEntry, logId, 'use', { logId, workUnitId, toolResults: results }),
  );
}
