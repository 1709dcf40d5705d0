import type { Edit } from '../measuring/trace.js';
import type { Guest } from './guest.js';

/** What goes over a socket as it is: some servers take nothing but text. */
export type Message = string | Uint8Array;

/** How clients of a server speak, and what they write. */
export interface Dialect {
  /** Resolves when all that the room holds has come. */
  enter(url: string): Promise<Guest>;
  /** A message for each text, which goes to the end of the room's; of a Weft room one of so many is sealed. */
  compose(writer: Guest, texts: readonly string[], perSeal: number): Promise<readonly Message[]>;
  /** All of a recording, as who typed it hands it over. */
  document(writer: Guest, edits: readonly Edit[]): Promise<readonly Uint8Array[]>;
  /** Messages that each replace one value by other bytes. */
  replacements(writer: Guest, values: Iterable<Uint8Array>): AsyncIterator<Uint8Array>;
  /** How many edits a frame brings. */
  editsIn(frame: Buffer): number;
  /** What a reader has who has received these frames, in the order in which they came. */
  read(frames: readonly Buffer[]): Promise<string>;
  /** Frames of somebody who was not let in. */
  readonly uninvited: (bytes: number) => Uint8Array;
}

/** What a dialect answers that has nothing for a bench; the bench does not name its server. */
export function takesNoPart(): never {
  throw new Error('this server takes no part in that bench');
}
