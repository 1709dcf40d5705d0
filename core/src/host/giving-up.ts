/**
 * What operators and limits give up for good: a room, what was overwritten in its history, a value. Each is done while nobody is in
 * the room, and noted in the host's own room with who asked for it.
 */
import type { Deleted, Erased, Pruned } from '../contract/context.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { roomDeleted } from './deletions.js';
import { type ErasedBelow, type Erasure, type HostParts, OWN_ROOM } from './parts.js';
import type { OpenRoom, RoomsInMemory } from './rooms-in-memory.js';
import { comeBackLater } from './spread.js';

export class GivingUp {
  readonly #parts: HostParts;
  readonly #rooms: RoomsInMemory;

  constructor(parts: HostParts, rooms: RoomsInMemory) {
    this.#parts = parts;
    this.#rooms = rooms;
  }

  /** Deletes a room, and answers when it is gone. [DE1] */
  async delete(id: RoomId, by: string): Promise<Deleted> {
    if (id === OWN_ROOM) throw new Rejection('invalid-command', 'the room of the host itself cannot be deleted');
    const rooms = this.#rooms;
    const deleted = await rooms.remove<Deleted>(
      id,
      async (room) => {
        const own = await rooms.own();
        return rooms.stored.deletions.run(own.tenancy.room, room, by).finally(own.release);
      },
      (removed) =>
        removed.then(
          ({ tombstone }) => ({ refusal: roomDeleted(id, tombstone) }),
          () => ({ comeAgain: comeBackLater(1, 'the room was not deleted') }),
        ),
    );
    const about = { room: id, by, nodes: deleted.seq };
    this.#parts.telemetry.tell?.({ level: 'warn', message: 'a room was deleted', about });
    return deleted;
  }

  /** Gives up what was overwritten before a log position, while nobody is in the room. [PN1] */
  async prune(asked: Room, before: number, by: string): Promise<Pruned> {
    asked.expectVoice(); // nobody has to go for what cannot be said
    const { id } = asked;
    // Archives that are being written end here: they would hold some of it, and some as headers.
    asked.surveys.givesUp();
    const pruned = await this.#alone(id, (room) => room.prune(before, by));
    await this.#note('history.prune', id, { by, before, nodes: pruned.nodes });
    return pruned;
  }

  /**
   * Gives up what of a room's history is due by the limits of this host. A room that an application holds keeps all of it: who
   * wrote into it there would write into one that is not it any more. [PN5]
   */
  async pruneDue(id: RoomId, { isHeld, ready, uses }: OpenRoom): Promise<void> {
    const { limits, clock, telemetry, onFault } = this.#parts;
    if (limits.historyBytes === 0 && limits.historyMs === 0) return;
    if (id === OWN_ROOM || isHeld || this.#rooms.isElsewhere(id)) return;
    if (!ready || ready.isBusy || uses > ready.size) return; // it is looked at again
    const { room, serverKey } = ready;
    try {
      const before = await room.retention.due(limits, clock.now());
      if (before === undefined) return await room.retention.noteTime(limits, clock.now());
      const { nodes, bytesBefore, bytesAfter } = await this.prune(room, before, serverKey);
      const about = { room: id, before, nodes, bytesBefore, bytesAfter };
      telemetry.tell?.({ level: 'info', message: 'history of a room was given up', about });
    } catch (error) {
      // Full, read-only, or replaced meanwhile: it is looked at again.
      if (!(error instanceof Rejection)) onFault(error, { room: id });
    }
  }

  /** Takes what a key has held, or what some nodes have written there, out of the history of a room and of all its children. [VE1] */
  async erase(room: Room, key: string, by: string, only?: ReadonlySet<string>): Promise<Erased> {
    const erased = await this.#eraseIn(room.id, { key, by, only: only && [...only] });
    await this.#note('value.erase', room.id, { by, nodes: erased.nodes, left: erased.left });
    return erased;
  }

  /** Does so in a child of this host, and in those below it. One that has changed hands meanwhile is left. */
  async eraseBelow(child: RoomId, erasure: Erasure): Promise<ErasedBelow> {
    try {
      const { children, left } = await this.#eraseIn(child, erasure);
      return { children: [child, ...children], left };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return { children: [], left: [child] };
    }
  }

  async #eraseIn(id: RoomId, erasure: Erasure): Promise<ErasedBelow & { readonly nodes: number }> {
    const { key, by } = erasure;
    const only = erasure.only && new Set(erasure.only);
    const nodes = await this.#rooms.withRoom(id, (room) => {
      const count = room.erasable(key, only);
      if (count === 0) return Promise.resolve(count);
      room.expectVoice();
      // Archives that are being written end here, and are not waited for: they would keep what is erased.
      room.surveys.givesUp();
      return Promise.resolve(count);
    });
    if (nodes > 0) await this.#alone(id, (room) => room.erase(key, by, only));
    const [children, left]: [RoomId[], RoomId[]] = [[], []];
    const forks: RoomId[] = [];
    for await (const child of this.#parts.store.log.forks(id)) forks.push(child);
    for (const child of forks) {
      const below = (await this.#rooms.isElsewhere(child))
        ? await this.#eraseElsewhere(child, erasure)
        : await this.eraseBelow(child, erasure);
      children.push(...below.children);
      left.push(...below.left);
    }
    return { nodes, children, left };
  }

  /** A host that dies before it has answered leaves a child that may hold the value still: whoever asks is told so. */
  #eraseElsewhere(child: RoomId, erasure: Erasure): Promise<ErasedBelow> {
    return this.#parts.others!.eraseBelow(child, erasure).catch(() => ({ children: [], left: [child] }));
  }

  /** Runs something with a room that nobody is in, and that is opened anew afterwards. */
  async #alone<T>(id: RoomId, act: (room: Room) => Promise<T>): Promise<T> {
    if (await this.#rooms.isElsewhere(id))
      throw new Rejection('room-held', `room ${id} is served by another host: ask there`);
    return this.#rooms.vacate(
      id,
      (why) => new Rejection('room-held', why),
      async (open) => act(await open()),
    );
  }

  /** Record of who has given up what, in the room of the host itself. */
  async #note(what: string, id: RoomId, about: object): Promise<void> {
    const { tenancy, release } = await this.#rooms.own();
    const at = this.#parts.clock.now();
    await tenancy.room.set(`audit/${what}/${id}/${at}`, { ...about, at }).finally(release);
  }
}
