/** Peers with credentials, in a host of this process. */
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, type HostOptions, createHost } from '../engine.js';
import { generateKeys, signProof, signToken } from '../peer.js';
import { ManualClock } from './manual-clock.js';
import { type TestPeer, testPeer } from './test-peer.js';

const AUDIENCE = 'here:1';
const admin = generateKeys();

export interface Guests {
  readonly host: Host;
  readonly clock: ManualClock;
  /** A hello with a proof; with capabilities, with a token of the server's as well. */
  hello(keys: ReturnType<typeof generateKeys>, caps?: readonly string[], more?: object): Promise<object>;
  /** Connected, silent. */
  connect(): TestPeer;
  /** Joined, its history received. */
  enter(hello?: object): Promise<TestPeer>;
}

export function guests(options: Partial<HostOptions> = {}): Guests {
  const clock = new ManualClock();
  const host = createHost({ store: memoryStore(), clock, adminKey: admin.publicKey, ...options });
  const connect = (): TestPeer => testPeer(host, 'room', [AUDIENCE]);
  return {
    host,
    clock,
    connect,
    async hello(keys, caps, more = {}) {
      const now = clock.now();
      const claims = { room: 'room', peer: keys.publicKey, expiry: now / 1000 + 3600, caps: caps ?? [] };
      return {
        type: 'hello',
        pubkey: keys.publicKey,
        proof: await signProof({ room: 'room', aud: AUDIENCE, ts: now }, keys),
        ...(caps ? { token: await signToken(claims, admin.seed) } : {}),
        ...more,
      };
    },
    async enter(hello = { type: 'hello' }) {
      const peer = connect();
      peer.send(hello);
      while ((await peer.nextOf('pack'))['final'] !== true);
      return peer;
    },
  };
}

/** Resolves when whatever is under way in memory is done. */
export async function quiet(ms = 5): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** How a peer's connection ended; undefined while it is open. */
export function ending(peer: TestPeer): () => { readonly code: number; readonly reason: string } | undefined {
  let end: { readonly code: number; readonly reason: string } | undefined;
  void peer.closed.then((closing) => (end = closing));
  return () => end;
}
