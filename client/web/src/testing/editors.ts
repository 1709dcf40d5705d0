/** Editors of documents without a page, on replicas of one room. */
import { createHost } from '@weft/core';
import { type Replica, createReplica, createUndo, generateKeys } from '@weft/core/client';
import { memoryStore } from '@weft/core/memory';
import { Schema } from 'prosemirror-model';
import { schema as basic } from 'prosemirror-schema-basic';
import { addListNodes } from 'prosemirror-schema-list';
import { type Command, EditorState, Plugin, type Transaction } from 'prosemirror-state';
import { SHARED } from '../editing/bound-text.js';
import { type DocumentHands, SharedDocument, TRAIL, trailField } from '../rich/shared-document.js';

const nodes = addListNodes(basic.spec.nodes, 'paragraph block*', 'block').append({
  mention: { inline: true, group: 'inline', atom: true, attrs: { who: { validate: 'string' } }, toDOM: () => ['b', 0] },
});

/** Lists, code, images, mentions, a mark that nothing typed comes under, and one that may stand beside its like. */
export const SCHEMA = new Schema({
  nodes,
  marks: basic.spec.marks.append({ comment: { attrs: { id: {} }, excludes: '', inclusive: false } }),
});

/** Replicas of one room, each of which hears what the others have said when it is told to. */
export class Party {
  readonly #genesis: Uint8Array;
  readonly #said: { readonly from: Replica; readonly pack: Uint8Array }[] = [];
  readonly #heard = new Map<Replica, number>();

  private constructor(genesis: Uint8Array) {
    this.#genesis = genesis;
  }

  static async open(): Promise<Party> {
    const { genesis } = await createHost({ store: memoryStore() }).room('room');
    return new Party(genesis.pack);
  }

  async join(): Promise<Replica> {
    const replica = await createReplica({ genesis: this.#genesis, keys: generateKeys() });
    this.#heard.set(replica, 0);
    return replica;
  }

  async say(replica: Replica): Promise<void> {
    const pack = await replica.seal();
    replica.confirm();
    if (pack) this.#said.push({ from: replica, pack });
  }

  /** Hears so many of the packs that it has not heard. */
  async hear(replica: Replica, most = Number.POSITIVE_INFINITY): Promise<void> {
    const heard = this.#heard.get(replica) ?? 0;
    const news = this.#said.slice(heard, heard + most);
    this.#heard.set(replica, heard + news.length);
    for (const { from, pack } of news) {
      const { refused } = from === replica ? { refused: [] } : await replica.receive(pack);
      if (refused[0]) throw new Error(`a node was refused: ${refused[0].reason}`);
    }
  }

  /** Everybody hears everything. */
  async agree(): Promise<void> {
    for (const replica of this.#heard.keys()) await this.say(replica);
    for (const replica of this.#heard.keys()) await this.hear(replica);
  }
}

/** Undo whose steps are those of the editor's transactions, however long a test takes. */
export class Editor implements DocumentHands {
  state: EditorState;
  readonly replica: Replica;
  readonly bound: SharedDocument;

  constructor(replica: Replica, schema: Schema = SCHEMA, plugins: readonly Plugin[] = []) {
    this.replica = replica;
    const trail = new Plugin({ key: TRAIL, state: trailField });
    this.state = EditorState.create({ schema, plugins: [trail, ...plugins] });
    const undo = createUndo(replica, { keys: ['t'], origins: [SHARED], mergeMs: 0 });
    this.bound = new SharedDocument(this, schema, replica, 't', { undo });
    this.bound.begin();
  }

  readonly dispatch = (tr: Transaction): void => {
    const before = this.state;
    this.state = before.apply(tr);
    this.bound.updated(before);
  };

  do(command: Command): boolean {
    return command(this.state, this.dispatch);
  }

  edit(edit: (tr: Transaction) => Transaction): void {
    this.dispatch(edit(this.state.tr));
  }
}
