/**
 * A command is one constant: name, schemas, rights, refusals, handler. Doors walk the table of commands
 * and know none by name; commands know no transport. Handlers return effects, they never touch a socket.
 */
import type { z } from 'zod';
import type { Capability, Rights } from '../access/rights.js';
import type { NodeId } from '../graph/node.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { Lease } from '../host/rooms.js';
import type { Member } from '../tenancy/tenancy.js';
import type { Asker } from '../query/answers.js';
import type { Reason, Rejection } from '../rejection.js';
import type { CommandContext } from './context.js';
import type { HostSessions } from '../session/host-sessions.js';
import type { Negotiable } from '../wire/negotiable.js';
import type { Frame } from '../wire/frame.js';
import { type Rejected, rejectedShape } from '../wire/rejected.js';

/** Who hears a broadcast: everybody else, or those that a function names. */
export type Audience = 'others' | ((peer: PeerIdentity) => boolean);

/** What a peer becomes with its hello. */
export interface Joining {
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  readonly caps: ReadonlySet<string>;
  /** Absent: everything. */
  readonly patterns?: readonly string[];
  /** Nodes that it holds, with their ancestors; or the very nodes that it lacks. */
  readonly catchUp: { readonly known: readonly NodeId[] } | { readonly numbers: readonly number[] };
  /** The connection that it goes on from. */
  readonly supersedes?: Member;
}

export type Effect =
  | { readonly kind: 'reply'; readonly frame: Frame }
  /** Of a part of the request; what was done with the rest stands. */
  | { readonly kind: 'refusal'; readonly rejection: Rejection }
  | { readonly kind: 'broadcast'; readonly frame: Frame; readonly to: Audience }
  | { readonly kind: 'presence'; readonly frame: Frame; readonly ttlMs: number | undefined }
  /** To the members who hear it, as their sockets take it; whoever asked gets the reply behind. */
  | {
      readonly kind: 'stream';
      readonly frames: readonly Frame[];
      readonly hears: (rights: Rights) => boolean;
      readonly reply: Frame;
    }
  /** Makes the peer a member; it is sent what it lacks, and what comes. */
  | { readonly kind: 'join'; readonly joining: Joining }
  /** Sends nodes: those that the peer is not known to hold, or just these. */
  | { readonly kind: 'nodes'; readonly select: NodeSelection }
  | { readonly kind: 'subscribe'; readonly patterns: readonly string[] | undefined }
  /** What depends on how things stand when it is performed. */
  | { readonly kind: 'then'; readonly decide: () => Effects }
  /** Ends other connections, even when the one that asked for it has ended itself. */
  | { readonly kind: 'expel'; readonly whom: (member: Member) => boolean; readonly msg: string };

/** By what the peer holds, by name, or by number. */
export type NodeSelection =
  { readonly known: readonly NodeId[] } | { readonly ids: readonly NodeId[] } | { readonly numbers: readonly number[] };

export type Effects = readonly Effect[];

type Outputs = Readonly<Record<string, z.ZodObject>>;

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
}

/** Builds the effects of one command; fields of frames are checked against its `out` by the compiler. */
export interface Frames<Out extends Outputs> {
  /** The frame itself, for effects that take one. */
  frame<K extends keyof Out & string>(type: K, body: z.input<Out[K]>): Frame;
  reply<K extends keyof Out & string>(type: K, body: z.input<Out[K]>): Effect;
  broadcast<K extends keyof Out & string>(type: K, body: z.input<Out[K]>, to?: Audience): Effect;
  refuse(rejection: Rejection): Effect;
  /** As a broadcast to the others, kept for those who come later. */
  present<K extends keyof Out & string>(type: K, body: z.input<Out[K]>, ttlMs: number | undefined): Effect;
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
  handle(context: CommandContext, input: unknown): Effects | Promise<Effects>;
}

