import type { TextEngine, TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';
import { importRival, rivalVersion } from './package-loader.js';

interface YText {
  insert(index: number, text: string): void;
  delete(index: number, length: number): void;
  toString(): string;
}

interface YDoc {
  clientID: number;
  getText(name: string): YText;
  transact(action: () => void): void;
  on(event: 'update', listener: (update: Uint8Array) => void): void;
  off(event: 'update', listener: (update: Uint8Array) => void): void;
  destroy(): void;
}

interface Yjs {
  readonly Doc: new () => YDoc;
  applyUpdate(doc: YDoc, update: Uint8Array): void;
  applyUpdateV2(doc: YDoc, update: Uint8Array): void;
  encodeStateAsUpdate(doc: YDoc): Uint8Array;
  encodeStateAsUpdateV2(doc: YDoc): Uint8Array;
}

class YjsReplica implements TextReplica {
  readonly #yjs: Yjs;
  readonly #doc: YDoc;
  readonly #text: YText;

  constructor(yjs: Yjs, clientID: number) {
    this.#yjs = yjs;
    this.#doc = new yjs.Doc();
    this.#doc.clientID = clientID;
    this.#text = this.#doc.getText('text');
  }

  typeEach(edits: readonly Edit[]): Uint8Array[] {
    const messages: Uint8Array[] = [];
    const keep = (update: Uint8Array): void => {
      messages.push(update);
    };
    this.#doc.on('update', keep);
    for (const edit of edits) {
      // A replacement is one message; a plain edit is a transaction by itself.
      if (edit.deleted > 0 && edit.inserted !== '') this.#doc.transact(() => this.#apply(edit));
      else this.#apply(edit);
    }
    this.#doc.off('update', keep);
    return messages;
  }

  typeAll(edits: readonly Edit[]): void {
    this.#doc.transact(() => {
      for (const edit of edits) this.#apply(edit);
    });
  }

  #apply({ position, deleted, inserted }: Edit): void {
    if (deleted > 0) this.#text.delete(position, deleted);
    if (inserted !== '') this.#text.insert(position, inserted);
  }

  receiveEach(messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#yjs.applyUpdate(this.#doc, message);
  }

  text(): string {
    return this.#text.toString();
  }

  save(form: string): Uint8Array {
    return form === 'V2' ? this.#yjs.encodeStateAsUpdateV2(this.#doc) : this.#yjs.encodeStateAsUpdate(this.#doc);
  }

  load(bytes: Uint8Array, form: string): this {
    if (form === 'V2') this.#yjs.applyUpdateV2(this.#doc, bytes);
    else this.#yjs.applyUpdate(this.#doc, bytes);
    return this;
  }

  free(): void {
    this.#doc.destroy();
  }
}

export async function loadYjs(): Promise<TextEngine> {
  const yjs = (await importRival('yjs')) as Yjs;
  // Ids of the size that Yjs draws at random, so that messages have their usual length.
  const clientId = (agent: number): number => 3_141_592_653 + agent;
  return {
    name: 'yjs',
    version: rivalVersion('yjs'),
    doesNot: ['no hash', 'no signature', 'drops deleted text'],
    signs: false,
    concurrent: true,
    forms: ['V2', 'V1'],
    create: (agent) => new YjsReplica(yjs, clientId(agent)),
    open: (bytes, form) => new YjsReplica(yjs, clientId(99)).load(bytes, form),
  };
}
