import { jazzDialect } from '../rivals/jazz-dialect.js';
import { tldrawDialect } from '../rivals/tldraw-dialect.js';
import { hocuspocusDialect, yWebsocketDialect } from '../rivals/yjs-dialect.js';
import type { Dialect } from './dialect.js';
import { Guest } from './guest.js';
import type { ServerEntry } from './server-entry.js';
import { weftDialect } from './weft-dialect.js';

/** Clients of a server that only passes on what it is sent: nobody says hello, and a text is its own message. */
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

/** How clients of this server speak. */
export async function dialectOf({ dialect }: ServerEntry): Promise<Dialect> {
  switch (dialect) {
    case 'weft':
      return weftDialect();
    case 'hocuspocus':
      return hocuspocusDialect();
    case 'y-websocket':
      return yWebsocketDialect();
    case 'tldraw':
      return tldrawDialect();
    case 'jazz':
      return jazzDialect();
    case 'raw':
      return rawDialect;
  }
}
