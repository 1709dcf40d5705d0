/**
 * Request of a turn. The conversation is append-only, byte for byte: system text and tools are frozen where it begins, what is new comes
 * behind what was said, and a compaction is recorded as the beginning of all requests after it.
 */
import { createHash } from 'node:crypto';
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import { unitOf } from '../record/views/by-id.js';
import { compactionOf, tokensIn } from '../models/compaction.js';
import { type Said, askedWith, messagesOf } from '../models/conversation.js';
import { compactAt, effortFor } from '../models/model-rows.js';
import type { ModelRequest } from '../models/provider.js';
import { type Job, isProgram } from './job.js';
import type { ToolListed } from './tools.js';

export type Frame = NonNullable<ConversationEntry['frame']>;

/** What is recorded with a question: everything in its request that the cycles before it do not say. */
export interface Recorded extends Said {
  readonly frame?: Frame;
}

/** Least room in which a compacted conversation is still one. */
const LEAST_ROOM = 2000;

/** Room that a conversation is to be compacted to fit in. */
export interface Room {
  readonly tokens: number;
  /** Tokens of its messages now. */
  readonly counted: number;
}

/**
 * Room for a conversation that needs compaction. A vendor that has said that it is too long counts more than any estimate, and so does its
 * count of the whole request, where there is one.
 */
export function roomFor(job: Job, cycles: readonly ConversationEntry[], byVendor?: number): Room | undefined {
  const said = cycles.filter(({ phase }) => phase === 'done');
  const [last, latest] = [said.at(-1), cycles.at(-1)];
  if (!last) return undefined;
  const fixed = fixedOf(job, frameOf(cycles));
  const room = roomBeside(job, fixed);
  const counted = byVendor === undefined ? countOf(cycles, fixed) : byVendor - fixed;
  const down = (to: number): Room => ({ tokens: to, counted: Math.max(counted, to + 1) });
  if (wasTooLong(latest)) return down(Math.floor(Math.min(room, (latest?.compaction?.limit ?? counted - 1) / 2)));
  if (last.stopReason === 'full' && latest === last) return down(Math.min(room, counted - 1));
  const isOver = byVendor !== undefined && byVendor + job.row.output > job.row.context;
  // An answer that takes more than its context leaves to it is no reason to compact what has room.
  return counted > room && (isOver || !isCompactedLately(said)) ? down(room) : undefined;
}

function roomBeside({ row }: Job, fixed: number): number {
  return Math.floor(Math.max(compactAt(row) - fixed, LEAST_ROOM));
}

/** What is never compacted may be more than was estimated: a compaction that helps little is not made again at once. */
function isCompactedLately(said: readonly ConversationEntry[]): boolean {
  return said.slice(-LEAST_BETWEEN).some(({ compaction }) => compaction !== undefined);
}

/**
 * Whether the vendor's own count would decide: what it has not counted yet could fill the model's context, were each character a token; or
 * the estimate has the conversation compacted, and what the vendor has counted of it would not.
 */
export function isUncertain(job: Job, cycles: readonly ConversationEntry[]): boolean {
  const said = cycles.filter(({ phase }) => phase === 'done');
  const [last, latest] = [said.at(-1), cycles.at(-1)];
  const isAnswered = latest?.phase === 'answered' || latest?.phase === 'done';
  if (!last || !isAnswered) return false;
  const fixed = fixedOf(job, frameOf(cycles));
  const room = roomBeside(job, fixed);
  const { counted, since } = spentOn(cycles);
  const isLate = isCompactedLately(said);
  if (since.length === 0 || (counted - fixed > room && !isLate)) return false;
  const most = since.reduce((sum, { text }) => sum + text.length, counted);
  return most + job.row.output > job.row.context || (countOf(cycles, fixed) > room && !isLate);
}

/** Turns from one compaction to the next, unless the vendor says that it is too long. */
const LEAST_BETWEEN = 4;

