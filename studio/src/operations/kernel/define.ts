/**
 * A declaration of one operation; the doors (REST, tools, OpenAPI, docs) expose what it says and know no operation by name.
 *
 * Input is one flat object: the route names its path keys in braces, `query` lists its query keys, the rest is
 * the body; a tool takes the same object as its arguments. A call takes only what `parse` gave, so a handler never
 * sees input that was not parsed, and nothing leaves that its output schema does not name.
 * The two steps (`operation({...}).run(handler)`) let the compiler infer the input before it reads the handler,
 * which keeps type checking of a few hundred operations fast.
 */
import type { z } from 'zod';
import { Rejection } from '@weft/core';
import { isGeneralReason, isStudioReason, refusal } from '../../reasons.js';
import type { StudioReason } from '../../reasons.js';
import type { FeedEntry } from '../../record/ledger/feed.js';
import type { Records } from '../../record/views/records.js';
import type { Answer } from './answer.js';
import type { Scope } from './caller.js';
import type { Context } from './context.js';
import { fieldFaults } from './field-faults.js';
import { parsedInTurns } from './long-results.js';
import { LIST_FIELDS, type Shown, pageOf } from './pages.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Route = `${Method} /studio/${string}`;

/** What a caller may assume about a tool. Hints to a model or a person, never a permission. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** Reaches beyond this machine. */
  readonly openWorld: boolean;
}

/** A tool of the external profile, and how its result differs from the operation's own when it does. */
export interface ExternalTool {
  readonly name: string;
  readonly out: z.ZodType;
  readonly result: (out: unknown) => unknown;
}

/** A question to a person. */
export interface Question {
  readonly id: string;
  readonly text: string;
  /** Answers to choose from. Empty: any. */
  readonly options: readonly string[];
  /** What the operation that takes the answer is given beside it. */
  readonly input: object;
}

/** Questions to people that a result tells of. A client that can shows them, which may make it call a second time. */
export interface Asks<Out = unknown> {
  readonly questions: (out: Out) => readonly Question[];
  /** Id of the operation that takes the answers, as `response`, and `note` if there is one. */
  readonly answeredBy: string;
}

/** How work stands that another operation began and that goes on. */
export interface WorkStanding {
  readonly is: 'working' | 'done' | 'ended';
  readonly since: string;
  readonly changedAt: string;
  /** What it does or waits for, or how it ended, in a sentence. */
  readonly says: string;
  /** Once it is done: what the operation that began it would answer now. */
  readonly result: object;
}

/** Work that another operation began: a client that can is given a task in place of the answer. */
export interface Follows<Out = unknown> {
  /** Id of the operation that begins it, and of the one that ends it. */
  readonly begunBy: string;
  readonly endedBy: string;
  /** Field of the answer of the one that begins it, and of the input of the others, that names it. */
  readonly namedBy: string;
  /** Undefined for what was not begun by that operation. */
  readonly stands: (out: Out) => WorkStanding | undefined;
}

