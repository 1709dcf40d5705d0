/**
 * What an operator asks of a data folder is one constant: name, schema, handler. The same handler runs in the server that
 * has the folder open, asked over its control socket, or in the command itself when no server runs.
 */
import type { ArchiveOptions, Host, Store, Telemetry } from '@weft/core';
import type * as z from 'zod';

export interface OperatorContext {
  readonly host: Host;
  /** What the host stands on. */
  readonly store: Store;
  /** Where it keeps archives, by the schemes of their names. */
  readonly archives: ArchiveOptions['stores'];
  readonly telemetry?: Telemetry;
  /** Something to be shown before the result is there. Whoever has much waits for the answer: it is taken then. */
  readonly progress: (value: unknown) => void | Promise<void>;
  /** Aborted when whoever asked has gone. */
  readonly signal: AbortSignal;
}

/** An operation, for code that knows none by name. */
export interface AnyOperation {
  readonly name: string;
  /** Not beside another one that says so: what one copies, another could be deleting. */
  readonly alone?: true;
  /** Looks at the input first. */
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
      throw new OperatorError(parsed.error.issues[0]?.message ?? 'invalid input');
    },
  };
}

/** The operator has asked for what cannot be; the message says why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
