/**
 * Observers of a replica: told after each batch of edits and each merge, once and in order, what became of their keys. [CE1]
 *
 * Nothing is recorded while nobody observes. A listener may read and write: what it writes is told when all have been
 * told of what came before. A listener that throws hurts nobody else; its error surfaces.
 */
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { equalBytes } from '../../codec/bytes/bytes.js';
import { type ContentOf, deltaOf, differenceOf } from '../../crdt/delta.js';
import type { Document } from '../../crdt/document.js';
import { BlobRef, readValue } from '../../crdt/registers.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import type { Text } from '../../crdt/text.js';
import type { List } from '../../crdt/list.js';
import { Touched } from '../../crdt/touched.js';
import type { Graph } from '../../graph/graph.js';
import type { PublicKey } from '../../graph/node.js';
import { callAlone } from './at-once.js';
import { checkListener } from './listener.js';
import type { Change, ChangeEvent, ChangeListener, ChangeSource, KeyPrefix, Observed } from './change.js';

interface Observer {
  readonly observed: Observed;
  readonly tell: ChangeListener;
}

/** Follower that is handed the record itself, before anybody is told. */
export interface Recorder {
  readonly keys: ReadonlySet<string>;
  record(touched: Touched, source: ChangeSource, origin: unknown): void;
}

/** What a key held before its nodes were taken back. */
interface Held {
  readonly key: number;
  readonly register: Uint8Array | BlobRef | undefined;
  readonly text: string | undefined;
  readonly list: readonly Uint8Array[] | undefined;
}

export class Observing {
  readonly #graph: Graph;
  readonly #values: Document;
  readonly #observers = new Set<Observer>();
  readonly #recorders = new Set<Recorder>();
  /** Whether anybody wants to know of a key, by its number. */
  #wanted = new Map<number, boolean>();
  #origin: unknown;
  readonly #queue: ChangeEvent[] = [];
  #isTelling = false;

  constructor(graph: Graph, values: Document) {
    this.#graph = graph;
    this.#values = values;
  }

  /** Answers what ends it. */
  observe(observed: Observed, tell: ChangeListener): () => void {
    checkObserved(observed);
    checkListener(tell);
    const observer = { observed, tell };
    this.#begin(() => this.#observers.add(observer));
    return () => {
      this.#observers.delete(observer);
      this.#reset();
    };
  }

  follow(recorder: Recorder): () => void {
    this.#begin(() => this.#recorders.add(recorder));
    return () => {
      this.#recorders.delete(recorder);
      this.#reset();
    };
  }

