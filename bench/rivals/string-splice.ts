import type { TextEngine, TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';

/** The floor: one JavaScript string that is cut and joined. Shares nothing, merges nothing. */
class SpliceReplica implements TextReplica {
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  typeAll(edits: readonly Edit[]): void {
    let text = this.#text;
    for (const { position, deleted, inserted } of edits) {
      text = text.slice(0, position) + inserted + text.slice(position + deleted);
    }
    this.#text = text;
  }

  text(): string {
    return this.#text;
  }

  save(): Uint8Array {
    return new TextEncoder().encode(this.#text);
  }
}

export function loadStringSplice(): Promise<TextEngine> {
  const decoder = new TextDecoder();
  return Promise.resolve({
    name: 'string-splice',
    version: '',
    doesNot: ['no messages', 'no merging', 'no history'],
    signs: false,
    concurrent: false,
    forms: ['utf-8'],
    create: () => new SpliceReplica(''),
    open: (bytes) => new SpliceReplica(decoder.decode(bytes)),
  });
}
