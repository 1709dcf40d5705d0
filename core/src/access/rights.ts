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
  /** Whether its token lets it into a locked room. */
  readonly admitted: boolean;
}

export const NO_RIGHTS: Rights = { proven: false, capabilities: new Set(), admitted: false };

const READ = 'read:';
const WRITE = 'write:';

/** The rights that a token's capabilities give. Path rights narrow, proven or not; the others need the proof. [CA2] */
export function rightsOf(caps: readonly string[], expiry: number, proven: boolean): Rights {
  const paths = (prefix: string): string[] =>
    caps.filter((cap) => cap.startsWith(prefix)).map((cap) => cap.slice(prefix.length));
  const [read, write] = [paths(READ), paths(WRITE)];
  return {
    proven,
    capabilities: new Set(proven ? caps : []),
    expiry,
    admitted: true,
    ...(read.length > 0 ? { read: new Globs(read) } : {}),
    ...(write.length > 0 ? { write: new Globs(write) } : {}),
  };
}
