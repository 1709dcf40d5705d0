/** Load on a room: clients that write for as long as a test wants it, and what each was told is durable. */
import type { RoomClient } from '@weft/core/client';
import { expect } from 'vitest';

/** Clients that write one key after another, and what each was told is durable. */
export class Load {
  readonly durable: readonly Set<string>[];
  readonly #clients: readonly RoomClient[];
  readonly #writing: Promise<unknown>;
  #isOver = false;

  constructor(clients: readonly RoomClient[]) {
    this.#clients = clients;
    this.durable = clients.map(() => new Set<string>());
    // A test that has failed closes its clients: whoever writes on without one would never let go of the process.
    for (const { closed } of clients) void closed.then(() => (this.#isOver = true));
    this.#writing = Promise.all(clients.map((client, who) => this.#write(client, who)));
  }

  async #write(client: RoomClient, who: number): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      client.replica.set(`${who}/${round}`, round);
      // A push that a failure has refused is sent again with the next one.
      const isKept = await client.push().then(
        () => true,
        () => false,
      );
      if (isKept) this.durable[who]!.add(`${who}/${round}`);
    }
  }

  get acked(): number {
    return this.durable.reduce((sum, { size }) => sum + size, 0);
  }

  async goesOn(): Promise<void> {
    const before = this.durable.map(({ size }) => size);
    for (const [who, kept] of this.durable.entries())
      await expect.poll(() => kept.size, { timeout: 60_000 }).toBeGreaterThan(before[who]! + 2);
  }

  /** Ends it for one who is to have everything, where another one has nobody to reach any more. */
  async endFor(client: RoomClient): Promise<void> {
    this.#isOver = true;
    const own = this.durable[this.#clients.indexOf(client)]!;
    const before = own.size;
    client.replica.set('afterwards', true);
    await expect
      .poll(
        () =>
          client.push().then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true);
    for (const other of this.#clients) if (other !== client) other.close();
    await this.#writing;
    expect(own.size).toBeGreaterThanOrEqual(before);
    const keys = this.durable.flatMap((kept) => [...kept]);
    await expect.poll(() => keys.filter((key) => client.replica.get(key) === undefined)).toEqual([]);
  }

  /** Ends it; all replicas are the same then, and hold everything that was acknowledged. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
    const keys = this.durable.flatMap((kept) => [...kept]);
    for (const client of this.#clients)
      await expect
        .poll(() => keys.filter((key) => client.replica.get(key) === undefined), { timeout: 60_000 })
        .toEqual([]);
    const hashes = (): number => new Set(this.#clients.map(({ replica }) => replica.stateHash)).size;
    await expect.poll(hashes, { timeout: 60_000 }).toBe(1);
  }
}
