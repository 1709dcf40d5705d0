// The sync server of tldraw, with a schema of one record that has a text.
import { importRival } from './package-loader.js';
import { openPort } from './web-socket-port.js';

interface Schema {
  serialize(): object;
}

interface Store {
  readonly StoreSchema: { create(types: object): Schema };
  createRecordType(name: string, options: object): object;
}

interface SyncCore {
  readonly TLSocketRoom: new (options: object) => {
    handleSocketConnect(session: { readonly sessionId: string; readonly socket: unknown }): void;
  };
}

/** Peers of the benches are silent for longer than the seconds after which it ends a session; its own clients say something before. */
const SILENCE_MS = 3_600_000;

/** Records as they come: the server validates each by what the schema gives it. */
const isText = (record: { readonly text?: unknown }): unknown => {
  if (typeof record.text !== 'string') throw new Error('a text has no text');
  return record;
};

export async function textSchema(): Promise<Schema> {
  const { StoreSchema, createRecordType } = (await importRival('@tldraw/store')) as Store;
  return StoreSchema.create({
    text: createRecordType('text', { scope: 'document', validator: { validate: isText } }),
  });
}

/** Rooms in memory, which is what it has where none gives it a database. */
export async function startTldraw(): Promise<string> {
  const { TLSocketRoom } = (await importRival('@tldraw/sync-core')) as SyncCore;
  const schema = await textSchema();
  const rooms = new Map<string, InstanceType<typeof TLSocketRoom>>();
  let sessions = 0;
  return openPort((socket, { url = '' }) => {
    const known = rooms.get(url);
    const room =
      known ??
      new TLSocketRoom({
        schema,
        clientTimeout: SILENCE_MS,
        initialSnapshot: { clock: 0, documents: [], schema: schema.serialize() },
      });
    rooms.set(url, room);
    room.handleSocketConnect({ sessionId: String(sessions++), socket });
  });
}
