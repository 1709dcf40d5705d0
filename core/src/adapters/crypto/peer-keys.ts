/** Crypto of a peer by what the platform has; what is portable is loaded where nothing else is there. */
import { type PeerKeys, webCrypto } from './web.js';

/** Keys and signatures, by the fastest that is here. */
export async function peerKeys(): Promise<PeerKeys> {
  // Node's own is synchronous, and has no warning on old versions.
  const isNode = (globalThis as { process?: { getBuiltinModule?: unknown } }).process?.getBuiltinModule !== undefined;
  const platform = isNode ? undefined : await webCrypto();
  return platform ?? (await import('./default-keys.js')).defaultKeys;
}