  /** Edits of `edit` have this origin; within another such call, that of the outermost. */
  withOrigin(origin: unknown, edit: () => void): void {
    if (this.#origin !== undefined) return edit();
    this.#origin = origin;
    try {
      edit();
    } finally {
      this.#origin = undefined;
    }
  }

  /** A batch is over, and part of the values. */
  end(source: ChangeSource): void {
    const { touched } = this.#values;
    if (!touched || touched.isEmpty) return;
    this.#values.touched = this.#record();
    for (const recorder of this.#recorders) recorder.record(touched, source, this.#origin);
    this.#tell(source, this.#changesOf(touched), this.#authorsOf(touched));
  }

  /** Tells what a step has changed that makes all values anew, from what was there before it. */
  anew(source: ChangeSource, step: () => void): void {
    const held = this.#observers.size > 0 ? [...this.#held()] : [];
    this.#values.touched = undefined;
    step();
    this.#reset();
    const changes = held.flatMap((before) => [...this.#differences(before)]);
    this.#tell(source, changes, []);
  }

  /** Marks of texts that nobody has watched may have changed since they were told. */
  #begin(watch: () => void): void {
    for (const [key, { keeper }] of this.#values.texts())
      if (keeper && !this.#isWanted(this.#nameOf(key))) keeper.refresh();
    watch();
    this.#reset();
  }

  #reset(): void {
    this.#wanted = new Map();
    const isWatching = this.#observers.size + this.#recorders.size > 0;
    this.#values.touched = isWatching ? (this.#values.touched ?? this.#record()) : undefined;
  }

  #record(): Touched {
    return new Touched((key) => {
      let wanted = this.#wanted.get(key);
      if (wanted === undefined) this.#wanted.set(key, (wanted = this.#isWanted(this.#nameOf(key))));
      return wanted;
    });
  }

  #isWanted(name: string): boolean {
    if (isSystemKey(name)) return false;
    for (const { observed } of this.#observers) if (isWithin(name, observed)) return true;
    for (const { keys } of this.#recorders) if (keys.has(name)) return true;
    return false;
  }

  #nameOf(key: number): string {
    return this.#graph.table.keys.names[key]!;
  }

  #authorsOf({ nodes }: Touched): PublicKey[] {
    return [...new Set([...nodes].map((node) => this.#graph.authorOf(node)))].sort();
  }

  #changesOf(touched: Touched): Change[] {
    const values = this.#values;
    const changes: Change[] = [];
    for (const [key, before] of touched.registers) {
      const after = values.registers.value(key);
      if (!isSame(before, after))
        changes.push({ kind: 'register', key: this.#nameOf(key), before: readValue(before), after: readValue(after) });
    }
    for (const key of new Set([...touched.texts.keys(), ...touched.marks.keys()])) {
      const text = values.text(key);
      const elements = touched.texts.get(key);
      const plain = elements ? deltaOf(text.sequence, elements, contentOfText(text)) : [];
      const delta = text.keeper?.marked(plain, touched.marks) ?? plain;
      if (delta.length > 0) changes.push({ kind: 'text', key: this.#nameOf(key), delta });
    }
    for (const [key, elements] of touched.lists) {
      const list = values.list(key);
      const delta = deltaOf(list.sequence, elements, contentOfList(list));
      if (delta.length > 0) changes.push({ kind: 'list', key: this.#nameOf(key), delta });
    }
    return changes;
  }

  *#held(): Generator<Held> {
    const { registers } = this.#values;
    for (const [key, name] of this.#graph.table.keys.names.entries()) {
      if (!this.#isWanted(name)) continue;
      const register = registers.value(key);
      const text = this.#values.textNamed(name)?.toString();
      const list = this.#values.listNamed(name)?.values();
      // Views of bytes that the graph writes over.
      yield {
        key,
        register: register instanceof Uint8Array ? register.slice() : register,
        text,
        list: list?.map((item) => item.slice()),
      };
    }
  }

  *#differences({ key: number, register, text, list }: Held): Generator<Change> {
    const key = this.#nameOf(number);
    const now = this.#values.registers.value(number);
    if (!isSame(register, now)) yield { kind: 'register', key, before: readValue(register), after: readValue(now) };
    const other = this.#values.textNamed(key)?.toString() ?? '';
    const before = text ?? '';
    const difference = differenceOf<string>(
      before,
      other,
      (a, b) => before[a] === other[b],
      (from, to) => other.slice(from, to),
    );
    const delta = this.#values.textNamed(key)?.keeper?.marked(difference) ?? difference;
    if (delta.length > 0) yield { kind: 'text', key, delta };
    const items = this.#values.listNamed(key)?.values() ?? [];
    const itemsBefore = list ?? [];
    const steps = differenceOf<readonly unknown[]>(
      itemsBefore,
      items,
      (a, b) => equalBytes(itemsBefore[a]!, items[b]!),
      (from, to) => items.slice(from, to).map(decodeValue),
    );
    if (steps.length > 0) yield { kind: 'list', key, delta: steps };
  }

  #tell(source: ChangeSource, changes: readonly Change[], authors: readonly PublicKey[]): void {
    if (changes.length === 0 || this.#observers.size === 0) return;
    const sorted = changes.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.#queue.push({ source, origin: this.#origin, authors, changes: sorted });
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) this.#tellAll(event);
    this.#isTelling = false;
  }

  #tellAll(event: ChangeEvent): void {
    for (const { observed, tell } of this.#observers) {
      const changes = event.changes.filter(({ key }) => isWithin(key, observed));
      if (changes.length > 0) callAlone(() => tell({ ...event, changes }));
    }
  }
}

/** Refuses what names no keys: its listener would never be called. */
function checkObserved(observed: unknown): void {
  if (typeof observed === 'string' || typeof (observed as Partial<KeyPrefix> | null)?.prefix === 'string') return;
  throw new TypeError("what is observed is a key ('title'), or all that begin alike ({ prefix: 'tasks/' })");
}

function isWithin(key: string, observed: Observed): boolean {
  return typeof observed === 'string' ? key === observed : key.startsWith(observed.prefix);
}

function isSame(a: Uint8Array | BlobRef | undefined, b: Uint8Array | BlobRef | undefined): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return equalBytes(a, b);
  if (a instanceof BlobRef && b instanceof BlobRef) return a.hash === b.hash;
  return a === b;
}

function contentOfText(text: Text): ContentOf<string> {
  return {
    read: (chain, counter, count) => text.contentOf(chain, counter, count),
    join: (before, after) => before + after,
  };
}

function contentOfList(list: List): ContentOf<readonly unknown[]> {
  return {
    read: (chain, counter, count) => list.valuesOn({ chain, counter }, count).map(decodeValue),
    join: (before, after) => [...before, ...after],
  };
}
