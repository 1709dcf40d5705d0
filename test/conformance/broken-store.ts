/** Store of a dialogue's server, with faults: a part that does not work, or writes that the operator holds up. */
import { type NodeLog, type Store, StoreError, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { altered } from '@weft/core/testing';

/** Part of a server's store that does not work; `authority`: its key is not the one that began the room. */
export type Broken = 'images.put' | 'images.get' | 'authority';

export async function storeWith(broken: Broken | undefined, room = 'room'): Promise<Store> {
  const store = memoryStore();
  if (broken === 'images.put') {
    const put = (): Promise<never> => Promise.reject(new StoreError('full', 'there is no room left in /somewhere'));
    return { ...store, images: altered(store.images, { put }) };
  }
  if (broken === 'images.get')
    return { ...store, images: altered(store.images, { get: () => Promise.resolve(undefined) }) };
  if (broken === 'authority') {
    await (await createHost({ store }).room(room)).set('begun', true);
    return { ...store, authoritySeed: () => Promise.resolve(new Uint8Array(32).fill(1)) };
  }
  return store;
}

/** Gate in front of a log: what is appended while it is held is not durable before it is let go. */
export class Held {
  readonly log: NodeLog;
  #until: Promise<void> = Promise.resolve();
  #letGo = (): void => undefined;

  constructor(log: NodeLog) {
    const append: NodeLog['append'] = async (...record) => {
      await this.#until;
      return log.append(...record);
    };
    this.log = altered(log, { append });
  }

  hold(): void {
    this.#until = new Promise((resolve) => (this.#letGo = resolve));
  }

  release(): void {
    this.#letGo();
  }
}
