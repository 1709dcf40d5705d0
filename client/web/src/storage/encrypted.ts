/**
 * Encryption at rest: what a storage keeps is sealed with a key of the application, by AES-GCM of the platform. Each record is bound to
 * its name, so that none stands in place of another. Names say how much is there, not what.
 */
import { fromBytes, toBytes } from './record-bytes.js';
import type { Change, Records, Storage } from './records.js';

const CIPHER = 'AES-GCM';
/** Bytes of the number that no two records under one key share. */
const NONCE_BYTES = 12;

interface Sealed {
  readonly sealed: Uint8Array<ArrayBuffer>;
  /** Keys of the platform, whose secrets nobody can read anyway. */
  readonly keys: readonly CryptoKey[];
}

/**
 * A storage of which nobody reads anything without the key: a `CryptoKey` for AES-GCM, or its 16 or 32 bytes. With another key a room
 * goes on in memory and says so, as where a device keeps nothing; what is stored stays as it is.
 */
export function encrypted(storage: Storage, key: CryptoKey | Uint8Array<ArrayBuffer>): Storage {
  return {
    open: async (name) => {
      const cipher = key instanceof Uint8Array ? await imported(key) : key;
      return new EncryptedRecords(await storage.open(name), cipher);
    },
  };
}

const imported = (key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', key, CIPHER, false, ['encrypt', 'decrypt']);

class EncryptedRecords implements Records {
  readonly #inner: Records;
  readonly #key: CryptoKey;
  /** Writes reach the storage in their order, however long each takes to be sealed. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(inner: Records, key: CryptoKey) {
    this.#inner = inner;
    this.#key = key;
  }

  get hasLocks(): boolean {
    return this.#inner.hasLocks;
  }

  async read(prefix: string): Promise<readonly (readonly [string, unknown])[]> {
    const found = await this.#inner.read(prefix);
    return Promise.all(found.map(async ([name, value]) => [name, await this.#opened(name, value)] as const));
  }

  write({ put = [], ...rest }: Change, isStrict: boolean): Promise<void> {
    const sealed = Promise.all(put.map(async ([name, value]) => [name, await this.#sealed(name, value)] as const));
    const written = this.#last.then(async () => this.#inner.write({ put: await sealed, ...rest }, isStrict));
    this.#last = written.catch(() => undefined);
    return written;
  }

  async #sealed(name: string, value: unknown): Promise<Sealed> {
    const keys: CryptoKey[] = [];
    const bytes = toBytes(value, keys);
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const ciphertext = await crypto.subtle.encrypt(cipherOf(name, iv), this.#key, bytes);
    const sealed = new Uint8Array(NONCE_BYTES + ciphertext.byteLength);
    sealed.set(iv);
    sealed.set(new Uint8Array(ciphertext), NONCE_BYTES);
    return { sealed, keys };
  }

  async #opened(name: string, value: unknown): Promise<unknown> {
    const { sealed, keys } = value as Partial<Sealed>;
    if (!sealed) throw new Error('what is stored here was stored without encryption');
    const [iv, ciphertext] = [sealed.slice(0, NONCE_BYTES), sealed.slice(NONCE_BYTES)];
    const opened = await crypto.subtle.decrypt(cipherOf(name, iv), this.#key, ciphertext).catch((cause: unknown) => {
      throw new Error('what is stored here is damaged, or was encrypted with another key', { cause });
    });
    return fromBytes(new Uint8Array(opened), keys ?? []);
  }

  lock(name: string): Promise<(() => void) | undefined> {
    return this.#inner.lock(name);
  }

  say(message: unknown): void {
    this.#inner.say(message);
  }

  onSaid(listener: (message: unknown) => void): () => void {
    return this.#inner.onSaid(listener);
  }

  close(): void {
    void this.#last.then(() => this.#inner.close());
  }
}

function cipherOf(name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: CIPHER, iv, additionalData: new TextEncoder().encode(name) };
}
