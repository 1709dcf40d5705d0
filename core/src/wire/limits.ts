/** Budgets, of one connection where nothing else is said. What a client must know of them is in `welcome.limits`. [LM1] */
export interface Limits {
  /** Longest frame. */
  readonly frameBytes: number;
  /** Received and not yet processed. */
  readonly inboxBytes: number;
  /** Bytes that have come and are not processed, of all connections of the host together. */
  readonly hostInboxBytes: number;
  /** What came too early and waits, of all connections of a room together. */
  readonly roomParkedBytes: number;
  /** Rooms in memory, about; beyond, those are put to sleep that can be, and nobody enters another one. */
  readonly hostRoomsBytes: number;
  /** Connections of the host, of one address, and of one key that was proved. */
  readonly hostConnections: number;
  readonly addressConnections: number;
  readonly keyConnections: number;
  /** Hellos that are worked on at once, and that wait for it. */
  readonly joins: number;
  readonly joinsWaiting: number;
  /** Rooms that an address, and a person or key that was proved, is in at a time, and may begin within an hour. */
  readonly addressRooms: number;
  readonly keyRooms: number;
  readonly addressRoomsBegun: number;
  readonly keyRoomsBegun: number;
  /** Bytes of blobs of one room, of all that one person or key has brought, and of the whole store. */
  readonly roomBlobBytes: number;
  readonly keyBlobBytes: number;
  readonly hostBlobBytes: number;
  /** Bytes that must be free on the disk; below, the host is read-only. */
  readonly diskFreeBytes: number;
  /** What came too early and waits, in all rooms of the host. */
  readonly hostParkedBytes: number;
  /** Values of one room, with what was overwritten lately. */
  readonly roomBytes: number;
  /** Size of a room's values at which the host gives up what was overwritten; 0: never. */
  readonly historyBytes: number;
  /** How long what was overwritten is kept, at least; 0: for good. */
  readonly historyMs: number;
  /** Waiting to be sent, nodes not counted: these are sent from the log. */
  readonly outboxBytes: number;
  /** What a peer may push, and how much of it at once. */
  readonly nodesPerSecond: number;
  readonly nodesBurst: number;
  readonly bytesPerSecond: number;
  readonly bytesBurst: number;
  /** Frames other than packs. */
  readonly framesPerSecond: number;
  /** Values of presence in one room. */
  readonly presenceBytes: number;
  /** Milliseconds from connecting to a valid hello. */
  readonly helloMs: number;
  /** Since the socket last took something while more waits. */
  readonly stalledMs: number;
  /** How long a peer may lag behind the log. */
  readonly behindMs: number;
  /** How long a room stays in memory in which nothing happens. */
  readonly idleMs: number;
  /** How long nobody may begin a room under the name of one that was deleted; 0: never again. */
  readonly tombstoneMs: number;
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

export const LIMITS: Limits = {
  frameBytes: 16 * MIB,
  inboxBytes: 64 * MIB,
  hostInboxBytes: 512 * MIB,
  roomParkedBytes: 64 * MIB,
  hostParkedBytes: 256 * MIB,
  hostRoomsBytes: 4096 * MIB,
  hostConnections: 100_000,
  addressConnections: 10_000,
  keyConnections: 1000,
  addressRooms: 10_000,
  keyRooms: 1000,
  addressRoomsBegun: 100_000,
  keyRoomsBegun: 10_000,
  roomBlobBytes: 64 * GIB,
  keyBlobBytes: 64 * GIB,
  hostBlobBytes: 1024 * GIB,
  joins: 64,
  joinsWaiting: 20_000,
  diskFreeBytes: 256 * MIB,
  roomBytes: 2000 * MIB,
  historyBytes: 0,
  historyMs: 0,
  outboxBytes: 4 * MIB,
  nodesPerSecond: 5000,
  nodesBurst: 200_000,
  bytesPerSecond: 16 * MIB,
  bytesBurst: 64 * MIB,
  framesPerSecond: 500,
  presenceBytes: 4 * MIB,
  helloMs: 15_000,
  stalledMs: 15_000,
  behindMs: 60_000,
  idleMs: 5 * 60_000,
  tombstoneMs: 30 * 24 * 60 * 60_000,
};