export function command<In extends z.ZodObject, const Out extends Outputs>(declaration: CommandDeclaration<In, Out>) {
  type Handler = (context: CommandContext & Frames<Out>, input: z.output<In>) => Effects | Promise<Effects>;
  return {
    run(handler: Handler): Command {
      return {
        ...declaration,
        kind: 'command',
        first: declaration.first ?? false,
        // The session has parsed `input` with `in`.
        handle: (context, input) => handler({ ...context, ...frames }, input as z.output<In>),
      };
    },
  };
}

const frames: Frames<Outputs> = {
  frame: (type, body) => ({ type, ...body }),
  reply: (type, body) => ({ kind: 'reply', frame: { type, ...body } }),
  broadcast: (type, body, to = 'others') => ({ kind: 'broadcast', frame: { type, ...body }, to }),
  refuse: (rejection) => ({ kind: 'refusal', rejection }),
  present: (type, body, ttlMs) => ({ kind: 'presence', frame: { type, ...body }, ttlMs }),
};

/** A frame that the server sends unasked. */
export interface Notice<Out extends z.ZodObject = z.ZodObject> {
  readonly kind: 'notice';
  readonly type: string;
  readonly when: string;
  readonly out: Out;
  frame(body: z.input<Out>): Frame;
}

export function notice<Out extends z.ZodObject>(declaration: {
  readonly type: string;
  readonly when: string;
  readonly out: Out;
}): Notice<Out> {
  return { ...declaration, kind: 'notice', frame: (body) => ({ type: declaration.type, ...body }) };
}

/** A command of the embedding API: a one-key object in, one-key events out. */
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

export interface HostContext extends Pick<CommandContext, 'tenancy' | 'blobs' | 'blobUrls'> {
  /** Those that were opened by commands. */
  readonly sessions: HostSessions;
  /** Runs a command of connections as the operator: answers its replies, or rejects with its refusal. */
  ask(command: Command, input: object): Promise<readonly Frame[]>;
  /** Another room, if whoever asks may be there; to be released. */
  other(roomId: string): Promise<Lease>;
  /** Rejects unless whoever asks may be there. */
  mayVisit(roomId: string): Promise<void>;
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

/** The same where the answer is one of several events, or more than one. */
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

/** What a command may know that is asked for through either door. */
export interface AskedIn extends Pick<HostContext, 'tenancy' | 'other' | 'mayVisit'> {
  readonly asker: Asker;
}

/** A command that is the same on the wire and in the embedding API, where the operator asks. */
export function bothDoors<In extends z.ZodObject, Out extends z.ZodObject>(declaration: {
  readonly type: string;
  readonly variant: string;
  readonly summary: string;
  readonly requires: Capability;
  readonly in: In;
  /** The answer: as a frame, and as an event. */
  readonly answers: { readonly frame: string; readonly event: string; readonly out: Out };
  /** Absent: it says no by an `error`, or throws. */
  readonly rejects?: { readonly frame: string; readonly event: string; readonly echoes: readonly string[] };
  readonly refuses: readonly Reason[];
}) {
  const { type, variant, summary, requires, in: input, answers, rejects, refuses } = declaration;
  const rejected = (name: 'frame' | 'event') =>
    rejects ? { rejected: { name: rejects[name], echoes: rejects.echoes } } : {};
  return {
    run(handler: (context: AskedIn, input: z.output<In>) => Promise<z.input<Out>>): readonly [Command, HostCommand] {
      const out: Outputs = {
        [answers.frame]: answers.out,
        ...(rejects ? { [rejects.frame]: rejectedShape(rejects.echoes) } : {}),
      };
      return [
        command({ type, summary, requires, in: input, out, refuses, ...rejected('frame') }).run(
          async ({ tenancy, identity, rights, other, mayVisit, reply }, given) => {
            const asker = { name: identity.pubkey, read: rights.read };
            const context = {
              tenancy,
              asker,
              other: (room: string) => other(room, type),
              mayVisit: (room: string) => mayVisit(room, type),
            };
            return [reply(answers.frame, await handler(context, given))];
          },
        ),
        {
          ...hostCommand({ variant, event: answers.event, summary, in: input, out: answers.out }).run(
            (context, given) => handler({ ...context, asker: { name: 'host', read: undefined } }, given),
          ),
          ...rejected('event'),
        },
      ];
    },
  };
}
