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

export interface Operation<In = unknown, Out = unknown> {
  readonly name: string;
  readonly in: z.ZodType<In>;
  /** Not beside another one that says so: what one copies, another could be deleting. */
  readonly alone?: true;
  run(context: OperatorContext, input: In): Promise<Out>;
}

export function operation<In, Out>(declaration: Operation<In, Out>): Operation<In, Out> {
  return declaration;
}

/** The operator has asked for what cannot be; the message says why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
