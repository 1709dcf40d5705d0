/** Parts of a session. */
import type { EntryRequest } from '../access/entry-hook.js';
import type { CommandTable } from '../contract/command-table.js';
import type { PublicKey } from '../graph/node.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Rooms } from '../host/rooms.js';
import type { PeerSocket } from './outbox.js';

export interface SessionParts {
  readonly rooms: Rooms;
  readonly table: CommandTable;
  readonly roomId: RoomId;
  readonly socket: PeerSocket;
  readonly sessionId: string;
  /** Names under which this server is dialled, `host:port` in lower case. */
  readonly audiences: readonly string[];
  /** Request by which the peer came, where the transport knows it; kept for the hook alone. */
  readonly request?: Omit<EntryRequest, 'room'> | undefined;
  /** Address of the other end, by which connections are counted. */
  readonly address?: string | undefined;
  /** A public key that needs no proof here. */
  readonly vouched?: PublicKey;
}
