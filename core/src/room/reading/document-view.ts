/** Read view of a room's values. */
import type { Globs } from '../../access/glob.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { Pauses } from '../../concurrency/pauses.js';
import type { Document, Origin, Resolved } from '../../crdt/document.js';
import type { ElementName } from '../../crdt/elements.js';
import { type Span, spansOf } from '../../crdt/mark-runs.js';
import { BlobRef, readValue } from '../../crdt/registers.js';
import { type ResolvedKey, type WinningKey, resolutionOf, winnersOf } from '../../crdt/resolution.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import { decodeUnits } from '../../crdt/text.js';
import type { EntryTree } from '../../crdt/value-tree/entry-tree.js';
import { type WinningWrite, winnerOf } from '../../crdt/winners.js';
import { holdsElements, shownOf, updateEntries } from '../../crdt/value-tree/shown-of.js';
import type { ShownValue } from '../../crdt/value-tree/shown-value.js';
import type { PublicKey } from '../../graph/node.js';

/** Registers, or nodes of their tree, that are hashed in one piece. */
const HASHED = 1024;

export class DocumentView {
  readonly #values: Document;

  constructor(values: Document) {
    this.#values = values;
  }

  get(key: string): unknown {
    return this.#values.registers.get(key);
  }

  /** MessagePack bytes of a register, a blob, or undefined where nothing is. */
  register(key: string): Uint8Array | BlobRef | undefined {
    return this.#values.registers.find(key);
  }

  /** The write that won a register, a deletion too; undefined where nobody has written. */
  winningWrite(key: string): WinningWrite | undefined {
    return winnerOf(this.#values, key);
  }

  /** Who wrote what a register holds, a deletion too; undefined where nobody has. [WY1] */
  why(key: string): Origin | undefined {
    return this.#values.why(key);
  }

  resolve(key: string): Resolved {
    return this.#values.resolve(key);
  }

  /** What every key but the system's holds, in key order. */
  resolution(): Iterable<ResolvedKey> {
    return resolutionOf(this.#values);
  }

  /** Every key but the system's with the winner of its value, deleted registers too. */
  winners(): Iterable<WinningKey> {
    return winnersOf(this.#values);
  }

  /** Live registers whose keys begin with the prefix, in key order; those of the room itself only by a prefix of theirs. */
  *entries(prefix = ''): Generator<[key: string, value: unknown]> {
    for (const [key, value] of this.#values.registers.live(prefix)) yield [key, readValue(value)];
  }

  /** Blobs that registers under these keys name. */
  blobsUnder(keys: Pick<Globs, 'matches'>): ReadonlySet<string> {
    const hashes = new Set<string>();
    for (const [key, value] of this.#values.registers.live())
      if (value instanceof BlobRef && keys.matches(key)) hashes.add(value.hash);
    return hashes;
  }

  text(key: string): string {
    return this.#values.textNamed(key)?.toString() ?? '';
  }

  /** A text as spans that are marked alike. [MK2] */
  spans(key: string): Span[] {
    const text = this.#values.markedText(key);
    return text ? spansOf(text) : [];
  }

  list(key: string): unknown[] {
    return this.items(key).map(decodeValue);
  }

  /** The characters of a text, each by the name of its first element. */
  characters(key: string): { readonly id: ElementName; readonly ch: string }[] {
    const { elements } = this.#values;
    const characters: { id: ElementName; ch: string }[] = [];
    const text = this.#values.textNamed(key);
    text?.sequence.forEachSpan((chain, counter, count, deleted) => {
      if (deleted) return;
      let at = counter;
      for (const ch of decodeUnits(elements.units(chain, counter, count), text.mayHavePairs)) {
        characters.push({ id: elements.nameOf(chain, at), ch });
        at += ch.length;
      }
    });
    return characters;
  }

  /** A text as runs of one author each. */
  authored(key: string): { readonly author: PublicKey; readonly text: string }[] {
    const { elements } = this.#values;
    const runs: { author: PublicKey; text: string }[] = [];
    const text = this.#values.textNamed(key);
    text?.sequence.forEachSpan((chain, counter, count, deleted) => {
      if (deleted) return;
      const author = elements.authorOf(chain, counter);
      const said = [...decodeUnits(elements.units(chain, counter, count), text.mayHavePairs)].join('');
      const last = runs.at(-1);
      if (last && last.author === author) last.text += said;
      else runs.push({ author, text: said });
    });
    return runs;
  }

  /** The items of a list, each by name. */
  listed(key: string): { readonly id: ElementName; readonly value: unknown }[] {
    const list = this.#values.listNamed(key);
    return this.list(key).map((value, index) => {
      const { chain, counter } = list!.itemAt(index);
      return { id: this.#values.elements.nameOf(chain, counter), value };
    });
  }

  /** The items of a list as MessagePack. */
  items(key: string): readonly Uint8Array[] {
    return this.#values.listNamed(key)?.values() ?? [];
  }

  /** How long the text or list of a key is; undefined where none was ever written. */
  lengthOf(kind: 'text' | 'list', key: string): number | undefined {
    const held = kind === 'text' ? this.#values.textNamed(key) : this.#values.listNamed(key);
    return held && holdsElements(held) ? held.length : undefined;
  }

  /** A value of one kind as it reads; undefined where nothing is seen. [VR1] */
  shown(key: string, kind: number): ShownValue | undefined {
    return shownOf(this.#values, key, kind);
  }

  /** Brings a tree up to what a key shows; answers about how many bytes were hashed. System keys have no place in it. [VR3] */
  updateEntries(tree: EntryTree, key: string): number {
    return isSystemKey(key) ? 0 : updateEntries(tree, this.#values, key);
  }

  get stateHash(): string {
    return this.#values.hash.root();
  }

  /** Proves under the state hash what the register of a key holds, or that it is absent: see `verifyRegister`. */
  prove(key: string): Uint8Array {
    return this.#values.hash.prove('register', key);
  }

  /** Computes what the state hash needs, with breaks: it costs little then. */
  async prepareHash(): Promise<void> {
    const pauses = new Pauses();
    while (this.#values.hash.advance(HASHED)) if (pauses.due(HASHED)) await pauses.take();
  }
}
