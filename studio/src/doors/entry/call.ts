/**
 * A call, for every door: rights, then bind and parse into one request, then idempotency, then what the caller takes the state
 * to be (`If-Match`), then the operation.
 */
import { createHash } from 'node:crypto';
import { Rejection, traced } from '@weft/core';
import { recordAttempt } from '../../operations/agents/attempts.js';
import { hooked } from '../../operations/agents/hooked-calls.js';
import type { Answer } from '../../operations/kernel/answer.js';
import type { Caller } from '../../operations/kernel/caller.js';
import { type OperationParts, contextOf } from '../../operations/kernel/context.js';
import type { Follow, NamedOperation, Parsed } from '../../operations/kernel/define.js';
import { RepeatableRequest, type RequestName } from '../../operations/kernel/repeatable-request.js';
import { type StudioReason, refusal } from '../../reasons.js';
import { strangeIn, withOwnWork } from './confine.js';
import { fieldOfPeople, isForPeople, requireRight } from './guard.js';

type RawInput = Readonly<Record<string, unknown>>;

/** A call as a door brings it in. */
export interface Asked {
  readonly caller: Caller;
  /** What is known of the input before it is bound: recorded of an agent that tries what is for people. */
  readonly about: RawInput;
  /** Puts the flat input together; asked once it is certain that the caller may make the call. */
  readonly bind: () => RawInput | Promise<RawInput>;
  /** Idempotency key: what the caller named the request, to be able to repeat it. */
  readonly key?: string | undefined;
  /** What `If-Match` says. */
  readonly match?: string | undefined;
}

/** What a call asks, read once: everything behind this has the parsed input and nothing else. */
interface Request {
  readonly raw: RawInput;
  readonly input: Parsed;
  readonly repeatable: RepeatableRequest | undefined;
  readonly match: string | undefined;
}

export interface Answered extends Answer {
  /** What `ETag` says: how often what the input names has changed. */
  readonly etag?: string | undefined;
  /** Repeated: this is the answer that the request was given before. */
  readonly isRepeated?: boolean;
}

/** Refusals that say that an agent went for what is not its own. */
const OVERSTEPS: readonly StudioReason[] = [
  'reject.human_only',
  'reject.review_required',
  'reject.branch_of_others',
  'reject.outside_file_scope',
  'reject.path_outside_repository',
];
const LONGEST_KEY = 256;
/** What goes on from here may walk the input by recursion. */
const DEEPEST = 100;

export function call(shared: OperationParts, operation: NamedOperation, asked: Asked): Promise<Answered> {
  const { tracing } = shared;
  const task = (): Promise<Answered> => answerTo(shared, operation, asked);
  if (!tracing) return task();
  return traced(tracing, 'weft.operation', { attributes: { 'weft.operation': operation.id } }, task);
}

async function answerTo(shared: OperationParts, operation: NamedOperation, asked: Asked): Promise<Answered> {
  const request = await requestOf(shared, operation, asked);
  const answer = (): Promise<Answered> => answerOf(shared, operation, asked.caller, request);
  const answered = (): Promise<Answered> => (request.repeatable ? request.repeatable.once(answer) : answer());
  try {
    return await throughHooks(shared, operation, asked.caller, request.raw, answered);
  } catch (error) {
    const reason = error instanceof Rejection ? OVERSTEPS.find((one) => one === error.reason) : undefined;
    if (reason !== undefined && asked.caller.kind === 'agent')
      await recordAttempt(shared, asked.caller, { operation: operation.id, input: request.raw, reason });
    throw error;
  }
}

/** Hooks of the operator stand around calls of agents, by whatever door they come. */
function throughHooks(
  shared: OperationParts,
  { id, tool }: NamedOperation,
  { kind, agentId, name, workUnitId }: Caller,
  input: RawInput,
  answered: () => Promise<Answered>,
): Promise<Answered> {
  if (kind !== 'agent') return answered();
  const asked = { agentId: agentId ?? name, workUnitId, name: tool ?? id, input };
  return hooked(shared, asked, answered, ({ data }) => JSON.stringify(data) ?? '');
}

/** Subscription: an operation that goes on answering. */
export async function follow(shared: OperationParts, operation: NamedOperation, asked: Asked): Promise<Follow> {
  const { input } = await requestOf(shared, operation, asked);
  if (!operation.follow) throw new Error(`${operation.id} is called, not followed`);
  return operation.follow(contextOf(shared, { caller: asked.caller, show: (answer) => answer }), input);
}

