/**
 * Awareness of one room: what each Yjs client shows, by its number, as it came. A client speaks for itself alone: a number is
 * of the connection that has used it first, until that ends.
 */
import { MESSAGE, Reader, message } from './wire.js';

/** What one connection may show: so many clients, and so long a text for each. */
const MOST_CLIENTS = 16;
const MOST_LENGTH = 64 * 1024;
const GONE = 'null';

interface Shown<Owner> {
  readonly owner: Owner;
  readonly clock: number;
  readonly state: string;
}

export class Awareness<Owner> {
  readonly #shown = new Map<number, Shown<Owner>>();

  /** Takes a client's update; answers the message that tells the others, or undefined. Throws for what cannot be read. */
  take(owner: Owner, update: Uint8Array): Uint8Array | undefined {
    const input = new Reader(update);
    const taken: number[] = [];
    for (let left = input.uint(); left > 0; left--) {
      const [client, clock, state] = [input.uint(), input.uint(), input.text()];
      if (this.#takeOne(client, { owner, clock, state })) taken.push(client);
    }
    const told = this.#tell(taken);
    for (const client of taken) if (this.#shown.get(client)?.state === GONE) this.#shown.delete(client);
    return told;
  }

  #takeOne(client: number, shown: Shown<Owner>): boolean {
    const before = this.#shown.get(client);
    if (shown.state.length > MOST_LENGTH) return false;
    if (before) {
      if (before.owner !== shown.owner || shown.clock < before.clock) return false;
      if (shown.clock === before.clock && shown.state !== GONE) return false;
    } else if (shown.state === GONE || this.#of(shown.owner).length >= MOST_CLIENTS) return false;
    this.#shown.set(client, shown);
    return true;
  }

  #of(owner: Owner): number[] {
    return [...this.#shown].flatMap(([client, shown]) => (shown.owner === owner ? [client] : []));
  }

  /** The connection has ended: the message that tells the others, or undefined. */
  leave(owner: Owner): Uint8Array | undefined {
    const clients = this.#of(owner);
    for (const client of clients) {
      const { clock } = this.#shown.get(client)!;
      this.#shown.set(client, { owner, clock: clock + 1, state: GONE });
    }
    const told = this.#tell(clients);
    for (const client of clients) this.#shown.delete(client);
    return told;
  }

  /** The message of all that is shown, or undefined. */
  all(): Uint8Array | undefined {
    return this.#tell([...this.#shown.keys()]);
  }

  #tell(clients: readonly number[]): Uint8Array | undefined {
    if (clients.length === 0) return undefined;
    const parts = clients.flatMap((client) => {
      const { clock, state } = this.#shown.get(client)!;
      return [client, clock, state];
    });
    return message(MESSAGE.awareness, message(clients.length, ...parts));
  }
}
