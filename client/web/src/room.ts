/**
 * Room in a page: opened from this device before there is a network, kept in step with the server, edited offline, and told
 * of what was refused. What `openRoom` answers.
 */
import type {
  BlobSource,
  ChangeListener,
  ClientState,
  ConcurrentValue,
  HeldEdit,
  KeyPair,
  Observed,
  PutOptions,
  Replica,
  RoomClient,
  WebSocketLike,
  KeepOptions,
} from '@weft/core/client';
import { type PeerKeys, browserNetwork, createReplica, keepRoom, peerKeys } from '@weft/core/page';
import type { DeliveryParts } from './delivery.js';
import { OfflineSwitch } from './offline.js';
import { Presence } from './presence.js';
import { Refusals } from './refusals.js';
import { SchemaError, type ValueSchemas, issuesOf } from './schema.js';
import { Snapshots } from './snapshots.js';
import { Keeper, type Stored, readStored } from './storage/keeper.js';
import { memory } from './storage/memory.js';
import type { Records, Storage } from './storage/records.js';
import { type Slot, Slots, rowsOf, stateName } from './storage/slots.js';
import { Tabs } from './tabs.js';
import type { ItemAt, ListKey, PresenceOf, TextKey, ValueAt, ValueKey } from './types.js';

/** Where a room is, who enters it, and what is kept of it here. */
export interface OpenOptions {
  /** Address of the server, without the room: `wss://example.org`. */
  readonly url: string;
  readonly token?: KeepOptions['token'];
  /** Host name by which the server knows itself, such as `example.org`: the page proves its key to it, as locked rooms ask for. */
  readonly audience?: string;
  /** Gets a subject's mandate, in hex, for a key that this device has made: what it writes is the subject's. Asked for once for each. */
  readonly delegation?: (publicKey: string) => string | Promise<string>;
  /** Where the room is kept on this device; in memory when absent. */
  readonly storage?: Storage;
  /** Schemas of values by name. */
  readonly schema?: ValueSchemas;
  /** Pause between two showings of presence, 16 to 1,000 ms. */
  readonly presenceMs?: number;
  readonly peerType?: string;
  readonly subscribe?: readonly string[];
  readonly retry?: KeepOptions['retry'];
  readonly network?: KeepOptions['network'];
  /** When a silent server is asked whether it is there: after 10 s, for 3 s, when absent. */
  readonly heartbeat?: KeepOptions['heartbeat'];
  /** Makes sockets where they are not those of the runtime. */
  readonly socket?: (address: string) => WebSocketLike;
}

/** How a room stands. The same object until something of it changes. */
export interface RoomStatus {
  readonly connection: ClientState | 'opening';
  /** Nodes that no server has confirmed. */
  readonly unsent: number;
  /** Whether what is written survives a closed page. */
  readonly storage: 'kept' | 'memory';
  /** Edits that were refused and wait for somebody to decide. */
  readonly refused: number;
}

/** What a slot begins with. */
interface Beginning {
  /** What this slot itself has stored. */
  readonly stored: Stored | undefined;
  readonly replica: Replica | undefined;
  /** What of the room the replica has been shown. */
  readonly seen: string | undefined;
}

/** What a room has on this device. */
interface Opened extends Beginning {
  readonly records: Records;
  readonly slots: Slots;
  readonly slot: Slot;
}

