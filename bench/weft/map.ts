import type { Replica } from '@weft/core';
import type { MapEngine, MapEngineEntry, MapReplica, MapSet } from '../rooms/map-engine.js';
import { WEFT_VERSION, newGenesis, newReplica, packOf, receiveWhole } from './engine.js';

class WeftMap implements MapReplica {
  readonly #replica: Replica;
  readonly #setsPerNode: number;

  constructor(replica: Replica, setsPerNode: number) {
    this.#replica = replica;
    this.#setsPerNode = setsPerNode;
  }

  setEach(sets: readonly MapSet[]): void {
    const each = this.#setsPerNode;
    if (each === 1) for (const { key, value } of sets) this.#replica.set(key, value);
    else for (let from = 0; from < sets.length; from += each) this.#setNode(sets.slice(from, from + each));
  }

  pack(): Promise<Uint8Array> {
    return packOf(this.#replica);
  }

  async receiveEach(packs: readonly Uint8Array[]): Promise<void> {
    for (const pack of packs) await receiveWhole(this.#replica, pack);
  }

  entries(): ReadonlyMap<string, unknown> {
    // The room's own keys begin with a zero character.
    return new Map([...this.#replica.entries()]);
  }

  #setNode(sets: readonly MapSet[]): void {
    this.#replica.batch(() => {
      for (const { key, value } of sets) this.#replica.set(key, value);
    });
  }
}

async function weftMap(name: string, setsPerNode: number, doesNot: readonly string[]): Promise<MapEngine> {
  const genesis = await newGenesis();
  const create = async (): Promise<MapReplica> => new WeftMap(await newReplica(genesis), setsPerNode);
  return { name, version: WEFT_VERSION, doesNot, create };
}

export const weftMaps: readonly MapEngineEntry[] = [
  { name: 'weft', installed: false, load: () => weftMap('weft', 1, ['a node per set']) },
  { name: 'weft batched', installed: false, load: () => weftMap('weft batched', 64, ['nodes of 64 sets']) },
];
