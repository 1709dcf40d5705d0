/**
 * Cluster: several processes that serve one store. Each room that is open is in one of them, its owner, with a host like that of a
 * single process; sockets stay where they are, and frames of peers elsewhere cross over a link of the bus, as between threads.
 *
 * The store says who is there and whose a room is. It is asked every half second, which also finds what a link did not bring: a
 * process that has ended, rooms that others have written into, what was noted for all hosts.
 */
import { createHmac } from 'node:crypto';
import {
  CLOSE,
  type Clock,
  type Connection,
  type ErasedBelow,
  type Erasure,
  type Host,
  type Limits,
  type Membership,
  type OtherHosts,
  type PeerSocket,
  type RoomId,
  type Store,
  type Telemetry,
  comeBackLater,
  parseRoomId,
  systemClock,
} from '@weft/core';
import { type AnyOperation, type Asking, NotThere, OperatorError, isOfStore } from '../operator/define.js';
import type { Performs } from '../operator/perform.js';
import { operations } from '../operator/table.js';
import type { NearSockets } from '../threads/near-sockets.js';
import { RemoteSockets } from '../threads/remote-sockets.js';
import { Wire } from '../threads/wire.js';
import { type ReadsNodes, nodesOf } from '../webhooks/told-nodes.js';
import type { YjsGateway } from '../yjs/gateway.js';
import type { Bus, Link } from './bus.js';
import { Claims } from './claims.js';
import { type Count, Counts } from './counts.js';
import { COURIER, Courier, type Telling } from './courier.js';
import type { Neighbour, Open } from './neighbour.js';
import { Neighbours, type Told } from './neighbours.js';
import { WaitingConnection } from './waiting-connection.js';

export interface ClusterParts {
  readonly bus: Bus;
  /** Membership of the store, once it is open. */
  readonly membership: () => Membership | undefined;
  readonly limits: Pick<Limits, 'frameBytes' | 'hostInboxBytes'>;
  readonly telemetry: Telemetry;
  /** Clock of its looks at the store. */
  readonly clock?: Clock;
}

/** What this process does itself. */
interface Here {
  readonly host: Host;
  readonly performing: Performs;
}

/** What becomes of a connection, by where its room is. */
interface Ways {
  here(): Connection;
  there(sockets: NearSockets): Connection;
}

const LOOK_MS = 500;
/** Looks between two sweeps of rooms that are not used any more. */
const SWEEP_EVERY = 10;
/**
 * Milliseconds without an answer of the store, or a link, after which nobody should be sent here: by then the lease of a process
 * that has died is over, and writes wait no longer for a database that restarts.
 */
const UNREADY_MS = 15_000;
/** Room of the hosts themselves: what stands there counts for all. */
const OWN_ROOM = '~host' as RoomId;
/** How a client of Yjs is refused whose room is at a process that takes none. */
const [NO_YJS, WITHOUT_YJS] = [1011, 'the process that has this room takes no clients of Yjs; start all with --yjs on'];
/** Rooms that are asked for at once. */
const ROOMS_AT_ONCE = 5000;

