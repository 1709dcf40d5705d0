/** A shopping list that several people share: one register per item. */
import type { RoomClient } from '@weft/core';

export class ShoppingList {
  readonly #client: RoomClient;

  constructor(client: RoomClient) {
    this.#client = client;
  }

  /** Resolves when the item cannot be lost any more. */
  async add(item: string, count = 1): Promise<void> {
    this.#client.replica.set(`list/${item}`, { count });
    await this.#client.push();
  }

  async remove(item: string): Promise<void> {
    this.#client.replica.delete(`list/${item}`);
    await this.#client.push();
  }

  get items(): string[] {
    return [...this.#client.replica.entries('list/')].map(([key]) => key.slice('list/'.length));
  }
}
