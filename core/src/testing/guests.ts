/** Peers with credentials, in a host of this process. */
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromHex } from '../codec/bytes/bytes.js';
import { type Host, type HostOptions, createHost } from '../engine.js';
import { generateKeys, signProof, signToken } from '../peer.js';
import { ManualClock } from './manual-clock.js';
import { type TestPeer, testPeer } from './test-peer.js';

const AUDIENCE = 'here:1';
const admin = generateKeys();
const signer = defaultCrypto.signer(fromHex(admin.seed));
const THREADS = [1, 2, 3, 4];

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

/**
 * Resolves when whatever is under way in memory is done. Not by time, which a busy machine has less of: by rounds of what
 * others wait for, a break and signatures behind theirs on every thread.
 */
export async function quiet(rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    await Promise.all(THREADS.map((thread) => signer.sign(Uint8Array.of(thread))));
  }
}

/** How a peer's connection ended; undefined while it is open. */
export function ending(peer: TestPeer): () => { readonly code: number; readonly reason: string } | undefined {
  let end: { readonly code: number; readonly reason: string } | undefined;
  void peer.closed.then((closing) => (end = closing));
  return () => end;
}
