/**
 * What every door does with a call once it knows the operation, the caller and the input: rights, repeated requests, and what
 * the caller takes the state to be.
 */
import { createHash } from 'node:crypto';
import { Rejection } from '@weft/core';
import { recordAttempt } from '../../operations/agents/attempts.js';
import type { Caller } from '../../operations/kernel/caller.js';
import {
  type NamedRequest,
  type Shared,
  answeredBefore,
  contextOf,
  rememberAnswer,
} from '../../operations/kernel/context.js';
import type { Answer, Follow, NamedOperation } from '../../operations/kernel/define.js';
import { type StudioReason, refusal } from '../../reasons.js';
import { requireRight } from './guard.js';

export interface Asked {
  readonly caller: Caller;
  /** What the caller named the request, to be able to repeat it. */
  readonly key?: string | undefined;
  /** What `If-Match` says. */
  readonly match?: string | undefined;
}

export interface Answered extends Answer {
  /** What `ETag` says: how often what the input names has changed. */
  readonly etag?: string | undefined;
  /** The same request was answered before. */
  readonly isRepeated?: boolean;
}

/** Refusals that say that an agent went for what is not its own. */
const OVERSTEPS: readonly StudioReason[] = [
  'reject.branch_of_others',
  'reject.outside_file_scope',
  'reject.path_outside_repository',
];
const LONGEST_KEY = 256;
/** What goes on from here may walk the input by recursion. */
const DEEPEST = 100;

export async function call(
  shared: Shared,
  operation: NamedOperation,
  input: Readonly<Record<string, unknown>>,
  { caller, key, match }: Asked,
): Promise<Answered> {
  await admit(shared, operation, caller, input);
  if (isDeeper(input, DEEPEST))
    throw refusal('reject.invalid_input', `the input is nested deeper than ${DEEPEST} levels`);
  if (!isWhole(input)) throw refusal('reject.invalid_input', 'a text of the input holds half a character');
  const isRead = operation.hints.readOnly;
  const request = key === undefined || isRead ? undefined : named(operation, input, caller, key);
  const before = request && answeredBefore(shared.records, request);
  if (before) return { data: before.answer, isRepeated: true };
  const checkMatch = match === undefined ? undefined : () => checkVersion(shared, operation, input, match);
  checkMatch?.();
  // Never newer than what is answered: whoever changes it by this tag has seen all that it stands for.
  let etag = etagOf(shared, operation, input);
  const onAnswered = (): void => {
    etag = etagOf(shared, operation, input);
  };
  const shown = (answer: unknown): unknown => operation.out.parse(answer);
  try {
    const context = contextOf(shared, { caller, request, shown, checkMatch, onAnswered });
    const answer = await operation.call(context, input);
    await rememberAnswer(shared, { caller, request }, answer.data);
    return { etag, ...answer };
  } catch (error) {
    // The same request, sent twice at once: whichever comes second is answered as the first.
    const meanwhile = request && answeredBefore(shared.records, request);
    if (meanwhile) return { data: meanwhile.answer, isRepeated: true };
    const reason = error instanceof Rejection ? OVERSTEPS.find((one) => one === error.reason) : undefined;
    if (reason !== undefined && caller.kind === 'agent')
      await recordAttempt(shared, caller, { operation: operation.id, input, reason });
    throw error;
  }
}

/** As `call`, for an operation that goes on answering. */
export async function follow(
  shared: Shared,
  operation: NamedOperation,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<Follow> {
  await admit(shared, operation, caller, input);
  if (!operation.follow) throw new Error(`${operation.id} is called, not followed`);
  return operation.follow(contextOf(shared, { caller, shown: (answer) => answer }), input);
}

/** Refuses what the caller may not do; that an agent tried what is for people is written down. */
export async function admit(
  shared: Shared,
  operation: NamedOperation,
  caller: Caller,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (operation.human && caller.kind === 'agent')
    await recordAttempt(shared, caller, { operation: operation.id, input });
  requireRight(caller, operation);
}

function etagOf({ records }: Shared, { version }: NamedOperation, input: object): string | undefined {
  const found = version?.(records, input);
  return found === undefined ? undefined : `"${found}"`;
}

/** Strong comparison: a weak tag says nothing about what is to be changed. */
function checkVersion(shared: Shared, operation: NamedOperation, input: object, match: string): void {
  if (!operation.version) throw refusal('reject.invalid_input', 'If-Match means nothing here');
  const etag = etagOf(shared, operation, input);
  const wanted = match.split(',').map((one) => one.trim());
  if (etag !== undefined && (wanted.includes('*') || wanted.includes(etag))) return;
  throw refusal('reject.changed_meanwhile', `it is at version ${etag ?? 'none'}`, { etag: etag ?? null });
}

function named({ id }: NamedOperation, input: object, { name }: Caller, key: string): NamedRequest {
  if (key === '' || key.length > LONGEST_KEY)
    throw refusal('reject.invalid_input', `an idempotency key has 1 to ${LONGEST_KEY} characters`);
  return { id: digestOf([name, key]), operation: id, input: digestOf(sorted(input)) };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

/** The same for equal inputs, in whatever order their fields came. */
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
