/** Rights of a peer: what it may do, and where it may read and write. [CA1] */
import { Globs } from './glob.js';

export const CAPABILITIES = [
  'room.admin',
  'room.create',
  'room.delete',
  'policy.admin',
  'tick.admin',
  'archive.read',
  'archive.admin',
  'bearer',
  'query.admin',
  'query.read',
  'topology.admin',
] as const;

/** Capability of a token that needs no key: whoever shows it to a gateway is taken for its peer. */
export const BEARER = 'bearer';

export type Capability = (typeof CAPABILITIES)[number];

export interface Rights {
  /** Whether the peer has proved that it holds the key that it names. */
  readonly proven: boolean;
  readonly capabilities: ReadonlySet<string>;
  /** Keys that it may read, if not all. */
  readonly read?: Globs;
  /** Keys that it may write to, if not all. */
  readonly write?: Globs;
  /** Unix seconds: from then on it may do nothing. */
  readonly expiry?: number;
  /** Whose token it came with: the public key of a room, the server, or the hook. */
  readonly issuer?: string;
  /** Whom its token names, where that is the subject whose key the peer has. [SU3] */
  readonly holder?: string;
  /** Who it is, by the word of the hook. */
  readonly subject?: string;
  /** Unix seconds at which its credential was made. */
  readonly issuedAt?: number;
  /** Seconds after which the hook is asked again. */
  readonly recheckAfter?: number;
}

export const NO_RIGHTS: Rights = { proven: false, capabilities: new Set() };

/** Issuer in place of a public key: the server's admin key. */
export const SERVER = 'server';

/** Issuer of rights that the authentication hook has granted: they hold in the one room. [AU10] */
export const HOOK = 'hook';

/** Whether a peer may be in a room that is locked with a key. [AU1] */
export function mayEnter({ proven, issuer }: Rights, lock: string): boolean {
  return proven && (issuer === SERVER || issuer === HOOK || issuer === lock);
}

const READ = 'read:';
const WRITE = 'write:';
/** Path right that reads as `read:**` and takes every `write:` away. */
export const READ_ONLY = 'read-only';

/**
 * The rights that a token's capabilities give. A token that names a path right grants just those that it names, proven or
 * not; capabilities need the proof. [CA2]
 */
export function rightsOf(
  { caps, expiry, issuer }: { readonly caps: readonly string[]; readonly expiry: number; readonly issuer: string },
  proven: boolean,
): Rights {
  const paths = (prefix: string): string[] =>
    caps.filter((cap) => cap.startsWith(prefix) && cap !== prefix).map((cap) => cap.slice(prefix.length));
  const isReadOnly = caps.includes(READ_ONLY);
  const namesPaths = isReadOnly || caps.some((cap) => cap.startsWith(READ) || cap.startsWith(WRITE));
  const named = paths(READ);
  const read = isReadOnly && named.length === 0 ? [EVERYWHERE] : named;
  const write = isReadOnly ? [] : paths(WRITE);
  return {
    proven,
    capabilities: new Set(proven ? caps : []),
    expiry,
    issuer,
    ...(namesPaths && !read.includes(EVERYWHERE) ? { read: new Globs(read) } : {}),
    ...(namesPaths && !write.includes(EVERYWHERE) ? { write: new Globs(write) } : {}),
  };
}

const EVERYWHERE = '**';
