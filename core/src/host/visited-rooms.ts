/**
 * Rooms of callers: in how many an address, and a person or proven key, is at a time, and how many each has begun within the last
 * hour. Nobody fills a server with rooms. [LM14]
 *
 * A room counts once, however many connections somebody has in it. What was begun counts for an hour, in memory: a restart forgets it.
 */
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Clock } from '../ports/clock.js';
import type { Telemetry } from '../ports/telemetry.js';
import { ComeBack } from '../rejection.js';
import type { Limits } from '../wire/limits.js';
import { type Callers, subscriberOf } from './callers.js';

const HOUR_MS = 3_600_000;
const COME_BACK_MS = 30_000;

export interface VisitedRoomsParts {
  readonly limits: Pick<Limits, 'addressRooms' | 'keyRooms' | 'addressRoomsBegun' | 'keyRoomsBegun'>;
  /** Counts by name, of other hosts too. */
  readonly counts: Pick<Callers, 'count' | 'add'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Who enters a room. */
export interface Visit {
  readonly room: RoomId;
  /** Nobody has written to the room, nor is anybody in it. */
  readonly begins: boolean;
  readonly address: string | undefined;
  /** Person, or key that was proved. */
  readonly key: string | undefined;
}

interface Begun {
  readonly name: string;
  readonly at: number;
}

export class VisitedRooms {
  readonly #parts: VisitedRoomsParts;
  /** Connections by whom and room. */
  readonly #visits = new Map<string, number>();
  /** What was begun, the longest ago first. */
  readonly #begun: Begun[] = [];
  #cancel: (() => void) | undefined;

  constructor(parts: VisitedRoomsParts) {
    this.#parts = parts;
  }

  /** Refuses a visit that is one too many. */
  check(visit: Visit): void {
    const { limits, counts, telemetry } = this.#parts;
    this.#forget();
    for (const { kind, who } of whoIn(visit)) {
      const most = kind === 'key' ? limits.keyRooms : limits.addressRooms;
      const isThere = this.#visits.has(`${kind} ${who} ${visit.room}`);
      const mostBegun = kind === 'key' ? limits.keyRoomsBegun : limits.addressRoomsBegun;
      const tooMany =
        (!isThere && counts.count(`${kind}-rooms ${who}`) >= most && `this ${kind} is in its ${most} rooms`) ||
        (visit.begins &&
          counts.count(`${kind}-begun ${who}`) >= mostBegun &&
          `this ${kind} has begun its ${mostBegun} rooms of an hour`);
      if (tooMany === false) continue;
      telemetry.tell?.({ level: 'warn', message: `a visit was refused: ${tooMany}`, about: { room: visit.room } });
      const wait = Math.ceil(COME_BACK_MS * (0.2 + 0.8 * Math.random()));
      throw new ComeBack('too-many-rooms', `${tooMany}; leave some, or come back later`, wait);
    }
  }

  /** Counts a visit; answers what ends it. */
  enter(visit: Visit): () => void {
    const all = whoIn(visit);
    for (const { kind, who } of all) {
      this.#change(`${kind} ${who} ${visit.room}`, `${kind}-rooms ${who}`, 1);
      if (visit.begins) this.#begin(`${kind}-begun ${who}`);
    }
    if (visit.begins) this.#parts.telemetry.record('rooms_begun_total', 1);
    return () => {
      for (const { kind, who } of all) this.#change(`${kind} ${who} ${visit.room}`, `${kind}-rooms ${who}`, -1);
    };
  }

  #change(visit: string, name: string, by: 1 | -1): void {
    const connections = (this.#visits.get(visit) ?? 0) + by;
    if (connections > 0) this.#visits.set(visit, connections);
    else this.#visits.delete(visit);
    if (connections === (by === 1 ? 1 : 0)) this.#parts.counts.add(name, by);
  }

  #begin(name: string): void {
    const { counts, clock } = this.#parts;
    counts.add(name, 1);
    this.#begun.push({ name, at: clock.now() });
    this.#cancel ??= clock.after(HOUR_MS, () => this.#pass());
  }

  /** Others are told of what is over, whether or not anybody comes. */
  #pass(): void {
    this.#cancel = undefined;
    this.#forget();
    const [first] = this.#begun;
    const { clock } = this.#parts;
    if (first) this.#cancel = clock.after(Math.max(1, first.at + HOUR_MS - clock.now()), () => this.#pass());
  }

  #forget(): void {
    const before = this.#parts.clock.now() - HOUR_MS;
    let over = 0;
    while (over < this.#begun.length && this.#begun[over]!.at <= before) over++;
    for (const { name } of this.#begun.splice(0, over)) this.#parts.counts.add(name, -1);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

function whoIn({ address, key }: Visit): { readonly kind: 'address' | 'key'; readonly who: string }[] {
  return [
    ...(address === undefined ? [] : [{ kind: 'address', who: subscriberOf(address) } as const]),
    ...(key === undefined ? [] : [{ kind: 'key', who: key } as const]),
  ];
}