/** Parsed input of an operation: what its `parse` made of it. */
export class Parsed {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

export interface Operation {
  readonly summary: string;
  readonly scope: Scope;
  readonly in: z.ZodObject;
  readonly out: z.ZodType;
  readonly rest: { readonly method: Method; readonly path: string; readonly query: readonly string[] } | undefined;
  /** Without the prefix, which belongs to the door. */
  readonly tool: string | undefined;
  readonly external: ExternalTool | undefined;
  /** Whether agents inside this host may call the tool. */
  readonly dispatch: boolean;
  /** Only people may do it: agents are refused, and that they tried is recorded. */
  readonly human: boolean;
  /** An agent may do it only where a person has named the tool for it; that others tried is recorded. */
  readonly granted: boolean;
  /** Fields that only people may give: what they say binds the agents themselves. That an agent gave one is recorded. */
  readonly ofPeople: readonly string[];
  readonly asks: Asks | undefined;
  readonly follows: Follows | undefined;
  readonly refuses: readonly StudioReason[];
  readonly hints: ToolHints;
  /** Reads input by the schema; a refusal names the fields that are wrong. */
  readonly parse: (raw: unknown) => Parsed;
  /** How often what the input names has changed; undefined where it names nothing that is there. */
  readonly version: ((records: Records, input: Parsed) => number | undefined) | undefined;
  readonly call: (context: Context, input: Parsed) => Promise<Answer>;
  /** Present in an operation that goes on answering; that one is not called. */
  readonly follow?: (context: Context, input: Parsed) => Follow;
}

/** Events from a place in the feed on, as the caller sees them. */
export interface Follow {
  readonly after: number;
  readonly isWanted: (entry: FeedEntry) => boolean;
  /** Filter as text: equal for followers who want the same events. */
  readonly wants: string;
  /** Whether the agents of a work unit are heard while they speak. Absent: none are. */
  readonly hears?: ((workUnitId: string) => boolean) | undefined;
  /** View of an event, which does not depend on who follows. */
  readonly show: (entry: FeedEntry) => { readonly kind: string };
}

/** An operation of the table, with the id that no other has: `<noun>.<verb>`. */
export interface NamedOperation extends Operation {
  readonly id: string;
}

/** A list may say how its items are shown. */
type Result<Given> = Given | (Given extends readonly (infer Item)[] ? Shown<Item> : never);

type PathKeys<Text extends string> = Text extends `${string}{${infer Key}}${infer Rest}` ? Key | PathKeys<Rest> : never;

/** The route itself when each of its path keys is a field of the input; otherwise a type that says which is not. */
export type CheckedRoute<R extends string, In extends z.ZodObject> =
  Exclude<PathKeys<R>, keyof z.infer<In>> extends never
    ? R
    : { readonly notAFieldOfTheInput: Exclude<PathKeys<R>, keyof z.infer<In>> };

type Declaration<R extends Route, In extends z.ZodObject, Out extends z.ZodType, ExternalOut extends z.ZodType> = {
  readonly summary: string;
  readonly scope: Scope;
  readonly in: In;
  readonly out: Out;
  readonly rest?: {
    readonly route: CheckedRoute<R, In> & R;
    readonly query?: readonly Exclude<keyof z.infer<In> & string, PathKeys<R>>[];
  };
  /** A name when the result is the same; the whole form when outside callers get another shape. */
  readonly external?:
    | string
    | {
        readonly name: string;
        readonly out: ExternalOut;
        readonly result: (out: z.output<Out>) => z.input<ExternalOut>;
      };
  /** The field that names each item of a list, which can be read in pages then. */
  readonly list?: string;
  readonly human?: true;
  readonly granted?: true;
  readonly ofPeople?: readonly (keyof z.infer<In> & string)[];
  readonly version?: (records: Records, input: z.output<In>) => number | undefined;
  readonly asks?: Asks<z.output<Out>>;
  readonly follows?: Follows<z.output<Out>>;
  readonly refuses: readonly StudioReason[];
  readonly annotations: ToolHints;
} & ({ readonly tool: string; readonly dispatch?: boolean } | { readonly tool?: undefined; readonly dispatch?: false });

export function operation<
  const R extends Route,
  In extends z.ZodObject,
  Out extends z.ZodType,
  ExternalOut extends z.ZodType = Out,
>(declared: Declaration<R, In, Out, ExternalOut>) {
  const { list, version, asks, follows } = declared;
  const strict = (list === undefined ? declared.in : declared.in.extend(LIST_FIELDS)).strict();
  const listKeys = list === undefined ? [] : Object.keys(LIST_FIELDS);
  // `parse` gave it: the strict twin of the schema only refuses more, so it has the declared type.
  const own = ({ value }: Parsed): z.output<In> => value as z.output<In>;
  const described: Omit<Operation, 'call'> = {
    summary: declared.summary,
    scope: declared.scope,
    in: strict,
    out: declared.out,
    rest:
      declared.rest === undefined
        ? undefined
        : splitRoute(declared.rest.route, [...(declared.rest.query ?? []), ...listKeys]),
    tool: declared.tool,
    external: externalTool(declared.external, declared.out),
    dispatch: declared.dispatch ?? false,
    human: declared.human ?? false,
    granted: declared.granted ?? false,
    ofPeople: declared.ofPeople ?? [],
    // `call` has parsed the result.
    asks: asks && { ...asks, questions: (out) => asks.questions(out as z.output<Out>) },
    follows: follows && { ...follows, stands: (out) => follows.stands(out as z.output<Out>) },
    refuses: declared.refuses,
    hints: declared.annotations,
    parse: (raw) => {
      const found = strict.safeParse(raw);
      if (!found.success) throw invalidInput(found.error, raw);
      return new Parsed(found.data);
    },
    version: version && ((records, input) => version(records, own(input))),
  };
  return {
    run(
      handler: (context: Context, input: z.output<In>) => Promise<Result<z.input<Out>>> | Result<z.input<Out>>,
    ): Operation {
      return {
        ...described,
        call: async (context, input) => {
          try {
            const result = await handler(context, own(input));
            const shown = context.repeatable?.shownOf(result);
            if (shown !== undefined) return { data: shown };
            if (list === undefined) return { data: await parsedInTurns(declared.out, result) };
            const { items, next } = await pageOf(result, list, own(input));
            return { data: await parsedInTurns(declared.out, items), ...(next === undefined ? {} : { next }) };
          } catch (error) {
            reportUndeclared(context, declared.summary, declared.refuses, error);
            throw error;
          }
        },
      };
    },
    /** For what goes on answering; `out` is one of its events. */
    follow(handler: (context: Context, input: z.output<In>) => Follow): Operation {
      return {
        ...described,
        call: () => Promise.reject(new Error(`${declared.summary} It is followed, not called.`)),
        follow: (context, input) => handler(context, own(input)),
      };
    },
  };
}

function splitRoute(route: Route, query: readonly string[]): NonNullable<Operation['rest']> {
  const space = route.indexOf(' ');
  return { method: route.slice(0, space) as Method, path: route.slice(space + 1), query };
}

function externalTool<Out extends z.ZodType, ExternalOut extends z.ZodType>(
  declared:
    | string
    | { name: string; out: ExternalOut; result: (out: z.output<Out>) => z.input<ExternalOut> }
    | undefined,
  out: Out,
): ExternalTool | undefined {
  if (declared === undefined) return undefined;
  if (typeof declared === 'string') return { name: declared, out, result: (result) => result };
  // `call` has parsed the result with `out`, which is what the mapping expects.
  return {
    name: declared.name,
    out: declared.out,
    result: (result) => declared.out.parse(declared.result(result as z.output<Out>)),
  };
}

function invalidInput(error: z.ZodError, input: unknown): Rejection {
  const faults = fieldFaults(error, input);
  const text = faults.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
  return refusal('reject.invalid_input', text, faults);
}

/** What the log says of a refusal that its operation does not declare. */
export const UNDECLARED = 'an operation refused for a reason that it does not declare';

/** The declaration is what docs and callers read, so a refusal that it does not list is a defect worth a line. */
function reportUndeclared(context: Context, summary: string, declared: readonly StudioReason[], error: unknown): void {
  // What is no reason of the studio is of the store: doors say it in words of their own, as for every operation.
  if (!(error instanceof Rejection) || !isStudioReason(error.reason) || isGeneralReason(error.reason)) return;
  if (declared.some((reason) => reason === error.reason)) return;
  context.log({
    level: 'error',
    message: UNDECLARED,
    about: { summary },
    error,
  });
}