export class Cluster implements Pick<Host, 'connect'>, Performs {
  readonly #parts: ClusterParts;
  readonly #claims: Claims;
  readonly #neighbours: Neighbours;
  readonly #counts: Counts;
  #courier: Courier | undefined;
  #here: Here | undefined;
  #yjs: YjsGateway | undefined;
  /** Links from each other process. */
  readonly #links = new Map<string, number>();
  #cancelLook = (): void => undefined;
  #look: Promise<void> | undefined;
  #looks = 0;
  #answeredAt = performance.now();
  #ownHead = 0;
  /** Connections of which it is not known yet where their rooms are. */
  #arriving = 0;
  #isStopping = false;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.#claims = new Claims(() => this.#membership);
    this.#counts = new Counts({
      heed: (name, by) => this.#here?.host.heed(name, by),
      tell: (counts) => this.#neighbours.all.forEach((neighbour) => neighbour.tell('counts', counts, false)),
    });
    this.#neighbours = new Neighbours({
      bus: parts.bus,
      clock: parts.clock ?? systemClock,
      limits: parts.limits,
      membership: () => this.#membership,
      told: (...what) => this.#told(...what),
      onJoined: (id) => this.#counts.heard(id, this.#links.has(id)),
      onKnown: (neighbour) => {
        neighbour.tell('counts', this.#counts.all, true);
        this.#courier?.met(neighbour.member.id);
      },
      onLeft: (id) => {
        this.#counts.gone(id);
        this.#courier?.compare();
      },
    });
    const { telemetry } = parts;
    telemetry.watch?.('cluster_processes', () => this.#neighbours.all.length + 1);
    telemetry.watch?.('cluster_unreachable', () => this.#neighbours.all.filter(({ open }) => !open).length);
    telemetry.watch?.('cluster_rooms', () => this.#claims.count);
    telemetry.watch?.('cluster_forwarded', () =>
      this.#neighbours.all.reduce((sum, { open }) => sum + (open?.sockets.size ?? 0), 0),
    );
  }

  /** What the host of this process has to know of the others. */
  get others(): OtherHosts {
    return {
      serve: (room) => !this.#claims.isMine(room) && this.#isElsewhere(room),
      confirm: () => (this.#membership.isSure ? undefined : this.#membership.makeSure()),
      wrote: (room) => void this.#wrote(room),
      counted: (name, by) => this.#counts.counted(name, by),
      eraseBelow: (child, erasure) => this.#erase(child, erasure),
    };
  }

  /** Has webhooks told by one of the processes; `begin` is called where that is this one. To be said before the start. */
  tellWebhooks(begin: () => Promise<Telling>): void {
    this.#courier = new Courier({
      begin,
      claims: this.#claims,
      self: () => this.#membership.self.id,
      tell: (process, ...what) => this.#neighbours.get(process)?.tell(...what) ?? false,
      isThere: (process) => this.#neighbours.has(process),
      telemetry: this.#parts.telemetry,
    });
  }

  /** Webhooks of this process, where it is the one that tells them. */
  get webhooks(): Telling | undefined {
    return this.#courier?.telling;
  }

  /** A room has changed: whoever tells webhooks hears it. */
  changed(room: RoomId): void {
    this.#courier?.changed(room);
  }

  /** Nodes of a room, from the process that has it. */
  readonly nodes: ReadsNodes = async (room, from) => {
    const open = this.#neighbours.get(await this.#claims.ownerOf(room))?.open;
    // A process that does not know the word has written what is read from the store here.
    if (!open?.words.has('history')) return nodesOf(this.#mustBeHere().host)(room, from);
    return open.wire.call('history', room, from);
  };

  /** Lets the others in and joins them. The host is ready. */
  async start(here: Here, secret: Uint8Array): Promise<void> {
    this.#here = here;
    await this.#parts.bus.open(this.#membership.self, secret, (from, link) => this.#serve(from, link));
    await this.#lookAround();
    this.#lookAgain();
  }

  /** Looks go on at their pace; one that takes longer has none beside it. */
  #lookAgain(): void {
    this.#cancelLook = (this.#parts.clock ?? systemClock).after(LOOK_MS, () => {
      this.#look ??= this.#lookAround().finally(() => (this.#look = undefined));
      this.#lookAgain();
    });
  }

  readonly connect: Host['connect'] = (room, socket, audiences = [], request) =>
    this.#take(room, socket, {
      here: () => this.#mustBeHere().host.connect(room, socket, audiences, request),
      there: (sockets) => sockets.connect(room, socket, [...audiences], request),
    });

  /** Gateway for clients of Yjs at any process, of that of this one, which has those of its rooms. */
  yjsOver(own: YjsGateway): YjsGateway {
    this.#yjs = own;
    return {
      accept: (roomId, socket, query, request) => {
        const here = (): Connection => own.accept(roomId, socket, query, request);
        const room = parseRoomId(roomId);
        if (room === undefined) return here(); // which refuses it
        return this.#take(room, socket, {
          here,
          there: (sockets) => sockets.acceptYjs(room, socket, query, request),
        });
      },
    };
  }

  /** Connection of a peer whose room may be here or elsewhere. */
  #take(room: RoomId, socket: PeerSocket, { here, there }: Ways): Connection {
    this.#mustBeHere();
    if (this.#claims.isMine(room)) return here();
    const waiting = new WaitingConnection(socket, this.#parts.limits.hostInboxBytes);
    this.#arriving++;
    const later = (why: string): void => waiting.refuse(CLOSE.restart.code, comeBackLater(this.#arriving, why));
    this.#wayTo(room)
      .then((way) => {
        if (way === 'here') return waiting.become(here);
        if (!way) return later('the process that has this room cannot be reached');
        return waiting.become(() => there(way.sockets));
      })
      .catch((error: unknown) => {
        this.#told('warn', 'it could not be found out which process has a room', error);
        later('the store does not answer');
      })
      .finally(() => this.#arriving--);
    return waiting;
  }

  /** Way to the process that has a room; undefined where it cannot be reached. One that died meanwhile has it no more. */
  async #wayTo(room: RoomId): Promise<Open | 'here' | undefined> {
    for (;;) {
      const owner = await this.#claims.ownerOf(room);
      if (owner === this.#membership.self.id) return 'here';
      const neighbour = this.#neighbours.get(owner);
      const open = await neighbour?.reach();
      if (open || !neighbour || this.#neighbours.get(owner) === neighbour) return open;
    }
  }

  /** Performs an operation where its room is. What all have to hear is done there first, and then in the others. */
  async perform(operation: AnyOperation, input: unknown, asking: Asking): Promise<unknown> {
    const { performing } = this.#mustBeHere();
    const room = roomIn(input);
    if (isOfStore(operation)) return performing.perform(operation, input, asking);
    const owner = await this.#whoPerforms(operation, room);
    const neighbour = this.#neighbours.get(owner);
    if (!neighbour && owner !== this.#membership.self.id)
      throw new Error('the process that has this room ends just now; ask again');
    const first: Performs | Neighbour = neighbour ?? performing;
    const answer = await first.perform(operation, input, asking);
    const { everywhere } = operation;
    if (!everywhere) return answer;
    // Whoever cannot be reached finds it in the room of the hosts.
    const others = [performing, ...this.#neighbours.all].filter((other) => other !== first);
    const answers = await Promise.all(
      others.map((other) =>
        other.perform(operation, input, asking).catch((error: unknown) => {
          if (!(error instanceof OperatorError || error instanceof NotThere))
            this.#told('warn', 'a process could not be told what an operator has done', error);
        }),
      ),
    );
    return everywhere([answer, ...answers.filter((told) => told !== undefined)]);
  }

  async #whoPerforms({ isOfWebhooks }: AnyOperation, room: RoomId | undefined): Promise<string> {
    if (isOfWebhooks && this.#courier) return this.#courier.owner();
    return room === undefined ? this.#membership.self.id : this.#claims.ownerOf(room);
  }

  /** Why no peer should be sent here just now. Of two that cannot reach each other one says so: the other one goes on. */
  get unready(): string | undefined {
    const now = performance.now();
    if (now - this.#answeredAt > UNREADY_MS) return 'the store does not say who shares it';
    const { id } = this.#membership.self;
    const lost = this.#neighbours.all.find(
      ({ member, lostSince = now }) => member.id < id && now - lostSince > UNREADY_MS,
    );
    return lost && `the process at ${lost.member.address} cannot be reached`;
  }

  /** Sends away whoever is here for a room of another process, and lets nobody from others in. */
  stop(): void {
    this.#isStopping = true;
    this.#neighbours.sendAway('the server restarts');
  }

  /** Leaves the others. */
  async close(): Promise<void> {
    this.#cancelLook();
    await this.#look;
    await this.#courier?.close();
    this.#neighbours.end();
  }

  get #membership(): Membership {
    const membership = this.#parts.membership();
    if (!membership) throw new Error('the store is not shared, or not open');
    return membership;
  }

  #mustBeHere(): Here {
    if (!this.#here) throw new Error('the cluster has not started');
    return this.#here;
  }

  async #isElsewhere(room: RoomId): Promise<boolean> {
    return (await this.#claims.ownerOf(room)) !== this.#membership.self.id;
  }

  async #wrote(room: RoomId): Promise<void> {
    if (room === OWN_ROOM) {
      for (const { open } of this.#neighbours.all) open?.wire.tell('look', room);
      return;
    }
    const owner = await this.#claims.ownerOf(room).catch(() => '');
    this.#neighbours.get(owner)?.open?.wire.tell('look', room);
  }

  /** Erases something in a child that another process has; one that cannot be reached has it still. */
  async #erase(child: RoomId, erasure: Erasure): Promise<ErasedBelow> {
    const owner = await this.#claims.ownerOf(child);
    const open = await this.#neighbours.get(owner)?.reach();
    if (!open?.words.has('erase')) return { children: [], left: [child] };
    return open.wire.call<ErasedBelow>('erase', child, erasure);
  }

  /** Answers another process: sockets of its own for rooms of this one, and questions of operators. */
  #serve(from: string, link: Link): void {
    const { host, performing } = this.#mustBeHere();
    const wire = new Wire(link, { mayTellMore: true });
    this.#heard(from, 1);
    const sockets = new RemoteSockets(wire, this.#parts.limits.frameBytes);
    const asked = new Map<number, AbortController>();
    link.onEnd(() => {
      wire.end(new Error('the other process is gone'));
      sockets.lose();
      for (const gone of asked.values()) gone.abort();
      this.#heard(from, -1);
    });
    const yjs: YjsGateway['accept'] = (...about) => this.#yjs!.accept(...about);
    const answers = sockets.answers(host, yjs);
    const unlessStopping =
      (name: 'open' | 'openYjs') =>
      (...about: never[]): void => {
        if (this.#isStopping) wire.tell('end', about[0], CLOSE.restart.code, comeBackLater(sockets.size));
        else if (name === 'openYjs' && !this.#yjs) wire.tell('end', about[0], NO_YJS, WITHOUT_YJS);
        else answers[name]?.(...about);
      };
    wire.serve({
      ...answers,
      open: unlessStopping('open'),
      openYjs: unlessStopping('openYjs'),
      look: (room: RoomId) => void this.#follow(room),
      words: () => wire.words,
      counts: (counts: readonly Count[], isAll: boolean) => this.#counts.told(from, counts, isAll),
      left: (id: string) => this.#neighbours.left(id),
      changed: (rooms: readonly RoomId[]) => this.#courier?.brought(rooms),
      history: (room: RoomId, at: number) => nodesOf(host)(room, at),
      erase: (child: RoomId, erasure: Erasure) => host.eraseBelow(child, erasure),
      abort: (id: number) => asked.get(id)?.abort(),
      perform: async (name: string, input: unknown, id: number) => {
        const operation = operations.get(name);
        if (!operation) throw new OperatorError(`there is no operation ${name}`);
        const gone = new AbortController();
        asked.set(id, gone);
        const progress = async (value: unknown): Promise<void> => wire.tell('progress', id, value);
        return performing.perform(operation, input, { progress, signal: gone.signal }).finally(() => asked.delete(id));
      },
    });
  }

  /** Links from another process: while there is none, what it counts is not heard. */
  #heard(from: string, by: 1 | -1): void {
    const links = (this.#links.get(from) ?? 0) + by;
    if (links > 0) this.#links.set(from, links);
    else this.#links.delete(from);
    if (links > 0 || this.#neighbours.has(from)) this.#counts.heard(from, links > 0);
    else this.#counts.gone(from);
  }

  async #follow(room: RoomId): Promise<void> {
    const { host } = this.#mustBeHere();
    try {
      await (room === OWN_ROOM ? host.heedOwn() : host.look(room));
    } catch (error) {
      this.#told('warn', 'what another process has written could not be read', error);
    }
  }

  /** One look at the store: who is there, and what was written elsewhere. Never rejects. */
  async #lookAround(): Promise<void> {
    try {
      await this.#neighbours.meet();
      await this.#catchUp();
      await this.#courier?.look(this.#neighbours.all.every(({ open }) => open?.words.has('changed')));
      if (this.#looks++ % SWEEP_EVERY === SWEEP_EVERY - 1)
        await this.#claims.releaseUnused((room) => room === COURIER || this.#mustBeHere().host.uses(room));
      this.#answeredAt = performance.now();
    } catch (error) {
      this.#told('warn', 'the store does not say who shares it', error);
    }
  }

  /** Reads what others have written into rooms that are here, and what was noted for all. */
  async #catchUp(): Promise<void> {
    const { host } = this.#mustBeHere();
    const { known } = host;
    const rooms = [...new Set([OWN_ROOM, ...known.keys()])];
    for (let at = 0; at < rooms.length; at += ROOMS_AT_ONCE) {
      const heads = await this.#membership.heads(rooms.slice(at, at + ROOMS_AT_ONCE));
      for (const [room, head] of heads) {
        if (room === OWN_ROOM) {
          if (head === this.#ownHead) continue;
          await host.heedOwn();
          this.#ownHead = head;
        } else if (head > (known.get(room) ?? head) && head > (host.known.get(room) ?? head)) await this.#follow(room);
      }
    }
  }

  #told(...[level, message, error, what]: Parameters<Told>): void {
    this.#parts.telemetry.tell?.({
      level,
      message,
      ...(error === undefined ? {} : { error }),
      ...(what === undefined ? {} : { about: { what } }),
    });
  }
}

/** Secret that the processes on a store know each other by. */
export async function clusterSecret(store: Pick<Store, 'authoritySeed'>): Promise<Uint8Array> {
  return createHmac('sha256', await store.authoritySeed())
    .update('weft cluster')
    .digest();
}

/** Room that an operation is about, where it names one. */
function roomIn(input: unknown): RoomId | undefined {
  if (typeof input !== 'object' || input === null || !('room' in input)) return undefined;
  return typeof input.room === 'string' ? parseRoomId(input.room) : undefined;
}
