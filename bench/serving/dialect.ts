import { hocuspocusDialect, yWebsocketDialect } from '../rivals/yjs-dialect.js';
import type { Edit } from '../trace.js';
import { Guest } from './guest.js';
import type { ServerEntry } from './server.js';
import { weftDialect } from './weft-dialect.js';

/** How clients of a server speak, and what they write. */
export interface Dialect {
  /** Resolves when all that the room holds has come. */
  enter(url: string): Promise<Guest>;
  /** A message for each text, which goes to the end of the room's; of a Weft room one of so many is sealed. */
  compose(writer: Guest, texts: readonly string[], perSeal: number): Promise<readonly Uint8Array[]>;
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

const rawDialect: Dialect = {
  enter: (url) => Guest.dial(url),
  compose: (_writer, texts) => Promise.resolve(texts.map((text) => Buffer.from(text))),
  document: () => Promise.resolve([]),
  async *replacements(_writer, values) {
    yield* values;
  },
  editsIn: () => 1,
  read: (frames) => Promise.resolve(frames.map(String).join('')),
  uninvited: (bytes) => new Uint8Array(bytes),
};

export async function dialectOf({ dialect }: ServerEntry): Promise<Dialect> {
  switch (dialect) {
    case 'weft':
      return weftDialect();
    case 'hocuspocus':
      return hocuspocusDialect();
    case 'y-websocket':
      return yWebsocketDialect();
    case 'raw':
      return rawDialect;
  }
}
