/** What a peer may do beyond reading, writing and relaying in an open room. [CA1] */
import { Globs } from './glob.js';

export const CAPABILITIES = [
  'room.admin',
  'policy.admin',
  'tick.admin',
  'archive.read',
  'archive.admin',
  'query.admin',
  'query.read',
  'topology.admin',
] as const;

export type Capability = (typeof CAPABILITIES)[number];

export interface Rights {
  /** Whether the peer has proved that it holds the key that it names. */
  readonly proven: boolean;
  readonly capabilities: ReadonlySet<string>;
  /** Where it may read or write, if not everywhere. */
  readonly read?: Globs;
  readonly write?: Globs;
  /** Unix seconds: from then on it may do nothing. */
  readonly expiry?: number;
  /** Whose token it came with: the public key of a room, or the server. */
  readonly issuer?: string;
}

export const NO_RIGHTS: Rights = { proven: false, capabilities: new Set() };

/** Issuer in place of a public key: the server's admin key. */
export const SERVER = 'server';

/** Whether a peer may be in a room that is locked with a key. [AU1] */
export function mayEnter({ proven, issuer }: Rights, lock: string): boolean {
  return proven && (issuer === SERVER || issuer === lock);
}

const READ = 'read:';
const WRITE = 'write:';

/** The rights that a token's capabilities give. Path rights narrow, proven or not; the others need the proof. [CA2] */
export function rightsOf(
  { caps, expiry, issuer }: { readonly caps: readonly string[]; readonly expiry: number; readonly issuer: string },
  proven: boolean,
): Rights {
  const paths = (prefix: string): string[] =>
    caps.filter((cap) => cap.startsWith(prefix)).map((cap) => cap.slice(prefix.length));
  const [read, write] = [paths(READ), paths(WRITE)];
  return {
    proven,
    capabilities: new Set(proven ? caps : []),
    expiry,
    issuer,
    ...(read.length > 0 ? { read: new Globs(read) } : {}),
    ...(write.length > 0 ? { write: new Globs(write) } : {}),
  };
}
