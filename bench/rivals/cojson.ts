import type { TextEngine, TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';
import { importRival, rivalVersion } from './package-loader.js';

interface Known {
  readonly sessions: Readonly<Record<string, number>>;
}

interface Content {
  readonly id: string;
}

interface Core {
  newContentSince(known: Known | undefined): readonly Content[] | undefined;
  knownState(): Known;
  getCurrentContent(): { toString(): string };
}

interface PlainText {
  readonly core: Core;
  readonly id: string;
  insertBefore(index: number, text: string, privacy: 'trusting'): void;
  deleteRange(range: { readonly from: number; readonly to: number }, privacy: 'trusting'): void;
  toString(): string;
}

interface LocalNode {
  readonly syncManager: { handleNewContent(content: Content, from: 'import'): void };
  createGroup(): { readonly core: Core; createPlainText(): PlainText };
  getCoValue(id: string): Core;
}

interface Crypto {
  newRandomAgentSecret(): string;
  getAgentID(secret: string): string;
  newRandomSessionID(agent: string): string;
}

interface Cojson {
  readonly LocalNode: new (secret: string, session: string, crypto: Crypto) => LocalNode;
}

interface NapiCrypto {
  readonly NapiCrypto: { create(): Promise<Crypto> };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Content travels as JSON, as in cojson's own protocol. The first message carries the text's group and header too. */
class CojsonReplica implements TextReplica {
  readonly #node: LocalNode;
  #text: { toString(): string } | undefined;

  constructor(node: LocalNode) {
    this.#node = node;
  }

  typeEach(edits: readonly Edit[]): Uint8Array[] {
    const group = this.#node.createGroup();
    const text = group.createPlainText();
    this.#text = text;
    let setup: readonly Content[] = group.core.newContentSince(undefined) ?? [];
    let known: Known | undefined;
    const messages: Uint8Array[] = [];
    for (const { position, deleted, inserted } of edits) {
      if (deleted > 0) text.deleteRange({ from: position, to: position + deleted }, 'trusting');
      if (inserted !== '') text.insertBefore(position, inserted, 'trusting');
      const content = [...setup, ...(text.core.newContentSince(known) ?? [])];
      messages.push(encoder.encode(JSON.stringify(content)));
      known = text.core.knownState();
      setup = [];
    }
    return messages;
  }

  receiveEach(messages: readonly Uint8Array[]): void {
    let id: string | undefined;
    for (const message of messages) {
      const contents = JSON.parse(decoder.decode(message)) as readonly Content[];
      for (const content of contents) {
        this.#node.syncManager.handleNewContent(content, 'import');
        id = content.id;
      }
    }
    // Within the clock: cojson applies what it has verified when somebody reads.
    if (id !== undefined) this.#text = this.#node.getCoValue(id).getCurrentContent();
  }

  text(): string {
    return this.#text?.toString() ?? '';
  }
}

export async function loadCojson(): Promise<TextEngine> {
  const { LocalNode } = (await importRival('cojson')) as Cojson;
  const { NapiCrypto } = (await importRival('cojson/crypto/NapiCrypto')) as NapiCrypto;
  const crypto = await NapiCrypto.create();
  return {
    name: 'cojson',
    version: rivalVersion('cojson'),
    doesNot: ['no encryption here', 'receiver applies all at the end'],
    signs: true,
    concurrent: false,
    forms: [],
    most: { typeEach: 5_000, receiveEach: 5_000 },
    create: () => {
      const secret = crypto.newRandomAgentSecret();
      return new CojsonReplica(new LocalNode(secret, crypto.newRandomSessionID(crypto.getAgentID(secret)), crypto));
    },
    open: () => {
      throw new Error('cojson has no document bytes: it opens a store.');
    },
  };
}
