/**
 * The stretches of a pack: nodes of one chain in which each is the `prev` of the next. [PK2]
 *
 * Writer and reader follow the same few numbers per stretch, from which both expect what comes next: typing on and deleting
 * on are then zeros.
 */
import { IntColumn } from '../bytes/columns.js';

const FIELDS = 5;
const IDENTITY = 0;
const LATEST = 1;
const INSERTED = 2;
const EXPECTED = 3;
const ERASED = 4;
/** No deletion has gone before. */
const NOTHING = -2;

export class Stretches {
  readonly #fields = new IntColumn(FIELDS);

  get length(): number {
    return this.#fields.length / FIELDS;
  }

  /** `counter`: elements that the chain had inserted before. */
  add(identity: number, counter: number): number {
    for (const value of [identity, -1, counter, counter - 1, NOTHING]) this.#fields.push(value);
    return this.length - 1;
  }

  identity(stretch: number): number {
    return this.#fields.values[stretch * FIELDS + IDENTITY]!;
  }

  /** Place of its latest node; -1 before the first. */
  latest(stretch: number): number {
    return this.#fields.values[stretch * FIELDS + LATEST]!;
  }

  goOn(stretch: number, place: number): void {
    this.#fields.values[stretch * FIELDS + LATEST] = place;
  }

  /** Elements inserted up to now: the counter of the next one. */
  inserted(stretch: number): number {
    return this.#fields.values[stretch * FIELDS + INSERTED]!;
  }

  /** The element that a deletion or a move is expected to name. */
  expected(stretch: number): number {
    return this.#fields.values[stretch * FIELDS + EXPECTED]!;
  }

  /** After an insertion or a move: the last element inserted is expected next. */
  insert(stretch: number, count: number): void {
    const { values } = this.#fields;
    const at = stretch * FIELDS;
    values[at + INSERTED]! += count;
    values[at + EXPECTED] = values[at + INSERTED]! - 1;
    values[at + ERASED] = NOTHING;
  }

  /** Passes over what a header says was inserted. */
  skip(stretch: number, count: number): void {
    if (count > 0) this.insert(stretch, count);
  }

  /** After a deletion of an own element: the one beside it is expected, on the side towards which deletions go. */
  erase(stretch: number, element: number): void {
    const { values } = this.#fields;
    const at = stretch * FIELDS;
    values[at + EXPECTED] = element + (element === values[at + ERASED]! + 1 ? 1 : -1);
    values[at + ERASED] = element;
  }
}