/** A room that is open: reads and edits are made here at once, and go to the server as it can be reached. */
export class Room<Shape> {
  readonly name: string;
  /** Network of this room: `isOff = true` keeps it away, to try out what people see without one. */
  readonly network: OfflineSwitch;
  /** The present socket, or the last: for developers, as what follows. */
  declare socket: WebSocketLike | undefined;
  /** Told of each socket before anything is sent on it. There is one, as there is one `onmessage`. */
  declare onSocket: ((socket: WebSocketLike) => void) | undefined;
  readonly #options: OpenOptions;
  #client: RoomClient | undefined;
  #replica: Replica | undefined;
  #keeper: Keeper | undefined;
  #records: Records | undefined;
  #snapshots: Snapshots | undefined;
  #presence: Presence<PresenceOf<Shape>> | undefined;
  #refusals: Refusals;
  #status: RoomStatus = { connection: 'opening', unsent: 0, storage: 'memory', refused: 0 };
  readonly #watchers = new Set<() => void>();
  /** What the room has on this device, once that was looked for. */
  readonly #opened: Promise<Opened | undefined>;
  /** Whether it could not be opened, or was closed before it was. */
  #hasFailed = false;
  /** Delivery of what other slots have left, on the present connection. */
  #delivered: Promise<void> = Promise.resolve();
  #deliver: () => void = () => undefined;
  #tabs: Tabs | undefined;
  #isKept = false;
  #isClosed = false;
  /** A page that may come back from the browser's memory goes on with its slot. */
  readonly #leave = ({ persisted }: PageTransitionEvent): void => void (persisted || this.close());

  /** Resolves when there is something to read: from this device, or from the server. */
  readonly ready: Promise<void>;
  /** Resolves when the server's history is here for the first time; rejects when it will not be. */
  readonly joined: Promise<void>;

