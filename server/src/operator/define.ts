/**
 * An operation on a data folder is one constant: name, schema, handler. Its handler runs in the server that has the folder
 * open, asked over its control socket, or in the command itself when no server runs.
 */
import type { ArchiveOptions, Host, KeyPair, Store, Telemetry } from '@weft/core';
import type * as z from 'zod';
import type { WebhookDesk } from '../webhooks/webhook-desk.js';

export interface OperatorContext {
  readonly host: Host;
  /** Store of the host. */
  readonly store: Store;
  /** Archive stores, by the schemes of the archives' names. */
  readonly archives: ArchiveOptions['stores'];
  readonly telemetry?: Telemetry;
  /** The server's admin key, where this process has it. */
  readonly admin?: KeyPair | undefined;
  /** What this host tells others about its rooms, where it does. */
  readonly webhooks?: WebhookDesk | undefined;
  /** Tells something before the result. A handler that tells much awaits the answer, which comes when it was taken. */
  readonly progress: (value: unknown) => void | Promise<void>;
  /** Cancellation: aborted when whoever asked has gone. */
  readonly signal: AbortSignal;
}

/** An operation, for code that knows none by name. */
export interface AnyOperation {
  readonly name: string;
  /** Marks operations that exclude each other: what one copies, another could be deleting. */
  readonly alone?: true;
  /** Parses the input, then runs the handler. */
  answer(context: OperatorContext, input: unknown): Promise<unknown>;
}

export interface Operation<In, Out> extends AnyOperation {
  readonly in: z.ZodType<unknown, In>;
  answer(context: OperatorContext, input: unknown): Promise<Out>;
}

interface Declaration<In, Parsed, Out> extends Omit<AnyOperation, 'answer'> {
  readonly in: z.ZodType<Parsed, In>;
  run(context: OperatorContext, input: Parsed): Promise<Out>;
}

export function operation<In, Parsed, Out>({ run, ...declared }: Declaration<In, Parsed, Out>): Operation<In, Out> {
  return {
    ...declared,
    async answer(context, input) {
      const parsed = declared.in.safeParse(input);
      if (parsed.success) return run(context, parsed.data);
      const { path = [], message = 'invalid input' } = parsed.error.issues[0] ?? {};
      throw new InvalidInput(path.length === 0 || path[0] === 'room' ? message : `${path.join('.')}: ${message}`);
    },
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
