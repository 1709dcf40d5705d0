// What clients of the two Yjs servers send and understand, of their protocol as much as the benches use.
import type { Dialect } from '../serving/dialect.js';
import { Guest } from '../serving/guest.js';
import { importRival } from './package-loader.js';
import { Edits, type Updates } from './yjs-edits.js';

interface YDoc {
  getText(name: string): {
    insert(index: number, text: string): void;
    delete(index: number, length: number): void;
    toString(): string;
    readonly length: number;
  };
  getMap(name: string): { set(key: string, value: Uint8Array): void };
  on(event: 'update', listener: (update: Uint8Array) => void): void;
}

interface Yjs extends Updates {
  readonly Doc: new () => YDoc;
  encodeStateAsUpdate(doc: YDoc): Uint8Array;
  applyUpdate(doc: YDoc, update: Uint8Array): void;
}

const SYNC = 0;
const AUTH = 2;
const SYNC_REPLY = 4;
const [STEP_1, STEP_2, UPDATE] = [0, 1, 2];

/** Dialect of y-websocket, whose URL names the room. */
export const yWebsocketDialect = (): Promise<Dialect> => yjsDialect(() => '');

/** Dialect of Hocuspocus, whose every frame names the document. */
export const hocuspocusDialect = (): Promise<Dialect> => yjsDialect((url) => url.slice(url.lastIndexOf('/') + 1));

async function yjsDialect(nameOf: (url: string) => string): Promise<Dialect> {
  const yjs = (await importRival('yjs')) as Yjs;
  const names = new WeakMap<Guest, string>();
  const edits = new Edits(yjs);
  const isNamed = nameOf('/room') !== '';
  /** The kind of sync message and what it carries; undefined of other frames. */
  const parse = (frame: Buffer) => {
    let at = isNamed ? 1 + (frame[0] ?? 0) : 0;
    const type = frame[at++];
    if (type !== SYNC && type !== SYNC_REPLY) return undefined;
    const kind = frame[at++];
    let [size, shift] = [0, 0];
    for (let byte = 0x80; byte & 0x80; shift += 7) size += ((byte = frame[at++] ?? 0) & 0x7f) << shift;
    return { kind, bytes: frame.subarray(at, at + size) };
  };
  const named = (name: string, ...parts: readonly (number | Uint8Array)[]): Uint8Array =>
    message(...(name === '' ? [] : [Buffer.from(name)]), ...parts);
  return {
    async enter(url) {
      const guest = await Guest.dial(url);
      const name = nameOf(url);
      names.set(guest, name);
      const hello = named(name, SYNC, STEP_1, new Uint8Array([0]));
      const greeting = name === '' ? [hello] : [named(name, AUTH, 0, Buffer.from('anybody')), hello];
      await guest.enter(greeting, (frame) => parse(frame)?.kind === STEP_2);
      return guest;
    },
    compose(writer, texts) {
      const doc = new yjs.Doc();
      const text = doc.getText('text');
      const updates: Uint8Array[] = [];
      doc.on('update', (update) => {
        edits.note(update);
        updates.push(update);
      });
      for (const added of texts) text.insert(text.length, added);
      return Promise.resolve(updates.map((update) => named(names.get(writer) ?? '', SYNC, UPDATE, update)));
    },
    document(writer, edits) {
      const doc = new yjs.Doc();
      const text = doc.getText('text');
      for (const { position, deleted, inserted } of edits) {
        if (deleted > 0) text.delete(position, deleted);
        if (inserted !== '') text.insert(position, inserted);
      }
      return Promise.resolve([named(names.get(writer) ?? '', SYNC, UPDATE, yjs.encodeStateAsUpdate(doc))]);
    },
    async *replacements(writer, values) {
      const doc = new yjs.Doc();
      const map = doc.getMap('map');
      let update = new Uint8Array();
      doc.on('update', (made) => {
        edits.note(made);
        update = Uint8Array.from(made);
      });
      for (const value of values) {
        map.set('value', value);
        yield named(names.get(writer) ?? '', SYNC, UPDATE, update);
      }
    },
    editsIn(frame) {
      const sync = parse(frame);
      return sync?.kind === UPDATE ? edits.countIn(sync.bytes) : 0;
    },
    read(frames) {
      const doc = new yjs.Doc();
      for (const frame of frames) {
        const sync = parse(frame);
        if (sync && sync.kind !== STEP_1) yjs.applyUpdate(doc, sync.bytes);
      }
      return Promise.resolve(doc.getText('text').toString());
    },
    uninvited: (bytes) => named('room', SYNC, UPDATE, new Uint8Array(bytes)),
  };
}

/** Numbers of one byte as they are, bytes with their length before them. */
function message(...parts: readonly (number | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.flatMap((part) => (typeof part === 'number' ? [Buffer.of(part)] : [length(part), part])));
}

function length({ length: rest }: Uint8Array): Buffer {
  const bytes: number[] = [];
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}
