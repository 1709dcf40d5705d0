/**
 * What an operator asks of a data folder is one constant: name, schema, handler. The same handler runs in the server that
 * has the folder open, asked over its control socket, or in the command itself when no server runs.
 */
import type { Host, Store } from '@weft/core';
import type * as z from 'zod';

export interface OperatorContext {
  readonly host: Host;
  /** What the host stands on. */
  readonly store: Store;
  /** Something to be shown before the result is there. */
  readonly progress: (value: unknown) => void;
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
  run(context: OperatorContext, input: In): Promise<Out>;
}

type Declaration<In, Out> = Omit<Operation<In, Out>, 'answer'> & { readonly in: z.ZodType<In> };

export function operation<In, Out>(declaration: Declaration<In, Out>): Operation<In, Out> {
  return {
    ...declaration,
    answer(context, input) {
      const parsed = declaration.in.safeParse(input);
      if (parsed.success) return declaration.run(context, parsed.data);
      throw new OperatorError(parsed.error.issues[0]?.message ?? 'invalid input');
    },
  };
}

/** The operator has asked for what cannot be; the message says why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
