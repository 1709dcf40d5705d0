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

/**
 * Tokens that the conversation is to be compacted to fit in; undefined while it needs no compaction. A vendor that has said that it is too
 * long counts more than any estimate.
 */
export function roomFor(job: Job, cycles: readonly ConversationEntry[]): number | undefined {
  const said = cycles.filter(({ phase }) => phase === 'done');
  const [last, latest] = [said.at(-1), cycles.at(-1)];
  if (!last) return undefined;
  const fixed = fixedOf(job, frameOf(cycles));
  const room = Math.floor(Math.max(compactAt(job.row) - fixed, LEAST_ROOM));
  const counted = countOf(cycles, fixed);
  if (wasTooLong(latest)) return Math.floor(Math.min(room, (latest?.compaction?.limit ?? counted - 1) / 2));
  if (last.stopReason === 'full' && latest === last) return Math.min(room, counted - 1);
  // What is never compacted may be more than was estimated: one that helps little is not made again at once.
  const isRecent = said.slice(-LEAST_BETWEEN).some(({ compaction }) => compaction !== undefined);
  return counted > room && !isRecent ? room : undefined;
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
  const messages = messagesOf(cycles);
  const last = cycles.findLast(({ phase }) => phase === 'done');
  const counted = (last?.inputTokens ?? 0) + (last?.outputTokens ?? 0) - fixed;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  return Math.max(tokensIn(messages), counted + tokensIn(since));
}

/** Compaction of all that was said, with the task told anew. */
export function compactionFor(job: Job, cycles: readonly ConversationEntry[], room: number, task: string) {
  const counted = Math.max(countOf(cycles, fixedOf(job, frameOf(cycles))), room + 1);
  const found = compactionOf(messagesOf(cycles), { tokens: room, counted, task });
  return found && { ...found, limit: room };
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
