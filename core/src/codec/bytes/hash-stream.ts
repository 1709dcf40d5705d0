/** SHA-256 of what comes in pieces, by the runtime's own or a portable one. Apart from `hash.ts`: a page seldom needs it. */
import { Sha256Stream } from '../sha256/stream.js';

export interface HashStream {
  update(bytes: Uint8Array): unknown;
  /** Ends it. */
  digest(): Uint8Array;
}

interface BuiltinModules {
  process?: { getBuiltinModule?(name: 'node:crypto'): { createHash?(algorithm: 'sha256'): HashStream } | undefined };
}

export function portableSha256Stream(): HashStream {
  return new Sha256Stream();
}

export function sha256Stream(): HashStream {
  const native = (globalThis as BuiltinModules).process?.getBuiltinModule?.('node:crypto');
  return native?.createHash?.('sha256') ?? portableSha256Stream();
}
