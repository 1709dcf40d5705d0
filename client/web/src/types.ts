/** Types of rooms: what is in them by name, from one interface that a project augments. */

/**
 * Rooms of a project. Augment it and everything about them is typed:
 *
 *   declare module '@weft/client' {
 *     interface Rooms { plan: { values: { title: string; 'tasks/*': Task }; texts: 'body'; presence: { cursor?: string } } }
 *   }
 */
export interface Rooms {}

/** What a room holds. A name that ends with `*` stands for all that begin like it. */
export interface RoomShape {
  readonly values?: object;
  readonly lists?: object;
  readonly texts?: string;
  readonly presence?: unknown;
}

/** A room of which nothing is said: any value may have any name. */
export interface AnyRoom {
  readonly values: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<string, unknown>>;
  readonly texts: string;
  readonly presence: unknown;
}

/** Names of the project's rooms, and any other. */
export type RoomName = keyof Rooms extends never ? string : keyof Rooms | (string & {});
/** What the room of a name holds. */
export type ShapeOf<Name> = Name extends keyof Rooms ? Rooms[Name] : AnyRoom;

type NamesOf<Pattern extends string> = Pattern extends `${infer Prefix}*` ? `${Prefix}${string}` : Pattern;
type Part<Shape, Name extends string> = Name extends keyof Shape ? NonNullable<Shape[Name]> : Record<never, never>;
type NamesIn<Fields> = { [P in keyof Fields & string]: NamesOf<P> }[keyof Fields & string];
type At<Fields, Name extends string> = {
  [P in keyof Fields & string]: Name extends NamesOf<P> ? Fields[P] : never;
}[keyof Fields & string];

export type ValueKey<Shape> = NamesIn<Part<Shape, 'values'>>;
export type ValueAt<Shape, Key extends string> = At<Part<Shape, 'values'>, Key>;
export type ListKey<Shape> = NamesIn<Part<Shape, 'lists'>>;
export type ItemAt<Shape, Key extends string> = At<Part<Shape, 'lists'>, Key>;
export type TextKey<Shape> = Shape extends { readonly texts: infer Names extends string } ? NamesOf<Names> : never;
export type PresenceOf<Shape> = Shape extends { readonly presence: infer Shown } ? Shown : unknown;

/** Standard Schema, as far as it is asked: any library of schemas has it. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult | Promise<StandardResult>;
  };
}

export interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly { readonly message: string }[] | undefined;
}
