/** Pages without a browser: rooms of one device, on a host of the same process, whose network and disk can fail. */
import { type Host, type WebSocketLike, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { inProcessSocket } from '@weft/core/testing';
import { type OpenOptions, Room } from '../room.js';
import { memory } from '../storage/memory.js';
import type { Change, Records, Storage } from '../storage/records.js';
import type { AnyRoom } from '../types.js';

export class World {
  readonly host: Host;
  isOnline = true;
  readonly #sockets = new Set<WebSocketLike>();
  readonly #pages = new Set<Room<AnyRoom>>();

  constructor(host = createHost({ store: memoryStore(), onFault: () => undefined })) {
    this.host = host;
  }

  open(storage?: Storage, options: Partial<OpenOptions> = {}): Room<AnyRoom> {
    const room = new Room<AnyRoom>('room', {
      url: 'ws://host',
      socket: () => this.#dial(),
      retry: { firstMs: 1, mostMs: 2 },
      ...(storage ? { storage } : {}),
      ...options,
    });
    this.#pages.add(room);
    return room;
  }

  #dial(): WebSocketLike {
    if (!this.isOnline) return deadSocket();
    const socket = inProcessSocket(this.host, 'room');
    this.#sockets.add(socket);
    return socket;
  }

  cut(): void {
    this.isOnline = false;
    for (const socket of this.#sockets) socket.close(1001, 'cut');
    this.#sockets.clear();
  }

  /** Leaves every page as a killed one is left: a dead tab answers nothing. */
  async end(): Promise<void> {
    for (const page of this.#pages) void page.close();
    await this.host.close();
  }
}

/** Socket of a machine without a network: it closes soon. */
function deadSocket(): WebSocketLike {
  const listeners: ((event: { code: number; reason: string }) => void)[] = [];
  setTimeout(() => listeners.forEach((closed) => closed({ code: 1006, reason: '' })), 1);
  return {
    send: () => undefined,
    close: () => undefined,
    addEventListener: (type: string, listener: (event: never) => void) => {
      if (type === 'close') listeners.push(listener as (typeof listeners)[number]);
    },
  };
}

/** Device whose tabs can be killed, and whose relaxed writes may be lost by that, the newest first. */
export class Device implements Storage {
  readonly #inner = memory();
  readonly #tabs = new Map<string, Set<Tab>>();

  async open(name: string): Promise<Records> {
    const tab = new Tab(await this.#inner.open(name));
    const tabs = this.#tabs.get(name) ?? new Set();
    this.#tabs.set(name, tabs.add(tab));
    return tab;
  }

  /** Kills all tabs. Of the writes that are not on the disk, so many are lost, over all tabs. */
  async kill(lost: (unsynced: number) => number): Promise<void> {
    for (const tabs of this.#tabs.values()) {
      for (const tab of tabs) await tab.kill(lost);
      tabs.clear();
    }
  }
}

class Tab implements Records {
  readonly hasLocks = true;
  readonly #inner: Records;
  readonly #locks: (() => void)[] = [];
  /** Writes that are not on the disk, with what stood there before. */
  #unsynced: (() => Promise<void>)[] = [];
  #isDead = false;

  constructor(inner: Records) {
    this.#inner = inner;
  }

  read(prefix: string): Promise<readonly (readonly [string, unknown])[]> {
    return this.#isDead ? new Promise(() => undefined) : this.#inner.read(prefix);
  }

  async write(change: Change, isStrict: boolean): Promise<void> {
    if (this.#isDead) return new Promise(() => undefined);
    const names = [...(change.put ?? []).map(([name]) => name), ...(change.remove ?? []).map(({ prefix }) => prefix)];
    const before = (await Promise.all(names.map((name) => this.#inner.read(name)))).flat();
    if (this.#isDead) return new Promise(() => undefined);
    await this.#inner.write(change, isStrict);
    // Writes reach the disk in order: a strict one takes those before along.
    if (isStrict) this.#unsynced = [];
    else
      this.#unsynced.push(() => this.#inner.write({ remove: names.map((prefix) => ({ prefix })), put: before }, true));
  }

  async lock(name: string): Promise<(() => void) | undefined> {
    if (this.#isDead) return new Promise(() => undefined);
    const unlock = await this.#inner.lock(name);
    if (unlock) this.#locks.push(unlock);
    return unlock;
  }

  say(message: unknown): void {
    if (!this.#isDead) this.#inner.say(message);
  }

  onSaid(listener: (message: unknown) => void): () => void {
    return this.#inner.onSaid((message) => void (this.#isDead || listener(message)));
  }

  async kill(lost: (unsynced: number) => number): Promise<void> {
    this.#isDead = true;
    for (let left = lost(this.#unsynced.length); left > 0; left--) await this.#unsynced.pop()?.();
    for (const unlock of this.#locks) unlock();
  }

  close(): void {
    this.#inner.close();
  }
}
