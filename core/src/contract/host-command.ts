/** A host command is one of the embedding API: an object with one key in, events with one key each out. */
import type { z } from 'zod';
import type { PublicKey } from '../graph/node.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Lease } from '../tenancy/tenancy.js';
import type { Frame } from '../wire/frame.js';
import type { Rejected } from '../wire/rejected.js';
import type { Command } from './command.js';
import type { CommandContext } from './context.js';
import type { Outputs } from './frames.js';

export interface HostCommand {
  readonly kind: 'host-command';
  readonly variant: string;
  readonly summary: string;
  readonly in: z.ZodObject;
  /** Events that it answers with, by name. */
  readonly out: Outputs;
  readonly rejected?: Rejected;
  handle(context: HostContext, input: unknown): Promise<readonly Answer[]>;
}

/** An event, but for the room in which it happened. */
export interface Answer {
  readonly name: string;
  readonly body: object;
}

export interface HostContext extends Pick<CommandContext, 'tenancy' | 'blobs' | 'blobUrls' | 'crypto'> {
  readonly sessions: OpenedSessions;
  /** Runs a command of connections as the operator: answers its replies, or rejects with its refusal. */
  ask(command: Command, input: object): Promise<readonly Frame[]>;
  /** Another room, if whoever asks may be there; to be released. */
  other(roomId: string): Promise<Lease>;
  /** Rejects unless whoever asks may be there. */
  mayVisit(roomId: string): Promise<void>;
}

/** The sessions that host commands have opened, by room and number. */
export interface OpenedSessions {
  open(roomId: RoomId, sessionId: number, pubkey: PublicKey): OpenedSession;
  of(roomId: RoomId, sessionId: number): OpenedSession;
  close(roomId: RoomId, sessionId: number): void;
}

export interface OpenedSession {
  readonly pubkey: PublicKey;
  /** Enters the room, or goes on in it with other rights and capabilities; answers the welcome. */
  hello(fields: object): Promise<Frame>;
  /** Answers what a frame is answered with; rejects with the refusal, if it is one. */
  ask(frame: Frame): Promise<readonly Frame[]>;
}

export function hostCommand<In extends z.ZodObject, Out extends z.ZodObject>(declaration: {
  readonly variant: string;
  readonly event: string;
  readonly summary: string;
  readonly in: In;
  readonly out: Out;
  readonly rejected?: Rejected;
}) {
  const { event, out, ...rest } = declaration;
  type Result = z.input<Out>;
  return {
    run(handler: (context: HostContext, input: z.output<In>) => Result | Promise<Result>): HostCommand {
      return {
        ...rest,
        kind: 'host-command',
        out: { [event]: out },
        // The door has parsed `input` with `in`.
        handle: async (context, input) => [{ name: event, body: await handler(context, input as z.output<In>) }],
      };
    },
  };
}

/** A host command whose answer is one of several events, or more than one. */
export function hostEvents<In extends z.ZodObject, const Out extends Outputs>(declaration: {
  readonly variant: string;
  readonly summary: string;
  readonly in: In;
  readonly out: Out;
}) {
  type Event = <K extends keyof Out & string>(name: K, body: z.input<Out[K]>) => Answer;
  const event: Event = (name, body) => ({ name, body });
  type Handler = (
    context: HostContext & { readonly event: Event },
    input: z.output<In>,
  ) => readonly Answer[] | Promise<readonly Answer[]>;
  return {
    run(handler: Handler): HostCommand {
      return {
        ...declaration,
        kind: 'host-command',
        // The door has parsed `input` with `in`.
        handle: async (context, input) => handler({ ...context, event }, input as z.output<In>),
      };
    },
  };
}
