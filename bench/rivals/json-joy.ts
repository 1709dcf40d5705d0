import type { TextEngine, TextReplica } from '../text/text-engine.js';
import type { Edit } from '../measuring/trace.js';
import { importRival, rivalVersion } from './package-loader.js';

interface Patch {
  toBinary(): Uint8Array;
}

interface StrApi {
  ins(index: number, text: string): void;
  del(index: number, length: number): void;
}

interface Model {
  readonly api: { root(value: string): unknown; str(path: readonly string[]): StrApi; flush(): Patch };
  applyPatch(patch: Patch): void;
  view(): unknown;
  toBinary(): Uint8Array;
}

interface JsonCrdt {
  readonly Model: { create(schema: undefined, sid: number): Model; load(bytes: Uint8Array, sid: number): Model };
}

interface JsonCrdtPatch {
  readonly Patch: { fromBinary(bytes: Uint8Array): Patch };
}

class JsonJoyReplica implements TextReplica {
  readonly #model: Model;
  readonly #patch: JsonCrdtPatch['Patch'];

  constructor(model: Model, patch: JsonCrdtPatch['Patch']) {
    this.#model = model;
    this.#patch = patch;
  }

  typeEach(edits: readonly Edit[]): Uint8Array[] {
    const api = this.#model.api;
    const text = api.str([]);
    const messages: Uint8Array[] = [];
    for (const { position, deleted, inserted } of edits) {
      if (deleted > 0) text.del(position, deleted);
      if (inserted !== '') text.ins(position, inserted);
      messages.push(api.flush().toBinary());
    }
    return messages;
  }

  typeAll(edits: readonly Edit[]): void {
    const text = this.#model.api.str([]);
    for (const { position, deleted, inserted } of edits) {
      if (deleted > 0) text.del(position, deleted);
      if (inserted !== '') text.ins(position, inserted);
    }
    this.#model.api.flush().toBinary();
  }

  receiveEach(messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#model.applyPatch(this.#patch.fromBinary(message));
  }

  text(): string {
    return String(this.#model.view());
  }

  save(): Uint8Array {
    return this.#model.toBinary();
  }
}

export async function loadJsonJoy(): Promise<TextEngine> {
  const { Model } = (await importRival('json-joy/lib/json-crdt/index.js')) as JsonCrdt;
  const { Patch } = (await importRival('json-joy/lib/json-crdt-patch/index.js')) as JsonCrdtPatch;
  // Session ids of the size that json-joy draws at random.
  const session = (agent: number): number => 3_141_592_653_589_793 + agent;
  // By the first agent's session: a message names the text in fewer bytes when its author made it.
  const beginning = Model.create(undefined, session(0));
  beginning.api.root('');
  beginning.api.flush();
  const empty = beginning.toBinary();
  return {
    name: 'json-joy',
    version: rivalVersion('json-joy'),
    doesNot: ['no hash', 'no signature', 'drops deleted text'],
    signs: false,
    concurrent: true,
    forms: ['binary'],
    create: (agent) => new JsonJoyReplica(Model.load(empty, session(agent)), Patch),
    open: (bytes) => new JsonJoyReplica(Model.load(bytes, session(99)), Patch),
  };
}
