/**
 * Storage in IndexedDB: one database for each room, one store of records by name, locks of the Web Locks API, which end with
 * the tab that holds them. A connection that the browser has ended is opened again, once for each call.
 */
import type { Change, Records, Storage } from './records.js';

const STORE = 'records';
/** Behind every name that begins with a prefix. */
const LAST = '\uffff';

/** Where in the browser rooms are kept. */
export interface IndexedDbOptions {
  /** What the databases' names begin with. */
  readonly prefix?: string;
}

/** The storage of a browser: what is written is there when the page is opened again, with or without a network. */
export function indexedDb({ prefix = 'weft:' }: IndexedDbOptions = {}): Storage {
  return { open: (name) => IndexedDbRecords.open(prefix + name) };
}

class IndexedDbRecords implements Records {
  readonly #name: string;
  readonly #channel: BroadcastChannel | undefined;
  #database: IDBDatabase | undefined;
  /** What this page has written first, which is its slot: that is never removed, so where it is missing everything was. */
  #first: string | undefined;

  private constructor(name: string) {
    this.#name = name;
    this.#channel = globalThis.BroadcastChannel === undefined ? undefined : new BroadcastChannel(name);
  }

  static async open(name: string): Promise<Records> {
    const records = new IndexedDbRecords(name);
    await records.#open().catch((error: unknown) => {
      records.close();
      throw error;
    });
    return records;
  }

  get hasLocks(): boolean {
    return navigator.locks !== undefined;
  }

  async #open(): Promise<IDBDatabase> {
    if (this.#database) return this.#database;
    const request = indexedDB.open(this.#name, 1);
    request.onupgradeneeded = () => {
      // Nothing of it comes back: what is written from now on stands on what is gone.
      if (this.#first !== undefined) request.transaction?.abort();
      else request.result.createObjectStore(STORE);
    };
    const database = await resultOf(request);
    if (this.#first !== undefined && !(await has(database, this.#first))) {
      database.close();
      throw new Error('what was kept of the room was removed meanwhile');
    }
    const forget = (): void => {
      if (this.#database === database) this.#database = undefined;
    };
    database.onclose = forget;
    // Another tab wants another version, or the user deletes everything.
    database.onversionchange = () => {
      forget();
      database.close();
    };
    return (this.#database = database);
  }

  async #transaction<T>(
    mode: IDBTransactionMode,
    durability: IDBTransactionDurability,
    run: (store: IDBObjectStore) => () => T,
  ): Promise<T> {
    const attempt = async (): Promise<T> => {
      const transaction = (await this.#open()).transaction(STORE, mode, { durability });
      const result = run(transaction.objectStore(STORE));
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('the browser gave a write up'));
      });
      return result();
    };
    try {
      return await attempt();
    } catch (error) {
      if (!isEnded(error)) throw error;
      this.#database = undefined;
      return attempt();
    }
  }

  read(prefix: string): Promise<readonly (readonly [string, unknown])[]> {
    return this.#transaction('readonly', 'default', (store) => {
      const range = rangeOf(prefix);
      const [names, values] = [store.getAllKeys(range), store.getAll(range)];
      return () => names.result.map((name, i) => [String(name), values.result[i] as unknown] as const);
    });
  }

  async write({ put = [], remove = [] }: Change, isStrict: boolean): Promise<void> {
    await this.#transaction('readwrite', isStrict ? 'strict' : 'relaxed', (store) => {
      for (const { prefix } of remove) store.delete(rangeOf(prefix));
      for (const [name, value] of put) store.put(value, name);
      return () => undefined;
    });
    this.#first ??= put[0]?.[0];
  }

  lock(name: string): Promise<(() => void) | undefined> {
    if (!this.hasLocks) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const held = (lock: Lock | null): Promise<void> | undefined => {
        if (!lock) return void resolve(undefined);
        return new Promise<void>((release) => resolve(() => release()));
      };
      navigator.locks.request(`${this.#name}:${name}`, { ifAvailable: true }, held).catch(reject);
    });
  }

  say(message: unknown): void {
    this.#channel?.postMessage(message);
  }

  onSaid(listener: (message: unknown) => void): () => void {
    const told = ({ data }: MessageEvent): void => listener(data);
    this.#channel?.addEventListener('message', told);
    return () => this.#channel?.removeEventListener('message', told);
  }

  close(): void {
    this.#channel?.close();
    this.#database?.close();
    this.#database = undefined;
  }
}

function rangeOf(prefix: string): IDBKeyRange {
  return IDBKeyRange.bound(prefix, prefix + LAST);
}

function resultOf<T>(request: IDBOpenDBRequest & IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database cannot be opened'));
    request.onblocked = () => reject(new Error('another tab holds an older version of the database'));
  });
}

async function has(database: IDBDatabase, name: string): Promise<boolean> {
  const request = database.transaction(STORE).objectStore(STORE).getKey(name);
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result !== undefined);
    request.onerror = () => reject(request.error ?? new Error('the database cannot be read'));
  });
}

/** Whether the browser has ended the connection: Safari does that to tabs in the background. */
function isEnded(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'InvalidStateError' || error.name === 'UnknownError');
}
