/** Rooms over a store, and what is done to them. */
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { richText } from '../client/marks/rich-text.js';
import type { Replica } from '../client/replica/replica.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../peer.js';
import { type Clock, systemClock } from '../ports/clock.js';
import type { LogRecord, Store } from '../ports/store.js';
import { silent } from '../ports/telemetry.js';
import type { RefusedNode } from '../room/admission/judgement.js';
import { Room, type RoomParts } from '../room/room.js';

export const id = 'room' as RoomId;
/** Fewer are not worth an image. */
export const NODES = 600;

export async function open(store: Store, others: Partial<RoomParts> = {}): Promise<Room> {
  const { log, images } = store;
  const signer = defaultCrypto.signer(await store.authoritySeed());
  const onFault = (error: unknown): never => {
    throw error;
  };
  const clock: Clock = systemClock;
  return Room.open({ id, log, images, crypto: defaultCrypto, signer, telemetry: silent, clock, onFault, ...others });
}

export const join = (room: Room, keys = generateKeys()): Promise<Replica> =>
  createReplica({ genesis: room.genesis.pack, keys });

function expectNone(refused: readonly RefusedNode[]): void {
  if (refused[0]) throw new Error(`a node was refused: ${refused[0].reason}`);
}

export async function push(replica: Replica, room: Room): Promise<void> {
  const pack = await replica.seal();
  if (pack) expectNone((await room.admit(pack, { from: 'peer' })).refused);
  replica.confirm();
}

export async function pull(replica: Replica, room: Room): Promise<void> {
  for await (const pack of room.attestedPacks()) expectNone((await replica.receive(pack)).refused);
}

export async function fill(room: Room, nodes = NODES, value: unknown = 'v'): Promise<void> {
  const replica = await join(room);
  for (let i = 0; i < nodes; i++) replica.set(`k${i % 50}`, value);
  await push(replica, room);
}

export async function recordsOf(store: Store): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of store.log.read(id, 0)) records.push(record);
  return records;
}

/** Everything that a room tells of itself. */
export async function answersOf(room: Room): Promise<unknown> {
  const reader = await join(room);
  await pull(reader, room);
  if (reader.frontier.join() !== room.heads.frontier.join()) throw new Error('a reader has other heads');
  const { seq, heads, stateHash, forks } = room;
  const proofs = await Promise.all(forks.map(async (fork) => (await room.forkProof(fork)) !== undefined));
  const values = { entries: [...room.entries()], text: room.text('t'), spans: room.spans('t'), list: room.list('l') };
  const spans = richText(reader, 't').spans();
  const read = { stateHash: reader.stateHash, conflicts: reader.conflicts, spans };
  return {
    seq,
    heads,
    stateHash,
    forks,
    proofs,
    values,
    read,
    lock: room.facts.lock,
    policy: room.facts.policy,
  };
}

/** The store with logs alone. */
export const withoutImages = (store: Store): Store => ({ ...store, images: memoryStore().images });

export const EDITS = ['set', 'drop', 'type', 'erase', 'mark', 'item', 'move', 'pull', 'push', 'host'] as const;

interface Edit {
  readonly kind: (typeof EDITS)[number];
  readonly at: number;
}

export async function edit(replica: Replica, room: Room, { kind, at }: Edit): Promise<void> {
  const [text, list] = [replica.text('t'), replica.list('l')];
  if (kind === 'set') replica.set(`r${at % 3}`, at);
  if (kind === 'drop') replica.delete(`r${at % 3}`);
  if (kind === 'type') text.insert(at % (text.length + 1), `<${at}>`);
  if (kind === 'erase' && text.length > 0) text.delete(at % text.length, 1);
  if (kind === 'mark' && text.length > 0) {
    const from = at % text.length;
    const count = Math.min(1 + (at % 7), text.length - from);
    richText(replica, 't').mark(from, count, 'bold', at % 3 === 0 ? null : at % 3, {
      expand: at % 2 ? 'after' : 'none',
    });
  }
  if (kind === 'item') list.insert(at % (list.length + 1), at);
  if (kind === 'move' && list.length > 0) list.move(at % list.length, 0);
  if (kind === 'pull') await pull(replica, room);
  if (kind === 'push') await push(replica, room);
  if (kind === 'host') await room.set(`h${at % 3}`, at);
}