/** Bind, then parse, once the caller's rights are certain. */
async function requestOf(shared: OperationParts, operation: NamedOperation, asked: Asked): Promise<Request> {
  const { caller, about, bind, key, match } = asked;
  // Only people may: that an agent tried is written down.
  if (isForPeople(caller, operation)) {
    const { workUnitId = about['workUnitId'] } = caller;
    await recordAttempt(shared, caller, { operation: operation.id, input: about, workUnitId });
  }
  requireRight(caller, operation);
  const bound = await bind();
  const raw = caller.workUnitId === undefined ? bound : withOwnWork(shared, operation, bound, caller.workUnitId);
  if (isDeeper(raw, DEEPEST))
    throw refusal('reject.invalid_input', `the input is nested deeper than ${DEEPEST} levels`);
  if (!isWhole(raw)) throw refusal('reject.invalid_input', 'a text of the input holds half a character');
  await requireOwnWork(shared, operation, caller, raw);
  await requireFieldsOfPeople(shared, operation, caller, raw);
  const isNamed = key !== undefined && !operation.hints.readOnly;
  return {
    raw,
    input: operation.parse(raw),
    repeatable: isNamed ? new RepeatableRequest(shared, named(operation, raw, caller, key)) : undefined,
    match,
  };
}

/** Guard: an agent whose token is for a work unit changes nothing of others. */
async function requireOwnWork(
  shared: OperationParts,
  operation: NamedOperation,
  caller: Caller,
  input: RawInput,
): Promise<void> {
  const { workUnitId } = caller;
  const strange = workUnitId === undefined ? undefined : strangeIn(shared, operation, input, workUnitId);
  if (strange === undefined) return;
  await recordAttempt(shared, caller, {
    operation: operation.id,
    input,
    workUnitId,
    reason: `${strange} is not of its work unit`,
  });
  throw refusal('reject.not_your_work', `${strange} is not of your work unit`, { workUnitId });
}

/** Guard: an agent does not say itself what binds it. */
async function requireFieldsOfPeople(
  shared: OperationParts,
  operation: NamedOperation,
  caller: Caller,
  input: RawInput,
): Promise<void> {
  const field = fieldOfPeople(caller, operation, input);
  if (field === undefined) return;
  const { workUnitId = input['workUnitId'] } = caller;
  const reason = `${field} is for people to say`;
  await recordAttempt(shared, caller, { operation: operation.id, input, workUnitId, reason });
  throw refusal('reject.human_only', `${operation.id}: ${reason}`, { field });
}

async function answerOf(
  shared: OperationParts,
  operation: NamedOperation,
  caller: Caller,
  { input, repeatable, match }: Request,
): Promise<Answered> {
  const checkMatch = match === undefined ? undefined : () => checkVersion(shared, operation, input, match);
  checkMatch?.();
  // Never newer than what is answered, so a caller that changes it by this tag has seen all that the tag stands for.
  let etag = etagOf(shared, operation, input);
  const onAnswered = (): void => {
    etag = etagOf(shared, operation, input);
  };
  const show = (answer: unknown): unknown => operation.out.parse(answer);
  const context = contextOf(shared, { caller, repeatable, show, checkMatch, onAnswered });
  const answer = await operation.call(context, input);
  return { etag, ...answer };
}

function etagOf({ records }: OperationParts, { version }: NamedOperation, input: Parsed): string | undefined {
  const found = version?.(records, input);
  return found === undefined ? undefined : `"${found}"`;
}

/** Strong comparison: a weak tag says nothing about what is to be changed. */
function checkVersion(shared: OperationParts, operation: NamedOperation, input: Parsed, match: string): void {
  if (!operation.version) throw refusal('reject.invalid_input', 'If-Match means nothing here');
  const etag = etagOf(shared, operation, input);
  const wanted = match.split(',').map((one) => one.trim());
  if (etag !== undefined && (wanted.includes('*') || wanted.includes(etag))) return;
  throw refusal('reject.changed_meanwhile', `it is at version ${etag ?? 'none'}`, { etag: etag ?? null });
}

function named({ id }: NamedOperation, raw: RawInput, { name }: Caller, key: string): RequestName {
  if (key === '' || key.length > LONGEST_KEY)
    throw refusal('reject.invalid_input', `an idempotency key has 1 to ${LONGEST_KEY} characters`);
  return { id: digestOf([name, key]), caller: name, operation: id, input: digestOf(sorted(raw)) };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

/** Canonical form: equal inputs are written alike, in whatever order their fields came. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

/** Half a character has no bytes: no room takes it. */
function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isWhole(name) && isWhole(inner));
}