/** Tokens of what stands in every request: system text and tools. */
function fixedOf({ parts }: Job, frame: Frame | undefined): number {
  if (!frame) return 0;
  const tools = JSON.stringify([parts.tools.tools(frame.tools), frame.serverTools ?? []]);
  return Math.ceil((frame.system.length + tools.length) / CHARACTERS_PER_TOKEN);
}

const CHARACTERS_PER_TOKEN = 3.5;

/** Whether a conversation that a vendor finds too long can be made shorter at all. */
export function canShorten(cycles: readonly ConversationEntry[]): boolean {
  const limit = cycles.at(-1)?.compaction?.limit;
  return cycles.some(({ phase }) => phase === 'done') && (limit === undefined || limit / 2 > LEAST_ROOM);
}

function wasTooLong(cycle: ConversationEntry | undefined): boolean {
  return cycle?.phase === 'failed' && cycle.stopReason === 'too-long';
}

/** Tokens of the messages so far: as the vendor counted them, or as they are estimated, whichever is more. */
function countOf(cycles: readonly ConversationEntry[], fixed: number): number {
  const { messages, counted, since } = spentOn(cycles);
  return Math.max(tokensIn(messages), counted - fixed + tokensIn(since));
}

/** Messages so far, what the vendor counted of the last request with its answer, and the messages behind those. */
function spentOn(cycles: readonly ConversationEntry[]) {
  const messages = messagesOf(cycles);
  const last = cycles.findLast(({ phase }) => phase === 'done');
  const counted = (last?.inputTokens ?? 0) + (last?.outputTokens ?? 0);
  return { messages, counted, since: messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1) };
}

/** Compaction of all that was said, with the task told anew. */
export function compactionFor(cycles: readonly ConversationEntry[], room: Room, task: string) {
  const found = compactionOf(messagesOf(cycles), { ...room, task });
  return found && { ...found, limit: room.tokens };
}

/** Frame of the conversation, as it was recorded where it began. */
export function frameOf(cycles: readonly ConversationEntry[]): Frame | undefined {
  return cycles.findLast(({ phase, frame }) => frame && (phase === 'done' || phase === 'answered'))?.frame;
}

export function requestOf(job: Job, cycles: readonly ConversationEntry[], frame: Frame, said: Said): ModelRequest {
  const { parts, item, profile, model, row } = job;
  const unit = unitOf(parts.records, item.workUnitId);
  return {
    model: model.model,
    about: {
      role: item.profileId,
      unit: item.workUnitId,
      title: unit.goal.split('\n')[0] ?? '',
      turn: cycles.filter(({ phase }) => phase === 'done').length,
    },
    system: frame.system,
    messages: askedWith(messagesOf(cycles), said),
    tools: toolsOf(job, frame).map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      input: inputSchema,
    })),
    unlisted: isProgram(job) ? [] : parts.tools.unlisted(frame.tools),
    maxTokens: row.output,
    effort: effortFor(row, profile.stage),
    ways: row.ways,
    cacheKey: keyOf(unit.repositoryId ?? '', item.profileId),
  };
}

/** Tools that are offered with the request. A program is offered them at its own door. */
function toolsOf(job: Job, frame: Frame): readonly ToolListed[] {
  if (isProgram(job)) return [];
  const ofServers = (frame.serverTools ?? []).map(({ inputJson, ...said }) => ({
    ...said,
    inputSchema: JSON.parse(inputJson) as Record<string, unknown>,
  }));
  return [...job.parts.tools.tools(frame.tools), ...ofServers];
}

/** Version of a role: it changes with its text. */
export function versionOf(system: string): string {
  return createHash('sha256').update(system).digest('hex').slice(0, 12);
}

/** Key of a vendor's cache: agents of one role in one repository are told the same first. */
function keyOf(...parts: readonly string[]): string {
  return `weft-${createHash('sha256').update(parts.join('/')).digest('hex').slice(0, 24)}`;
}
