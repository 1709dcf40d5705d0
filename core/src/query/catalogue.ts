/**
 * What queries are registered in a room, what was built of them, and which checkpoints were told: facts of the room, under
 * system keys of its log. [PJ9]
 *
 * They are folded from the log like everything else. Of checkpoints that a later build has replaced, the newest are
 * remembered, by their hash.
 */
import { z } from 'zod';
import { Pauses } from '../concurrency/pauses.js';
import type { NodeId } from '../graph/node.js';
import type { Room } from '../room/room.js';
import { QUERY_KEYS } from '../room/state/genesis.js';
import type { Write } from '../room/state/write.js';
import type { RoomView } from '../room/writing/decision.js';
import type { Checkpoint } from './fold.js';

const SPECS = `${QUERY_KEYS}spec/`;
const PROJECTIONS = `${QUERY_KEYS}projection/`;
/** Nodes that are read between two breaks. */
const SLICE = 4096;

export const CATALOGUE_BOUNDS = { specs: 256, versions: 32, projections: 1024, issued: 1024 } as const;

const Spec = z.object({
  /** Versions in the order in which they were registered. */
  versions: z.array(z.object({ version: z.string(), descriptor: z.unknown(), by: z.string() })).min(1),
});

const Projection = z.object({
  spec: z.string(),
  version: z.string(),
  seq: z.number().optional(),
  hash: z.string(),
  frontier: z.array(z.string().transform((id) => id as NodeId)),
  digest: z.string(),
  rows: z.number(),
  /** Why it is not to be relied on any more. */
  invalidated: z.string().optional(),
  by: z.string(),
});

export type SpecFact = z.output<typeof Spec>;
export type ProjectionFact = z.output<typeof Projection>;

export function readSpec(view: Pick<RoomView, 'get'>, id: string): SpecFact | undefined {
  return Spec.safeParse(view.get(SPECS + id)).data;
}

export function readProjection(view: Pick<RoomView, 'get'>, id: string): ProjectionFact | undefined {
  return Projection.safeParse(view.get(PROJECTIONS + id)).data;
}

export const specFact = (id: string, fact: SpecFact): Write => ({ key: SPECS + id, value: fact });
export const projectionFact = (id: string, fact: ProjectionFact): Write => ({ key: PROJECTIONS + id, value: fact });

export class Catalogue {
  readonly specs = new Map<string, SpecFact>();
  readonly projections = new Map<string, ProjectionFact>();
  /** Checkpoints that were told, by hash, the newest last. */
  readonly #issued = new Map<string, Checkpoint>();
  readonly #room: Room;
  #seen = 0;
  #reading: Promise<void> | undefined;

  constructor(room: Room) {
    this.#room = room;
  }

  /** Resolves when everything is known that the log holds. */
  async read(): Promise<void> {
    while (this.#reading) await this.#reading;
    if (this.#seen === this.#room.seq) return;
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** Undefined for a hash that was never told, or too long ago. */
  issued(hash: string): Checkpoint | undefined {
    return this.#issued.get(hash);
  }

  async #read(): Promise<void> {
    const pauses = new Pauses();
    while (this.#seen < this.#room.seq) {
      const end = Math.min(this.#room.seq, this.#seen + SLICE);
      for (const { key, value } of this.#room.written.valuesSet(this.#seen, end, QUERY_KEYS)) this.#take(key, value);
      if (pauses.due(end - this.#seen) && end < this.#room.seq) await pauses.take();
      this.#seen = end;
    }
  }

  #take(key: string, value: unknown): void {
    const id = key.slice(key.startsWith(SPECS) ? SPECS.length : PROJECTIONS.length);
    const spec = key.startsWith(SPECS) ? readSpec(this.#room, id) : undefined;
    if (spec) this.specs.set(id, spec);
    if (!key.startsWith(PROJECTIONS)) return;
    const standing = readProjection(this.#room, id);
    if (standing) this.projections.set(id, standing);
    const told = Projection.safeParse(value).data;
    if (told) this.#remember({ seq: told.seq, hash: told.hash, frontier: told.frontier });
  }

  #remember(checkpoint: Checkpoint): void {
    this.#issued.delete(checkpoint.hash);
    this.#issued.set(checkpoint.hash, checkpoint);
    const [oldest] = this.#issued.keys();
    if (this.#issued.size > CATALOGUE_BOUNDS.issued && oldest !== undefined) this.#issued.delete(oldest);
  }
}
