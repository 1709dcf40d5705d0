/**
 * An operation on a data folder is one constant: name, schema, handler. Its handler runs in the server that has the folder
 * open, asked over its control socket, or in the command itself when no server runs.
 */
import type { ArchiveOptions, Host, KeyPair, RoomId, Shut, Store, Telemetry } from '@weft/core';
import type * as z from 'zod';
import type { WebhookDesk } from '../webhooks/webhook-desk.js';

/** Whoever asks, as far as an operation knows of him. */
export interface Asking {
  /** Tells something before the result. A handler that tells much awaits the answer, which comes when it was taken. */
  readonly progress: (value: unknown) => void | Promise<void>;
  /** Cancellation: aborted when whoever asked has gone. */
  readonly signal: AbortSignal;
}

/** What an operation has that is about the store and about no host. */
export interface StoreContext extends Asking {
  readonly store: Store;
  /** Rooms that are shut, of all hosts on the store. */
  readonly quarantined: () => Promise<ReadonlyMap<RoomId, Shut>>;
  readonly telemetry?: Telemetry;
}

export interface OperatorContext extends StoreContext {
  readonly host: Host;
  /** Archive stores, by the schemes of the archives' names. */
  readonly archives: ArchiveOptions['stores'];
  /** The server's admin key, where this process has it. */
  readonly admin?: KeyPair | undefined;
  /** What this host tells others about its rooms, where it does. */
  readonly webhooks?: WebhookDesk | undefined;
}

/** An operation, for code that knows none by name. */
export interface AnyOperation {
  readonly name: string;
  /**
   * Marks what every host on a store has to hear, because each has peers of its own, or visits the rooms of others; makes one
   * answer of theirs, of which the first is the room's own host's.
   */
  readonly everywhere?: (answers: readonly unknown[]) => unknown;
  /** Marks what is about webhooks, which one of several processes tells. */
  readonly isOfWebhooks?: true;
  /** Marks operations that exclude each other: what one copies, another could be deleting. */
  readonly alone?: true;
  /** Parses the input, then runs the handler. */
  answer(context: OperatorContext, input: unknown): Promise<unknown>;
}

/** Operation about the store: it needs no host, and runs where the store is open. */
export interface StoreOperation<In, Out> extends Operation<In, Out> {
  readonly isOfStore: true;
  answer(context: StoreContext, input: unknown): Promise<Out>;
}

export function isOfStore(operation: AnyOperation): operation is StoreOperation<never, unknown> {
  return 'isOfStore' in operation;
}

export interface Operation<In, Out> extends AnyOperation {
  readonly in: z.ZodType<unknown, In>;
  answer(context: OperatorContext, input: unknown): Promise<Out>;
}

interface Declaration<Context, In, Parsed, Out> extends Omit<AnyOperation, 'answer'> {
  readonly in: z.ZodType<Parsed, In>;
  run(context: Context, input: Parsed): Promise<Out>;
}

export function operation<In, Parsed, Out>(
  declared: Declaration<OperatorContext, In, Parsed, Out>,
): Operation<In, Out> {
  return { ...declared, answer: answering(declared) };
}

export function storeOperation<In, Parsed, Out>(
  declared: Declaration<StoreContext, In, Parsed, Out>,
): StoreOperation<In, Out> {
  return { ...declared, isOfStore: true, answer: answering(declared) };
}

function answering<Context, In, Parsed, Out>({ in: schema, run }: Declaration<Context, In, Parsed, Out>) {
  return async (context: Context, input: unknown): Promise<Out> => {
    const parsed = schema.safeParse(input);
    if (parsed.success) return run(context, parsed.data);
    const { path = [], message = 'invalid input' } = parsed.error.issues[0] ?? {};
    throw new InvalidInput(path.length === 0 || path[0] === 'room' ? message : `${path.join('.')}: ${message}`);
  };
}

/** Refusal of an operator's request; the message says why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** Refusal of an input that is none. */
export class InvalidInput extends OperatorError {}

/** Refusal because what was named is not there. */
export class NotThere extends OperatorError {}
