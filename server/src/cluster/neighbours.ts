/** Neighbours: the other processes of the cluster. They come and go by what the store says at each look, and by what the bus knows. */
import { CLOSE, type Clock, type Limits, type Member, type Membership, comeBackElsewhere } from '@weft/core';
import type { NearSockets } from '../threads/near-sockets.js';
import type { Bus } from './bus.js';
import { Neighbour } from './neighbour.js';

/** Says something to the operator. */
export type Told = (level: 'info' | 'warn', message: string, error?: unknown, what?: string) => void;

export interface NeighboursParts {
  readonly bus: Bus;
  readonly membership: () => Membership;
  readonly limits: Pick<Limits, 'frameBytes' | 'hostInboxBytes'>;
  readonly told: Told;
  readonly onJoined: (id: string) => void;
  /** Told of each link when it is known what the other process answers. */
  readonly onKnown: (neighbour: Neighbour) => void;
  readonly onLeft: (id: string) => void;
  readonly clock: Clock;
}

/** Milliseconds between two looks while a process is missed, and for which it is. */
const [SOON_MS, MISSED_MS] = [100, 2000];

export class Neighbours {
  readonly #parts: NeighboursParts;
  readonly #byId = new Map<string, Neighbour>();
  #meeting: Promise<void> | undefined;
  #cancelSoon: (() => void) | undefined;
  #hasEnded = false;

  constructor(parts: NeighboursParts) {
    this.#parts = parts;
  }

  get all(): readonly Neighbour[] {
    return [...this.#byId.values()];
  }

  get(id: string): Neighbour | undefined {
    return this.#byId.get(id);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Looks who is there: joins those who are new, and parts from those who are not there any more. Goes on with the look under way. */
  meet(): Promise<void> {
    return (this.#meeting ??= this.#meet().finally(() => (this.#meeting = undefined)));
  }

  async #meet(): Promise<void> {
    const { membership, told, onJoined } = this.#parts;
    const members = await membership().members();
    const { self } = membership();
    for (const member of members) {
      if (member.id === self.id) continue;
      if (!this.#byId.has(member.id)) {
        told('info', 'a process has joined', undefined, member.address);
        this.#byId.set(member.id, this.#neighbourOf(member));
        onJoined(member.id);
      }
      void this.#byId.get(member.id)?.dial();
      if (membership().isStill(member.id)) void this.#lookAfter(member);
    }
    for (const [id, neighbour] of this.#byId)
      if (!members.some((member) => member.id === id)) this.#part(id, neighbour);
  }

  /** Sends away whoever is here for a room of another process. */
  sendAway(why: string): void {
    for (const { open } of this.all) if (open) this.#lose(open.sockets, why);
  }

  /** A process is known to be no member any more. */
  left(id: string): void {
    this.#part(id, this.#byId.get(id));
  }

  end(): void {
    this.#hasEnded = true;
    this.#cancelSoon?.();
    for (const neighbour of this.all) neighbour.end();
  }

  /** A link has ended: whoever needs a room of that process waits until it is known whether it has died, so it is looked often. */
  #meetSoon(): void {
    if (this.#hasEnded || this.#cancelSoon) return;
    this.#cancelSoon = this.#parts.clock.after(SOON_MS, () => {
      this.#cancelSoon = undefined;
      // What went wrong is told by the looks that come anyway.
      void this.meet().catch(() => undefined);
      if (this.all.some(({ lostSince = -Infinity }) => performance.now() - lostSince < MISSED_MS)) this.#meetSoon();
    });
  }

  /** A process that does not renew its lease has died where nobody is at its address: its rooms need not wait for the end of it. */
  async #lookAfter(member: Member): Promise<void> {
    const { bus, membership } = this.#parts;
    const isGone = await bus.isGone(member).catch(() => false);
    if (isGone && this.#byId.has(member.id) && membership().isStill(member.id)) void this.#putOut(member);
  }

  #putOut({ id }: Member): Promise<void> {
    const { membership, told } = this.#parts;
    return membership()
      .putOut(id)
      .then(
        () => {
          this.left(id);
          // They need not look for themselves.
          for (const other of this.all) other.tell('left', id);
        },
        (error: unknown) => told('warn', 'the lease of a process that has ended could not be ended', error),
      );
  }

  #neighbourOf(member: Member): Neighbour {
    const { bus, limits, onKnown } = this.#parts;
    return new Neighbour(member, {
      bus,
      limits,
      onKnown,
      onLost: (sockets) => {
        this.#lose(sockets, 'the process that has this room cannot be reached');
        this.#meetSoon();
      },
      onGone: () => this.#putOut(member),
    });
  }

  #part(id: string, neighbour: Neighbour | undefined): void {
    const { told, onLeft } = this.#parts;
    if (!neighbour || !this.#byId.delete(id)) return;
    told('info', 'a process has left', undefined, neighbour.member.address);
    neighbour.end();
    onLeft(id);
  }

  #lose(sockets: NearSockets, why: string): void {
    const { size } = sockets;
    if (size > 0) this.#parts.told('warn', 'peers were sent away for a while, to come again', undefined, why);
    sockets.lose(CLOSE.restart.code, () => comeBackElsewhere(size, why));
  }
}
