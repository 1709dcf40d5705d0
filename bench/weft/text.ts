import { type Replica, createHost, createReplica, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import type { EngineEntry, TextEngine, TextReplica } from '../text-engine.js';
import type { Edit } from '../trace.js';

const KEY = 'text';

/** Each edit is a node of its own: hashed, linked to the one before, sealed in runs of 1,024. */
class WeftReplica implements TextReplica {
  readonly #opening: Promise<Replica>;
  #replica: Replica | undefined;
  #saved: Uint8Array | undefined;

  constructor(opening: Promise<Replica>) {
    this.#opening = opening;
  }

  async typeAll(edits: readonly Edit[]): Promise<void> {
    const replica = await this.#open();
    const text = replica.text(KEY);
    for (const { position, deleted, inserted } of edits) {
      if (deleted > 0) text.delete(position, deleted);
      if (inserted !== '') text.insert(position, inserted);
    }
    this.#saved = await replica.seal();
  }

  async receiveEach(messages: readonly Uint8Array[]): Promise<void> {
    const replica = await this.#open();
    for (const message of messages) await replica.receive(message);
  }

  text(): string {
    return this.#replica?.text(KEY).toString() ?? '';
  }

  save(): Uint8Array {
    if (!this.#saved) throw new Error('nothing was typed here');
    return this.#saved;
  }

  async #open(): Promise<Replica> {
    this.#replica ??= await this.#opening;
    return this.#replica;
  }
}

async function loadWeft(): Promise<TextEngine> {
  const room = await createHost({ store: memoryStore() }).room('bench');
  const genesis = room.genesis.pack;
  const open = (): WeftReplica => new WeftReplica(createReplica({ genesis, keys: generateKeys() }));
  return {
    name: 'weft',
    version: 'workspace',
    doesNot: [],
    signs: true,
    concurrent: false,
    forms: [],
    create: open,
    open,
  };
}

export const weftEngines: readonly EngineEntry[] = [{ name: 'weft', installed: false, load: loadWeft }];
