/** State hash that is loaded when somebody asks for it: most pages never do. */
import type { Graph } from '../graph/graph.js';
import type { HashedState, StateHash, ValuesHash } from './state-hash.js';

export class LateHash implements ValuesHash {
  readonly #graph: Graph;
  readonly #state: HashedState;
  #hash: StateHash | undefined;

  constructor(graph: Graph, state: HashedState) {
    this.#graph = graph;
    this.#state = state;
  }

  async ready(): Promise<void> {
    const { StateHash: Hash } = await import('./state-hash.js');
    if (this.#hash) return;
    this.#hash = new Hash(this.#graph, this.#state);
    this.#hash.loaded();
  }

  get #loaded(): StateHash {
    if (this.#hash) return this.#hash;
    throw new Error('the state hash is not loaded: await hashed() first');
  }

  clear(): void {
    this.#hash?.clear();
  }

  loaded(): void {
    this.#hash?.loaded();
  }

  registerChanged(...changed: Parameters<ValuesHash['registerChanged']>): void {
    this.#hash?.registerChanged(...changed);
  }

  elementsChanged(...changed: Parameters<ValuesHash['elementsChanged']>): void {
    this.#hash?.elementsChanged(...changed);
  }

  marked(...marked: Parameters<ValuesHash['marked']>): void {
    this.#hash?.marked(...marked);
  }

  branched(...branch: Parameters<ValuesHash['branched']>): void {
    this.#hash?.branched(...branch);
  }

  root(): string {
    return this.#loaded.root();
  }

  advance(most: number): boolean {
    return this.#loaded.advance(most);
  }

  prove(...leaf: Parameters<ValuesHash['prove']>): Uint8Array {
    return this.#loaded.prove(...leaf);
  }
}
