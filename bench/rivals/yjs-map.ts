import type { MapEngine, MapReplica, MapSet } from '../rooms/map-engine.js';
import { importRival, rivalVersion } from './package-loader.js';

interface YMap {
  set(key: string, value: number): void;
  entries(): IterableIterator<[string, unknown]>;
}

interface YDoc {
  clientID: number;
  getMap(name: string): YMap;
}

interface Yjs {
  readonly Doc: new () => YDoc;
  applyUpdateV2(doc: YDoc, update: Uint8Array): void;
  encodeStateAsUpdateV2(doc: YDoc): Uint8Array;
}

class YjsMap implements MapReplica {
  readonly #yjs: Yjs;
  readonly #doc: YDoc;
  readonly #map: YMap;

  constructor(yjs: Yjs, clientID: number) {
    this.#yjs = yjs;
    this.#doc = new yjs.Doc();
    this.#doc.clientID = clientID;
    this.#map = this.#doc.getMap('map');
  }

  setEach(sets: readonly MapSet[]): void {
    for (const { key, value } of sets) this.#map.set(key, value);
  }

  pack(): Uint8Array {
    return this.#yjs.encodeStateAsUpdateV2(this.#doc);
  }

  receiveEach(packs: readonly Uint8Array[]): void {
    for (const pack of packs) this.#yjs.applyUpdateV2(this.#doc, pack);
  }

  entries(): ReadonlyMap<string, unknown> {
    return new Map(this.#map.entries());
  }
}

export async function loadYjsMap(): Promise<MapEngine> {
  const yjs = (await importRival('yjs')) as Yjs;
  return {
    name: 'yjs',
    version: rivalVersion('yjs'),
    doesNot: ['no hash', 'no signature', 'drops overwritten values'],
    create: (agent) => new YjsMap(yjs, 3_141_592_653 + agent),
  };
}
