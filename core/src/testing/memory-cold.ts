/** Cold store in memory, whose objects a test may lose or alter. */
import type { ColdStore } from '../ports/cold-store.js';

export class MemoryCold implements ColdStore {
  readonly place = 'memory';
  readonly objects = new Map<string, Uint8Array>();

  put(name: string, bytes: Uint8Array): Promise<void> {
    this.objects.set(name, bytes.slice());
    return Promise.resolve();
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.objects.get(name)?.slice());
  }

  remove(name: string): Promise<void> {
    this.objects.delete(name);
    return Promise.resolve();
  }
}
