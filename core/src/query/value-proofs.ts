/** Proofs of what a room shows, as the room's authority signs them: a page of all its entries, or a part of one. [VR5] [VR6] */
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { ENTRY_KINDS, type EntryPlace, placeOf } from '../crdt/value-tree/entry-order.js';
import { type Telling, writeEntries } from '../crdt/value-tree/entry-proof.js';
import type { EntryTree } from '../crdt/value-tree/entry-tree.js';
import { writePart } from '../crdt/value-tree/part-proof.js';
import { sizeOf } from '../crdt/value-tree/shown-of.js';
import { type ShownValue, summaryOf } from '../crdt/value-tree/shown-value.js';
import type { ValueRoot } from '../crdt/value-tree/value-root.js';
import type { ValueKind } from '../crdt/state-leaf.js';
import type { Room } from '../room/room.js';
import { Rejection } from '../rejection.js';
import type { Asker } from './answers.js';
import { invalid } from './descriptor.js';
import { clamped } from './pages.js';
import { momentOf } from './selector.js';
import type { ShownRoom, ValueTrees } from './value-tree.js';

const MOST_ENTRIES = 1000;
/** A page ends behind so many bytes of values; of a longer text or list it tells how long it is. */
const PAGE_BYTES = 1024 * 1024;
const WHOLE_BYTES = 1024 * 1024;
/** A part is so long at most. */
const PART_BYTES = 1024 * 1024;

export interface EntryName {
  readonly key: string;
  readonly kind: ValueKind;
}

export interface PageRequest {
  /** Selector of a moment, exactly what was sent; the room as it is when undefined. */
  readonly selector: unknown;
  readonly prefix: string;
  readonly after: EntryName | undefined;
  readonly limit: number | undefined;
}

export interface PartRequest {
  readonly selector: unknown;
  readonly key: string;
  readonly kind: 'text' | 'list';
  readonly from: number;
  readonly to: number;
}

export interface SignedProof {
  readonly signed: Uint8Array;
  readonly proof: Uint8Array;
  readonly seq: number | undefined;
  readonly stateHash: string;
}

type Unsigned = Omit<SignedProof, 'signed'> & {
  readonly said: Pick<ValueRoot, 'seq' | 'stateHash' | 'count' | 'root'>;
};

export class ValueProofs {
  readonly #room: Room;
  readonly #trees: ValueTrees;

  constructor(room: Room, trees: ValueTrees) {
    this.#room = room;
    this.#trees = trees;
  }

  /** A page of what stands under a prefix, with what stands before and behind it, so that nothing can be left out of it. */
  async page(
    { selector, prefix, after, limit }: PageRequest,
    asker: Asker,
  ): Promise<SignedProof & { readonly limit: number; readonly next: EntryName | undefined }> {
    expectWholeReader(asker);
    const most = clamped(limit, MOST_ENTRIES);
    const from = after ? placeOf(after.key, ENTRY_KINDS.indexOf(after.kind) + 1) : placeOf(prefix, 0);
    if (after && !after.key.startsWith(prefix)) throw invalid('after: not under the prefix');
    const { next, ...unsigned } = await this.#trees.at(momentOf(selector), (shown) => {
      const { told, next } = pageOf(shown, from, prefix, most);
      return { ...unsignedOf(shown, told), next };
    });
    return { ...(await this.#signed(unsigned)), limit: most, next };
  }

  /** Characters of a text or items of a list. */
  async part({ selector, key, kind, from, to }: PartRequest, asker: Asker): Promise<SignedProof> {
    expectWholeReader(asker);
    const unsigned = await this.#trees.at(momentOf(selector), (shown) => {
      const { tree, view } = shown;
      const number = ENTRY_KINDS.indexOf(kind);
      const held = view.shown(key, number);
      if (held?.form !== kind) throw invalid(`${kind}: there is none at ${key}`);
      const length = held.form === 'text' ? held.text.length : held.items.length;
      if (from > to || to > length) throw invalid(`from, to: the ${kind} has ${length}`);
      if (bytesOf(held, from, to) > PART_BYTES) throw invalid('from, to: a part has a mebibyte at most');
      const [node] = tree.from(placeOf(key, number));
      return unsignedOf(shown, new Map([[node!, { summary: summaryOf(held) }]]), (out) =>
        writePart(out, held, from, to),
      );
    });
    return this.#signed(unsigned);
  }

  async #signed({ said, ...rest }: Unsigned): Promise<SignedProof> {
    return { ...rest, signed: await this.#room.signValueRoot(said) };
  }
}

/** What proves one value holds hashes and keys of others, from which they could be guessed. */
function expectWholeReader({ read }: Asker): void {
  if (read) throw new Rejection('reject.control_plane_forbidden', 'proofs are for those who may read everything');
}

function bytesOf(held: ShownValue & { readonly form: 'text' | 'list' }, from: number, to: number): number {
  return held.form === 'text' ? (to - from) * 2 : sizeOf({ form: 'list', items: held.items.slice(from, to) });
}

function pageOf({ tree, view }: ShownRoom, from: EntryPlace, prefix: string, most: number) {
  const told = new Map<number, Telling>();
  let next: EntryName | undefined;
  let last: EntryName | undefined;
  let [bytes, count] = [0, 0];
  const before = tree.before(from);
  if (before !== undefined) told.set(before, 'hashed');
  for (const node of tree.from(from)) {
    const name = nameOf(tree, node);
    if (!name.key.startsWith(prefix)) {
      told.set(node, 'hashed');
      break;
    }
    const shown = view.shown(name.key, tree.kindOf(node))!;
    const size = sizeOf(shown);
    const isLong = size > WHOLE_BYTES && (shown.form === 'text' || shown.form === 'list');
    bytes += isLong ? 0 : size;
    if (last && (bytes > PAGE_BYTES || count === most)) {
      next = last;
      break;
    }
    told.set(node, isLong ? { summary: summaryOf(shown) } : { whole: shown });
    count++;
    last = name;
  }
  return { told, next };
}

function nameOf(tree: EntryTree, node: number): EntryName {
  return { key: tree.keyOf(node), kind: ENTRY_KINDS[tree.kindOf(node)]! };
}

function unsignedOf(
  { tree, view, seq }: ShownRoom,
  told: ReadonlyMap<number, Telling>,
  more: (out: ByteWriter) => void = () => undefined,
): Unsigned {
  const { stateHash } = view;
  const root = tree.root();
  const out = new ByteWriter(4096);
  writeEntries(out, tree, told);
  more(out);
  return { proof: out.finish(), seq, stateHash, said: { seq, stateHash, count: tree.size, root } };
}
