// A sync server of Jazz as its own command runs one: a node without values of its own, and a peer for each socket.
import { importRival } from './package-loader.js';
import { openPort } from './web-socket-port.js';

export interface JazzContent {
  readonly id: string;
}

interface Known {
  readonly sessions: Readonly<Record<string, number>>;
}

interface Core {
  newContentSince(known: Known | undefined): readonly JazzContent[] | undefined;
  knownState(): Known;
  getCurrentContent(): { toJSON(): unknown };
}

export interface JazzNode {
  readonly syncManager: { addPeer(peer: unknown): void; handleNewContent(content: JazzContent, from: 'import'): void };
  createGroup(): { readonly core: Core; readonly id: string; createList(): JazzList };
  getCoValue(id: string): Core;
}

export interface JazzList {
  readonly core: Core;
  readonly id: string;
  append(item: string, after: number | undefined, privacy: 'trusting'): void;
}

interface Crypto {
  newRandomAgentSecret(): string;
  getAgentID(secret: string): string;
  newRandomSessionID(agent: string): string;
}

interface Cojson {
  readonly LocalNode: new (secret: string, session: string, crypto: Crypto) => JazzNode;
}

interface Transport {
  createWebSocketPeer(options: object): unknown;
}

export async function jazzNodes(): Promise<() => JazzNode> {
  const { LocalNode } = (await importRival('cojson')) as Cojson;
  const { NapiCrypto } = (await importRival('cojson/crypto/NapiCrypto')) as {
    NapiCrypto: { create(): Promise<Crypto> };
  };
  const crypto = await NapiCrypto.create();
  return () => {
    const secret = crypto.newRandomAgentSecret();
    return new LocalNode(secret, crypto.newRandomSessionID(crypto.getAgentID(secret)), crypto);
  };
}

/** In memory: its command keeps values in SQLite where a file is named. */
export async function startJazz(): Promise<string> {
  const { createWebSocketPeer } = (await importRival('cojson-transport-ws')) as Transport;
  const { syncManager } = (await jazzNodes())();
  let peers = 0;
  return openPort((websocket) => {
    const id = `client-${peers++}`;
    const options = { role: 'client', expectPings: false, batchingByDefault: false, deletePeerStateOnClose: true };
    syncManager.addPeer(createWebSocketPeer({ id, websocket, ...options }));
  });
}
