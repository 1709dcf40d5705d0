/** Question of an agent to its model: what it is told, what that may cost, and what becomes of it when there is no answer. */
import { conversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import { isEnded } from '../record/aggregates/goal/goal.js';
import { type ScheduledItem, scheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import { unitOf } from '../record/views/by-id.js';
import type { Change } from '../record/ledger/change.js';
import { type Exhausted, spentSoFar, warningsOf } from '../models/budgets.js';
import { cyclesOf } from '../models/conversation.js';
import { ProviderError } from '../models/provider.js';
import { callerOf, put, setAside } from '../models/question.js';
import { goalOf } from '../rules/goals/tree.js';
import { promptGuidance } from '../rules/knowledge/findings.js';
import { pauseGoal } from '../rules/people/pause.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { USUAL_LIMIT_MS, parkForLimit } from '../rules/queue/limits.js';
import { park } from '../rules/queue/queue.js';
import { openBothSides } from './briefing/both-sides.js';
import type { Fact } from './briefing/fact.js';
import { factsFor, untold } from './briefing/facts.js';
import { type Job, changeIfOurs, isOurs, isProgram, limitKeyOf } from './job.js';
import {
  type Recorded,
  type Room,
  canShorten,
  compactionFor,
  frameOf,
  isUncertain,
  requestOf,
  roomFor,
  versionOf,
} from './request.js';
import { systemTextOf } from './system-text.js';

export async function askModel(job: Job, notice: string | undefined): Promise<void> {
  const { parts, item, agentId, profile, model, signal } = job;
  const { records } = parts;
  const { workUnitId, generation } = item;
  const cycles = cyclesOf(records, item);
  const logId = logIdOf(item, cycles);
  // A program keeps its own conversation, and compacts it by itself.
  const room = isProgram(job) ? undefined : roomFor(job, cycles, await countedByVendor(job, cycles));
  // A question whose answer was lost has told the model nothing.
  const isFirst = cycles.every(({ phase }) => phase === 'asked' || phase === 'failed');
  const oriented = isFirst || room !== undefined;
  const orientation = oriented ? await parts.orientation(unitOf(records, workUnitId), profile) : [];
  const isNew = untold(openBothSides(records, workUnitId), cycles).length > 0;
  const sides = isNew || room !== undefined ? await parts.bothSides(unitOf(records, workUnitId)) : [];
  const asked = await changeIfOurs(job, (change) => {
    const guidance = promptGuidance(records, profile.stage).map((text) => ({ id: `guidance ${text}`, text }));
    const facts = [...factsFor(records, unitOf(records, workUnitId)), ...orientation, ...guidance, ...sides];
    const warnings = untold(
      warningsOf(spentSoFar(records, change, workUnitId, agentId), parts.budgets(workUnitId)),
      cycles,
    );
    const recorded = recordedOf(job, cycles, { facts, room, notice: textOf(notice, warnings) });
    const frame = recorded.frame ?? frameOf(cycles) ?? newFrame(job);
    const request = requestOf(job, cycles, frame, recorded);
    const given = setAside(change, records, { workUnitId, agentId, model }, request, parts.budgets(workUnitId));
    if ('exhausted' in given) {
      giveUp(change, job, given);
      return undefined;
    }
    change.run(conversationEntry, logId, 'ask', {
      logId,
      workUnitId,
      agentId,
      agentRole: profile.stage,
      cycleNumber: numberOf(item, cycles),
      provider: model.provider.name,
      model: model.model,
      taskId: item.taskId,
      run: item.run,
      schedule: item.schedule,
      generation,
      ...recorded,
      told: [...(recorded.compaction ? facts : untold(facts, cycles)), ...warnings].map(({ id }) => id),
      reserved: given.reserved,
    });
    return { request: { ...request, maxTokens: given.outputTokens }, longestMs: given.longestMs };
  });
  if (!asked) return;
  try {
    const speaker = { workUnitId, agentId, logId };
    const watched = {
      onText: (text: string) => parts.speech?.say(speaker, text),
      onStartOver: () => parts.speech?.say(speaker, '', true),
      onWhole: () => parts.speech?.flush(),
    };
    // An answer that was lost is said anew.
    parts.speech?.say(speaker, '', true);
    await put(parts.ledger, { logId, workUnitId, agentId, generation, model }, asked, signal, watched);
  } catch (error) {
    await notAnswered(job, logId, error);
  }
}

/** Count of the request by the vendor, where that decides whether it is compacted. A vendor that does not say leaves it to the estimate. */
async function countedByVendor(job: Job, cycles: readonly ConversationEntry[]): Promise<number | undefined> {
  const { count } = job.model.provider;
  const frame = frameOf(cycles);
  if (!count || !frame || !isUncertain(job, cycles)) return undefined;
  try {
    return await count(requestOf(job, cycles, frame, {}), { signal: job.signal });
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

interface Telling {
  readonly facts: readonly Fact[];
  /** Room that the conversation is to be compacted to. */
  readonly room: Room | undefined;
  readonly notice: string | undefined;
}

/** What is recorded with the question. A compaction tells all facts anew; otherwise those that are new are said. */
function recordedOf(job: Job, cycles: readonly ConversationEntry[], { facts, room, notice }: Telling): Recorded {
  const whole = textOf(undefined, facts) ?? '';
  const compaction = room === undefined ? undefined : compactionFor(cycles, room, whole);
  const said = compaction ? undefined : textOf(undefined, untold(facts, cycles));
  const isNew = compaction !== undefined || frameOf(cycles) === undefined;
  return {
    ...(compaction && { compaction }),
    ...(said === undefined ? {} : { said }),
    ...(notice === undefined ? {} : { notice }),
    ...(isNew ? { frame: newFrame(job) } : {}),
  };
}

function newFrame(job: Job) {
  const { profile, parts, item } = job;
  const unit = unitOf(parts.records, item.workUnitId);
  const [only, ...others] = parts.records.repositories.all();
  const repositoryId = unit.repositoryId ?? (others.length === 0 ? only?.repositoryId : undefined);
  const system = systemTextOf(profile, { isProgram: isProgram(job), repositoryId });
  // A program is offered them at its own door.
  const serverTools = isProgram(job) ? [] : job.parts.tools.ofServers(job.item.workUnitId);
  return {
    system,
    tools: profile.allowedTools,
    roleVersion: versionOf(system),
    ...(serverTools.length === 0 ? {} : { serverTools: [...serverTools] }),
  };
}

function textOf(first: string | undefined, more: readonly { readonly text: string }[]): string | undefined {
  const all = [...(first === undefined ? [] : [first]), ...more.map(({ text }) => text)];
  return all.length === 0 ? undefined : all.join('\n\n');
}

/** Budget exhausted: an exhausted goal is paused as a whole; an exhausted unit or agent stops alone, and what goes on after its goal has ended. */
function giveUp(change: Change, { parts, item, agentId }: Job, { exhausted, reason }: Exhausted): void {
  const { records } = parts;
  const { workUnitId } = item;
  const found = exhausted === 'goal' ? goalOf(change, workUnitId) : undefined;
  if (found && !isEnded(found.status)) pauseGoal(change, records, found.goalId, { reason, pausedBy: 'host' });
  else toDeadLetter(change, records, { workUnitId, kind: 'Exception', reason, agentId });
}

/** No answer after all retries: a limit is waited for, a conversation that is too long is compacted, a missing key is asked for. */
async function notAnswered(job: Job, logId: string, error: unknown): Promise<void> {
  if (!(error instanceof ProviderError)) throw error;
  const { parts, item, agentId, choice, model } = job;
  const { records } = parts;
  const { workUnitId, generation } = item;
  const { credentialRef = model.credentialRef } = item;
  const { fault, message } = error;
  await parts.ledger.change(callerOf(agentId), (change) => {
    const isCharged = !FREE.has(fault);
    const failed = { logId, workUnitId, generation, agentId, fault, reason: message, isCharged };
    change.run(conversationEntry, logId, 'fail', failed);
    const { failures: waits = 1 } = change.state(conversationEntry, logId) ?? {};
    if (fault === 'stopped' || !isOurs(change, item)) return;
    if (fault === 'rate-limited' || fault === 'spent-out') return waitForLimit(change, job, error);
    if (isBusy(error) && waits < MOST_WAITS) return waitForLimit(change, job, error, delayAfter(waits));
    if (fault === 'too-long' && canShorten(cyclesOf(records, item))) return;
    if (fault === 'unauthorized' && credentialRef !== undefined) {
      // The person who supplies the key gives its name.
      change.run(scheduledItem, workUnitId, 'equip', { ...choice, credentialRef });
      park(change, workUnitId, 'Credentials');
    } else {
      const kind = fault === 'unauthorized' ? 'MissingCredentials' : 'Exception';
      toDeadLetter(change, records, { workUnitId, kind, reason: `${WHAT[fault] ?? WHAT.other}: ${message}`, agentId });
    }
  });
}

/** Faults after which a model has certainly read nothing. */
const FREE: ReadonlySet<string> = new Set(['unauthorized', 'rate-limited', 'spent-out', 'unreachable', 'too-long']);
const WHAT: Readonly<Record<string, string>> & { readonly other: string } = {
  malformed: 'what the model answered cannot be used',
  'too-long': 'the task alone is too long for this model',
  other: 'the model did not answer',
};

function waitForLimit(
  change: Change,
  job: Job,
  { fault, message, retryAfterMs }: ProviderError,
  usualMs = USUAL_LIMIT_MS,
): void {
  const waitMs = Math.max(retryAfterMs ?? usualMs, LEAST_WAIT_MS);
  const until = new Date(Date.parse(change.at) + waitMs).toISOString();
  parkForLimit(change, job.item.workUnitId, {
    of: limitKeyOf(job),
    because: message,
    // A limit of spending ends when a person says so.
    ...(fault === 'spent-out' ? {} : { until }),
  });
}

/** Whether the vendor has no time for anybody, which passes by itself. */
function isBusy({ fault, status, code }: ProviderError): boolean {
  return fault === 'overloaded' && (status === 529 || status === 503 || code === 'overloaded_error');
}

/** Waits for a vendor that has no time: some two hours in all. A failure then is one that people should know of. */
const MOST_WAITS = 12;
const LONGEST_WAIT_MS = 15 * 60_000;

function delayAfter(failures: number): number {
  return Math.min(LEAST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
}

/** Shorter waits were tried before. */
const LEAST_WAIT_MS = 30_000;

/** Id of the next cycle: that of a question whose answer was lost, which is asked again, or the next number. */
function logIdOf(item: ScheduledItem, cycles: readonly ConversationEntry[]): string {
  const last = cycles.at(-1);
  if (last?.phase === 'asked' || last?.phase === 'failed') return last.logId;
  return `log-${item.workUnitId}-${item.schedule}-${numberOf(item, cycles)}`;
}

function numberOf({ schedule }: ScheduledItem, cycles: readonly ConversationEntry[]): number {
  const mine = cycles.filter((cycle) => cycle.schedule === schedule);
  const last = mine.at(-1);
  return last?.phase === 'asked' || last?.phase === 'failed' ? last.cycleNumber : mine.length + 1;
}
