/** State hash that is loaded when somebody asks for it: most pages never do. */
import type { Graph } from '../graph/graph.js';
import type { HashMaker, HashedState, StateHash, ValuesHash } from './state-hash.js';

type Load = () => Promise<{ readonly StateHash: new (graph: Graph, state: HashedState) => StateHash }>;

/** Makes hashes of which nothing is loaded before `ready`. */
export function lateHash(load: Load): HashMaker {
  return class extends LateHash {
    constructor(graph: Graph, state: HashedState) {
      super(graph, state, load);
    }
  };
}

class LateHash implements ValuesHash {
  readonly #graph: Graph;
  readonly #state: HashedState;
  #hash: StateHash | undefined;

  readonly #load: Load;

  constructor(graph: Graph, state: HashedState, load: Load) {
    this.#load = load;
    this.#graph = graph;
    this.#state = state;
  }

  async ready(): Promise<void> {
    const { StateHash: Hash } = await this.#load();
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
