import type { TextEngine, TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';
import { importRival, rivalVersion } from './package-loader.js';

interface LoroText {
  insert(index: number, text: string): void;
  delete(index: number, length: number): void;
  toString(): string;
}

interface Frontier {
  readonly peer: string;
  readonly counter: number;
}

type ExportMode =
  | { readonly mode: 'update' | 'snapshot' }
  | { readonly mode: 'shallow-snapshot'; readonly frontiers: readonly Frontier[] };

interface LoroDoc {
  setPeerId(peer: string): void;
  getText(name: string): LoroText;
  commit(): void;
  subscribeLocalUpdates(listener: (bytes: Uint8Array) => void): () => void;
  import(bytes: Uint8Array): unknown;
  export(mode: ExportMode): Uint8Array;
  oplogFrontiers(): readonly Frontier[];
  free(): void;
}

interface Loro {
  readonly LoroDoc: new () => LoroDoc;
}

class LoroReplica implements TextReplica {
  readonly #doc: LoroDoc;
  readonly #text: LoroText;

  constructor(doc: LoroDoc) {
    this.#doc = doc;
    this.#text = doc.getText('text');
  }

  typeEach(edits: readonly Edit[]): Uint8Array[] {
    const messages: Uint8Array[] = [];
    const unsubscribe = this.#doc.subscribeLocalUpdates((bytes) => {
      messages.push(bytes);
    });
    for (const edit of edits) {
      this.#apply(edit);
      this.#doc.commit();
    }
    unsubscribe();
    return messages;
  }

  typeAll(edits: readonly Edit[]): void {
    for (const edit of edits) this.#apply(edit);
    this.#doc.commit();
  }

  #apply({ position, deleted, inserted }: Edit): void {
    if (deleted > 0) this.#text.delete(position, deleted);
    if (inserted !== '') this.#text.insert(position, inserted);
  }

  receiveEach(messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#doc.import(message);
  }

  text(): string {
    return this.#text.toString();
  }

  save(form: string): Uint8Array {
    if (form === 'shallow') {
      return this.#doc.export({ mode: 'shallow-snapshot', frontiers: this.#doc.oplogFrontiers() });
    }
    return this.#doc.export({ mode: form === 'snapshot' ? 'snapshot' : 'update' });
  }

  free(): void {
    this.#doc.free();
  }
}

export async function loadLoro(): Promise<TextEngine> {
  const { LoroDoc } = (await importRival('loro-crdt')) as Loro;
  return {
    name: 'loro',
    version: rivalVersion('loro-crdt'),
    doesNot: ['no hash', 'no signature', 'shallow: no history'],
    signs: false,
    concurrent: true,
    forms: ['update', 'snapshot', 'shallow'],
    create: (agent) => {
      const doc = new LoroDoc();
      // Peer ids of the size that Loro draws at random.
      doc.setPeerId(String(3_141_592_653_589_793_238n + BigInt(agent)));
      return new LoroReplica(doc);
    },
    open: (bytes) => {
      const doc = new LoroDoc();
      doc.import(bytes);
      return new LoroReplica(doc);
    },
  };
}