  constructor(name: string, options: OpenOptions) {
    checkOptions(options);
    this.name = name;
    this.#options = options;
    this.network = new OfflineSwitch(options.network ?? browserNetwork);
    this.#refusals = new Refusals(undefined, () => this.#tell());
    const crypto = peerKeys();
    this.#opened = crypto.then((found) => this.#openStorage(found));
    const opened = this.#open(crypto);
    opened.catch(() => {
      this.#hasFailed = true;
      this.#tell();
    });
    this.joined = opened.then((client) => client.joined);
    this.ready = opened.then((client) => (this.#replica ? undefined : client.joined));
    for (const promise of [this.#opened, this.joined, this.ready]) promise.catch(() => undefined); // nobody need wait for it
  }

  get status(): RoomStatus {
    return this.#status;
  }

  /** When the server was heard last on the present connection, in Unix milliseconds; undefined without one. */
  get lastHeard(): number | undefined {
    return this.#client?.heardAt;
  }

  /** Whether all that was written here under a name is durable on the server. */
  isDurable(key: string): boolean {
    return !(this.#replica?.isUnsent(key) ?? false);
  }

  /** Called when the status is another one. Answers what ends it. */
  onStatus(listener: () => void): () => void {
    if (typeof listener !== 'function') throw new TypeError('a listener is a function');
    const own = (): void => listener();
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  /** Whether there is something to read. */
  get isReady(): boolean {
    return this.#replica !== undefined;
  }

  /** For what this class does not offer: history, conflicts, proofs. Throws before the room is ready. */
  get replica(): Replica {
    if (this.#replica) return this.#replica;
    throw new Error(`room ${this.name} is not ready: await room.ready first`);
  }

  /** Connection of the room, for blobs and commands. Throws before the room is ready. */
  get client(): RoomClient {
    if (this.#client) return this.#client;
    throw new Error(`room ${this.name} is not ready: await room.ready first`);
  }

  get<Key extends ValueKey<Shape>>(key: Key): ValueAt<Shape, Key> | undefined {
    return this.#snapshotted?.value(key) as ValueAt<Shape, Key> | undefined;
  }

  /** Values whose names begin so, as one frozen object: the same one until one of them changes. */
  entries<Prefix extends string>(prefix: Prefix): Readonly<Record<string, ValueAt<Shape, `${Prefix}${string}`>>> {
    return (this.#snapshotted?.entries(prefix) ?? NOTHING) as Readonly<
      Record<string, ValueAt<Shape, `${Prefix}${string}`>>
    >;
  }

  items<Key extends ListKey<Shape>>(key: Key): readonly ItemAt<Shape, Key>[] {
    return (this.#snapshotted?.list(key) ?? NO_ITEMS) as readonly ItemAt<Shape, Key>[];
  }

  textOf(key: TextKey<Shape>): string {
    return this.#snapshotted?.text(key) ?? '';
  }

  /** What is wrong with a value by its schema: other versions of the application may have written it. */
  issues(key: ValueKey<Shape>): readonly string[] {
    const value = this.get(key);
    return value === undefined ? [] : issuesOf(this.#options.schema ?? {}, key, value);
  }

  set<Key extends ValueKey<Shape>>(key: Key, value: ValueAt<Shape, Key>): void {
    const issues = issuesOf(this.#options.schema ?? {}, key, value);
    if (issues.length > 0) throw new SchemaError(key, issues);
    this.replica.set(key, value);
  }

  delete(key: ValueKey<Shape>): void {
    this.replica.delete(key);
  }

  text(key: TextKey<Shape>): ReturnType<Replica['text']> {
    return this.replica.text(key);
  }

  list(key: ListKey<Shape>): ReturnType<Replica['list']> {
    return this.replica.list(key);
  }

  /** Edits that belong together: one node, one event, one step of undo. */
  edit(edit: (room: this) => void, origin?: unknown): void {
    this.replica.transact(() => edit(this), origin);
  }

  observe(observed: Observed, listener: ChangeListener): () => void {
    void this.#snapshotted; // it is told first, so that who is told next reads what is new
    return this.replica.observe(observed, listener);
  }

  /** What one shows the others, and what they show. Throws before the room is ready. */
  get presence(): Presence<PresenceOf<Shape>> {
    return (this.#presence ??= new Presence(this.client, this.#options.presenceMs));
  }

  /**
   * What several people have written under a name without knowing of each other, with who they are: the value that is shown
   * first. Empty where nobody disagrees; whoever writes it now has settled it.
   */
  conflicts(key: ValueKey<Shape>): readonly ConcurrentValue[] {
    return this.#replica?.concurrent(key) ?? NO_ITEMS;
  }

  /** Edits that the server refused, oldest first, until each is tried again or discarded. */
  get refused(): readonly HeldEdit[] {
    return this.#refusals.all;
  }

  retry(held: HeldEdit): Promise<void> {
    return this.#refusals.retry(this.replica, held);
  }

  discard(held: HeldEdit): Promise<void> {
    return this.#refusals.discard(held);
  }

  /**
   * Stores a file, bytes or a stream beside the room; resolves with its hash, for `room.replica.setBlob(key, hash)`. By the server's
   * links (`--blob-addr`) it may have gigabytes, is not held in memory, and goes on where a connection broke. `room.client.getBlob(hash)`
   * and `readBlob` fetch it.
   */
  putBlob(source: BlobSource, options?: PutOptions): Promise<string> {
    return this.ready.then(() => this.client.putBlob(source, options));
  }

  /** Resolves when all that was written is durable on the server. */
  async sent(): Promise<void> {
    await this.ready;
    return this.client.push();
  }

  /** Resolves when all that is here is kept on this device. */
  async kept(): Promise<void> {
    await this.ready;
    await this.#keeper?.keep();
  }

  /** Stores the rest, gives the slot back and leaves. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    PAGE.removeEventListener?.('pagehide', this.#leave);
    const stored = this.#keeper ? this.#keeper.close() : this.#giveBack();
    this.#tabs?.end();
    this.#presence?.end();
    this.#snapshots?.end();
    this.#client?.close();
    await stored;
    this.#records?.close();
  }

  async #open(found: Promise<PeerKeys>): Promise<RoomClient> {
    const [crypto, opened] = [await found, await this.#opened];
    const keys = opened?.slot.keys ?? (await this.#makeKeys(crypto));
    if (this.#isClosed) throw new Error(`room ${this.name} was closed`);
    if (opened?.replica) this.#begin(opened.replica, opened);
    const client = this.#connect(crypto, keys, opened);
    client.joined.then(() => this.#joined(opened)).catch(() => this.#tell()); // the status says so
    return client;
  }

  async #openStorage(crypto: PeerKeys): Promise<Opened | undefined> {
    const { storage = memory(), url } = this.#options;
    try {
      const records = await storage.open(`${url}/${this.name}`);
      this.#records = records;
      if (this.#isClosed) return void records.close();
      this.#refusals = new Refusals(records, () => this.#tell());
      await this.#refusals.load();
      const slots = new Slots(records, () => this.#makeKeys(crypto));
      for (;;) {
        const slot = await slots.take();
        const begun = await this.#beginning(records, slot, crypto).catch((error) => {
          slot.unlock();
          throw error;
        });
        if (begun) return { records, slots, slot, ...begun };
        // What its key has written last is not known: it stays unclean, and is retired.
        slot.unlock();
      }
    } catch (error) {
      this.#notKept(error);
      return undefined;
    }
  }

  /** What a slot begins with; undefined where this build cannot read what the slot has stored. */
  async #beginning(records: Records, slot: Slot, crypto: PeerKeys): Promise<Beginning | undefined> {
    const { keys } = slot;
    const open = async ({ saved, rows }: Stored): Promise<Replica | undefined> => {
      try {
        return await createReplica({ saved, rows, keys, crypto });
      } catch (error) {
        console.warn(`weft: room ${this.name} has something stored that cannot be read: it is left as it is`, error);
        return undefined;
      }
    };
    const stored = await readStored(records, slot.number);
    if (stored) {
      const replica = await open(stored);
      return replica && { stored, replica, seen: stored.seen };
    }
    // Under a key that has written nothing yet, what another slot has stored: for a second tab, or after a killed one.
    for (const [name] of (await records.read('state/')).toReversed()) {
      const other = await readStored(records, Number(name.slice('state/'.length)));
      const replica = other && (await open(other));
      if (replica) return { stored, replica, seen: other.seen };
    }
    return { stored, replica: undefined, seen: undefined };
  }

  /** A slot that nobody has written with is as clean as it was. */
  async #giveBack(): Promise<void> {
    const opened = await this.#opened.catch(() => undefined);
    if (!opened) return;
    const { records, slots, slot } = opened;
    await records.write({ put: [slots.cleaned(slot)] }, true).catch(() => undefined); // it is retired when it is found
    slot.unlock();
  }

  async #makeKeys(crypto: PeerKeys): Promise<KeyPair> {
    const keys = await crypto.generateKeys();
    return { ...keys, delegation: await this.#options.delegation?.(keys.publicKey) };
  }

  #connect(crypto: PeerKeys, keys: KeyPair, opened: Opened | undefined): RoomClient {
    const { url, socket = browserSocket, heartbeat = {} } = this.#options;
    const address = `${url.replace(/\/$/, '')}/ws/${encodeURIComponent(this.name)}`;
    const client = keepRoom({
      ...this.#options,
      room: this.name,
      open: () => {
        this.socket = socket(address);
        this.onSocket?.(this.socket);
        return this.socket;
      },
      network: this.network,
      keys,
      crypto,
      heartbeat,
      replica: this.#replica,
      seen: opened?.seen,
    });
    this.#client = client;
    if (opened)
      this.#deliver = () =>
        this.#deliverOthers({
          ...opened,
          crypto,
          client,
          refusals: this.#refusals,
          createReplica,
          readStored,
          rowsOf,
          stateName,
        });
    client.onState((state) => {
      if (state === 'joined') this.#deliver();
      else this.#tabs?.tell();
      this.#tell();
    });
    client.onChange(() => this.#changed());
    return client;
  }

  #joined(opened: Opened | undefined): void {
    if (this.#isClosed) return;
    if (!this.#replica) this.#begin(this.client.replica, opened);
    // Without a network nobody gives a mandate to the tab that is opened when this one is still there, or was killed.
    if (this.#options.delegation) void opened?.slots.makeAhead().catch(() => undefined); // the next visit tries again
    this.#tell();
  }

  #begin(replica: Replica, opened: Opened | undefined): void {
    this.#replica = replica;
    replica.onRefused((held) => void this.#hold(held).catch((error) => this.#notKept(error)));
    replica.exchange.onSettled(() => this.#tell());
    replica.exchange.onWrite(() => queueMicrotask(() => this.#changed()));
    if (!opened) return;
    const { records, slots, slot, stored } = opened;
    this.#keeper = new Keeper(
      records,
      slots,
      slot,
      replica,
      () => this.#client?.seen,
      stored,
      (error) => this.#notKept(error),
    );
    replica.exchange.keep = async () => {
      await this.#keeper!.keep();
      // What one writes may stand on what others of this device have left.
      await this.#delivered;
    };
    // What it stands on was written under another key of this device, by a tab that is closed, or was refused.
    replica.exchange.early = () => this.#deliver();
    this.#tabs = new Tabs(records, replica, () => this.#client?.state !== 'joined');
    this.#isKept = this.#options.storage !== undefined;
    PAGE.addEventListener?.('pagehide', this.#leave);
    void this.#keeper.keep();
    this.#tell();
  }

  async #hold(held: readonly HeldEdit[]): Promise<void> {
    await this.#refusals.add(held);
    await this.#tabs?.gone(held.map(({ id }) => id));
  }

  /** Sends what closed tabs have left, and gives up what was refused of it. */
  #deliverOthers(parts: DeliveryParts): void {
    this.#delivered = this.#delivered
      .then(async () => (await import('./delivery.js')).deliver(parts, this.#tabs))
      .catch(() => undefined); // the connection is gone, or the storage: the next one tries again
  }

  #changed(): void {
    void this.#keeper?.keep();
    this.#tell();
  }

  #notKept(error: unknown): void {
    console.warn(`weft: room ${this.name} is not kept`, error);
    this.#isKept = false;
    this.#tell();
  }

  get #snapshotted(): Snapshots | undefined {
    if (!this.#snapshots && this.#replica) this.#snapshots = new Snapshots(this.#replica);
    return this.#snapshots;
  }

  #tell(): void {
    const now: RoomStatus = {
      connection: this.#client?.state ?? (this.#hasFailed ? 'ended' : 'opening'),
      unsent: this.#replica?.unsent ?? 0,
      storage: this.#isKept ? 'kept' : 'memory',
      refused: this.#refusals.all.length,
    };
    const names = Object.keys(now) as (keyof RoomStatus)[];
    if (names.every((name) => now[name] === this.#status[name])) return;
    this.#status = now;
    for (const tell of this.#watchers) tell();
  }
}

/** Options by name: one with another name would have no effect, and nobody would notice. */
const OPTIONS: readonly (keyof OpenOptions)[] = [
  'url',
  'token',
  'audience',
  'delegation',
  'storage',
  'schema',
  'presenceMs',
  'peerType',
  'subscribe',
  'retry',
  'network',
  'heartbeat',
  'socket',
];

function checkOptions(options: Partial<OpenOptions> = {}): void {
  if (typeof options.url !== 'string')
    throw new TypeError("openRoom needs { url: 'wss://…' }: the address of a server, without the room");
  const other = Object.keys(options).find((name) => !(OPTIONS as readonly string[]).includes(name));
  if (other) throw new TypeError(`openRoom has no option ${other}: it takes ${OPTIONS.join(', ')}`);
}

const browserSocket = (address: string): WebSocketLike => new WebSocket(address);

/** Absent outside of pages. */
const PAGE = globalThis as unknown as Partial<Window>;
const NOTHING: Readonly<Record<string, never>> = Object.freeze({});
const NO_ITEMS: readonly never[] = Object.freeze([]);
