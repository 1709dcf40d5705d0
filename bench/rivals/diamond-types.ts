import type { TextEngine, TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';
import { importRival, rivalVersion } from './package-loader.js';

interface Doc {
  ins(position: number, text: string): void;
  del(position: number, length: number): void;
  get(): string;
  getLocalVersion(): Uint32Array;
  getPatchSince(version: Uint32Array): Uint8Array;
  mergeBytes(bytes: Uint8Array): Uint32Array;
  toBytes(): Uint8Array;
  free(): void;
}

interface DiamondTypes {
  readonly Doc: { new (agent: string): Doc; fromBytes(bytes: Uint8Array, agent: string): Doc };
}

class DiamondReplica implements TextReplica {
  readonly #doc: Doc;

  constructor(doc: Doc) {
    this.#doc = doc;
  }

  typeEach(edits: readonly Edit[]): Uint8Array[] {
    const doc = this.#doc;
    const messages: Uint8Array[] = [];
    let version = doc.getLocalVersion();
    for (const { position, deleted, inserted } of edits) {
      if (deleted > 0) doc.del(position, deleted);
      if (inserted !== '') doc.ins(position, inserted);
      messages.push(doc.getPatchSince(version));
      version = doc.getLocalVersion();
    }
    return messages;
  }

  typeAll(edits: readonly Edit[]): void {
    const doc = this.#doc;
    for (const { position, deleted, inserted } of edits) {
      if (deleted > 0) doc.del(position, deleted);
      if (inserted !== '') doc.ins(position, inserted);
    }
  }

  receiveEach(messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#doc.mergeBytes(message);
  }

  text(): string {
    return this.#doc.get();
  }

  save(): Uint8Array {
    return this.#doc.toBytes();
  }

  free(): void {
    this.#doc.free();
  }
}

export async function loadDiamondTypes(): Promise<TextEngine> {
  const { Doc } = (await importRival('diamond-types-node')) as DiamondTypes;
  return {
    name: 'diamond-types',
    version: rivalVersion('diamond-types-node'),
    doesNot: ['no hash', 'no signature'],
    signs: false,
    concurrent: true,
    forms: ['binary'],
    create: (agent) => new DiamondReplica(new Doc(`agent-${agent}`)),
    open: (bytes) => new DiamondReplica(Doc.fromBytes(bytes, 'reader')),
  };
}
