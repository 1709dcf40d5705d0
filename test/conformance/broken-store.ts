import { type Store, StoreError } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { altered } from '@weft/core/testing';

/** What of a server's store does not work. */
export type Broken = 'images.put' | 'images.get';

export function storeWith(broken: Broken | undefined): Store {
  const store = memoryStore();
  if (broken === 'images.put') {
    const put = (): Promise<never> => Promise.reject(new StoreError('full', 'there is no room left in /somewhere'));
    return { ...store, images: altered(store.images, { put }) };
  }
  if (broken === 'images.get')
    return { ...store, images: altered(store.images, { get: () => Promise.resolve(undefined) }) };
  return store;
}
