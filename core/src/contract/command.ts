/**
 * A command is one constant: name, schemas, rights, refusals, handler. Doors walk the table of commands
 * and know none by name; commands know no transport. Handlers return effects, they never touch a socket.
 */
import type { z } from 'zod';
import type { Capability } from '../access/rights.js';
import type { Reason } from '../rejection.js';
import type { Frame } from '../wire/frame.js';
import type { Negotiable } from '../wire/negotiable.js';
import type { Rejected } from '../wire/rejected.js';
import type { CommandContext } from './context.js';
import type { Effects } from './effect.js';
import type { Frames, Outputs } from './frames.js';

export interface CommandDeclaration<In extends z.ZodObject, Out extends Outputs> {
  /** The only place where this string exists. */
  readonly type: string;
  readonly summary: string;
  /** True for the command that a connection must begin with. */
  readonly first?: boolean;
  /** Checked before the payload. */
  readonly requires?: Capability;
  /** What must have been negotiated in hello. */
  readonly needs?: Negotiable;
  /** True where the next frame of this kind may begin before this one is answered. The handler keeps the peer's budget. */
  readonly pipelined?: boolean;
  readonly in: In;
  /** Frames that the command sends, by type. */
  readonly out: Out;
  readonly refuses: readonly Reason[];
  readonly rejected?: Rejected;
  /** Class that a field of the wrong shape is refused by, where that is not `invalid-payload`. */
  readonly malformed?: Reason;
  /** Input of a frame of the usual shape, without the schema; undefined where the schema has to say. */
  readonly usual?: (frame: Frame) => z.output<In> | undefined;
  /** JSON of an answer that is sent often, as `JSON.stringify` would write it. */
  readonly write?: Readonly<Partial<Record<keyof Out & string, (frame: Frame) => string>>>;
}

export interface Command {
  readonly kind: 'command';
  readonly type: string;
  readonly summary: string;
  readonly first: boolean;
  readonly requires?: Capability;
  readonly needs?: Negotiable;
  readonly pipelined?: boolean;
  readonly in: z.ZodObject;
  readonly out: Outputs;
  readonly refuses: readonly Reason[];
  readonly rejected?: Rejected;
  readonly malformed?: Reason;
  readonly usual?: (frame: Frame) => unknown;
  readonly write?: Readonly<Partial<Record<string, (frame: Frame) => string>>>;
  handle(context: HandlerContext, input: unknown): Effects | Promise<Effects>;
}

/** All that a handler is given beside its input. */
export type HandlerContext = CommandContext & Frames<Outputs>;

export function command<In extends z.ZodObject, const Out extends Outputs>(declaration: CommandDeclaration<In, Out>) {
  type Handler = (context: CommandContext & Frames<Out>, input: z.output<In>) => Effects | Promise<Effects>;
  return {
    run(handler: Handler): Command {
      return {
        ...declaration,
        kind: 'command',
        first: declaration.first ?? false,
        // The session has parsed `input` with `in`.
        handle: (context, input) => handler(context, input as z.output<In>),
      };
    },
  };
}
