import { type Replica, decodePack, encodePack } from '@weft/core';
import type { TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';
import { joinHistory } from './document.js';
import { lastSealOf, messageOf, packOf, receiveMessage, saveReplica, sealedMessageOf } from './engine.js';

export const TEXT_KEY = 'text';

type TextEditor = ReturnType<Replica['text']>;

/** How edits become nodes, and nodes messages. */
export interface Manner {
  readonly editsPerNode: number;
  /** Every so many messages one has a seal, and the last one of a stretch of typing has one. */
  readonly messagesPerSeal: number;
}

/** Seals that are made at the same time. */
const IN_FLIGHT = 16;

/** Messages that are handed over in one turn: about what a socket reads at a time. */
const READ_AT_ONCE = 384;

/** Signing takes longer than everything else about an edit: so many make the rate plain. */
export const MOST_SIGNED = 20_000;

export const manners = {
  weft: { editsPerNode: 1, messagesPerSeal: 256 },
  'weft sealed': { editsPerNode: 1, messagesPerSeal: 1 },
  'weft batched': { editsPerNode: 64, messagesPerSeal: 1 },
} as const satisfies Readonly<Record<string, Manner>>;

export class WeftReplica implements TextReplica {
  readonly #genesis: Uint8Array;
  readonly #replica: Replica;
  readonly #manner: Manner;

  constructor(genesis: Uint8Array, replica: Replica, manner: Manner) {
    this.#genesis = genesis;
    this.#replica = replica;
    this.#manner = manner;
  }

  typeEach(edits: readonly Edit[]): Promise<Uint8Array[]> {
    return this.#type(edits, true);
  }

  typeOn(edits: readonly Edit[]): Promise<Uint8Array[]> {
    return this.#type(edits, false);
  }

  async #type(edits: readonly Edit[], sealsEnd: boolean): Promise<Uint8Array[]> {
    const { editsPerNode, messagesPerSeal } = this.#manner;
    const text = this.#replica.text(TEXT_KEY);
    const messages: Uint8Array[] = [];
    // Only these are waited for: a promise for each message would cost as much as the message.
    const sealing: Promise<void>[] = [];
    for (let from = 0; from < edits.length; from += editsPerNode) {
      const end = Math.min(from + editsPerNode, edits.length);
      this.#typeNode(text, edits, from, end);
      const sealed = (sealsEnd && end === edits.length) || (messages.length + 1) % messagesPerSeal === 0;
      if (sealed) sealing.push(this.#seal(messages));
      else messages.push(messageOf(this.#replica));
      // Signatures are made beside the typing, as many as an application would let run ahead.
      if (messages.length % (IN_FLIGHT * messagesPerSeal) === 0) await sealing.at(-1);
    }
    await Promise.all(sealing);
    return messages;
  }

  /** Its message comes later, at the place that it has among the others from now on. */
  async #seal(messages: Uint8Array[]): Promise<void> {
    const sealed = sealedMessageOf(this.#replica);
    const at = messages.push(new Uint8Array(0)) - 1;
    messages[at] = await sealed;
  }

  /** Ends with a pack: what was typed is hashed, linked and sealed, as if somebody had asked for all of it at once. */
  async typeAll(edits: readonly Edit[]): Promise<void> {
    const { editsPerNode } = this.#manner;
    const text = this.#replica.text(TEXT_KEY);
    for (let from = 0; from < edits.length; from += editsPerNode) {
      this.#typeNode(text, edits, from, Math.min(from + editsPerNode, edits.length));
    }
    await packOf(this.#replica);
  }

  /**
   * Receives messages like a socket hands them over: many in one turn of the event loop, and no more than twice as many
   * waiting.
   */
  async receiveEach(messages: readonly Uint8Array[]): Promise<void> {
    let before: Promise<unknown> | undefined;
    let last: Promise<unknown> | undefined;
    let read = 0;
    for (const message of messages) {
      last = receiveMessage(this.#replica, message);
      if (++read % READ_AT_ONCE > 0) continue;
      await before; // whoever is taken last has waited for all before
      before = last;
    }
    await last;
  }

  text(): string {
    return this.#replica.text(TEXT_KEY).toString();
  }

  /** A snapshot settles what was written, and settled nodes are in no pack: of the two forms it comes last. */
  async save(form: string): Promise<Uint8Array> {
    if (form === 'snapshot') return saveReplica(this.#replica);
    const pack = encodePack(lastSealOf(decodePack(await packOf(this.#replica))));
    return joinHistory({ genesis: this.#genesis, pack });
  }

  /** A replacement is one node, as any edit is. */
  #typeNode(text: TextEditor, edits: readonly Edit[], from: number, end: number): void {
    const first = edits[from];
    if (first === undefined) return;
    if (end === from + 1 && (first.deleted === 0 || first.inserted === '')) return typeEdit(text, first);
    this.#replica.batch(() => {
      for (const edit of edits.slice(from, end)) typeEdit(text, edit);
    });
  }
}

function typeEdit(text: TextEditor, { position, deleted, inserted }: Edit): void {
  if (deleted > 0) text.delete(position, deleted);
  if (inserted !== '') text.insert(position, inserted);
}
