import type { PeerIdentity } from '../host/peer.js';
import type { Tenancy } from '../host/tenancy.js';
import type { Limits } from '../wire/limits.js';

/** What a handler may know of the connection that it answers. */
export interface CommandContext {
  readonly tenancy: Tenancy;
  /** Before hello: anonymous. */
  readonly identity: PeerIdentity;
  readonly serverKey: string;
  readonly limits: Limits;
}
