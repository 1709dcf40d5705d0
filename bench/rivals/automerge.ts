import type { TextEngine, TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';
import { importRival, rivalVersion } from './package-loader.js';

interface Content {
  readonly text: string;
}

interface Automerge {
  from(content: Content, options: { readonly actor: string }): Content;
  load(bytes: Uint8Array, options: { readonly actor: string }): Content;
  change(doc: Content, action: (draft: Content) => void): Content;
  splice(draft: Content, path: readonly string[], index: number, deleted: number, inserted: string): void;
  getLastLocalChange(doc: Content): Uint8Array | undefined;
  applyChanges(doc: Content, changes: readonly Uint8Array[]): readonly [Content];
  save(doc: Content): Uint8Array;
  free(doc: Content): void;
}

const path = ['text'];

class AutomergeReplica implements TextReplica {
  readonly #automerge: Automerge;
  #doc: Content;

  constructor(automerge: Automerge, doc: Content) {
    this.#automerge = automerge;
    this.#doc = doc;
  }

  typeEach(edits: readonly Edit[]): Uint8Array[] {
    const messages: Uint8Array[] = [];
    for (const { position, deleted, inserted } of edits) {
      this.#doc = this.#automerge.change(this.#doc, (draft) => {
        this.#automerge.splice(draft, path, position, deleted, inserted);
      });
      const message = this.#automerge.getLastLocalChange(this.#doc);
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  typeAll(edits: readonly Edit[]): void {
    this.#doc = this.#automerge.change(this.#doc, (draft) => {
      for (const { position, deleted, inserted } of edits) {
        this.#automerge.splice(draft, path, position, deleted, inserted);
      }
    });
  }

  receiveEach(messages: readonly Uint8Array[]): void {
    for (const message of messages) [this.#doc] = this.#automerge.applyChanges(this.#doc, [message]);
  }

  text(): string {
    return this.#doc.text;
  }

  save(): Uint8Array {
    return this.#automerge.save(this.#doc);
  }

  free(): void {
    this.#automerge.free(this.#doc);
  }
}

export async function loadAutomerge(): Promise<TextEngine> {
  const automerge = (await importRival('@automerge/automerge')) as Automerge;
  // 16 bytes, as Automerge draws them at random.
  const actor = (agent: number): string => `3141592653589793238462643383${(agent + 1).toString(16).padStart(4, '0')}`;
  const empty = automerge.save(automerge.from({ text: '' }, { actor: actor(1000) }));
  return {
    name: 'automerge',
    version: rivalVersion('@automerge/automerge'),
    doesNot: ['no signature'],
    signs: false,
    concurrent: true,
    forms: ['binary'],
    most: { typeEach: 20_000, receiveEach: 5_000, merge: 3_000 },
    create: (agent) => new AutomergeReplica(automerge, automerge.load(empty, { actor: actor(agent) })),
    open: (bytes) => new AutomergeReplica(automerge, automerge.load(bytes, { actor: actor(99) })),
  };
}
