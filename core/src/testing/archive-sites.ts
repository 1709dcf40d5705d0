/** Hosts with rooms to be archived, one store of archives between them, and people who write. */
import { createHash } from 'node:crypto';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { Replica } from '../client/replica/replica.js';
import { type BlobHash, parseBlobHash } from '../codec/bytes/blob-hash.js';
import { concatBytes } from '../codec/bytes/bytes.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import type { ArchiveStore } from '../ports/archive-store.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { Signer } from '../ports/crypto.js';
import type { Store } from '../ports/store.js';
import type { Room } from '../room/room.js';
import { policyFact } from '../room/state/facts.js';
import { same } from './batteries/battery.js';

export interface Site {
  readonly host: Host;
  readonly store: Store;
  readonly archives: ArchiveStore;
  /** Runs one command as the operator; answers the event's name and what it says. */
  ask(room: string, command: string, payload: object): Promise<[event: string, body: Record<string, unknown>]>;
  /** Runs a command that must succeed. */
  done(room: string, command: string, payload: object): Promise<Record<string, unknown>>;
  /** The class of a refusal. */
  refusal(room: string, command: string, payload: object): Promise<unknown>;
}

export function siteOf(archives = memoryArchives(), store = memoryStore(), trusted: readonly string[] = []): Site {
  const host = createHost({ store, archives: { stores: { file: archives }, trusted } });
  const ask: Site['ask'] = async (room, command, payload) => {
    const { events } = await host.submit({ room_id: room, command: { [command]: payload } });
    const [name, body] = Object.entries(events[0]!)[0]!;
    return [name, { ...body }];
  };
  return {
    host,
    store,
    archives,
    ask,
    async done(room, command, payload) {
      const [name, body] = await ask(room, command, payload);
      if (name.endsWith('Rejected'))
        throw new Error(`${String(body['reason_class'])}: ${String(body['reason_message'])}`);
      return body;
    },
    async refusal(room, command, payload) {
      try {
        const [name, body] = await ask(room, command, payload);
        return body['reason_class'] ?? name;
      } catch (error) {
        return (error as { reason?: unknown }).reason ?? error;
      }
    },
  };
}

export async function serverKeyOf({ host, store }: Site): Promise<string> {
  await host.ready();
  return defaultCrypto.signer(await store.authoritySeed()).publicKey;
}

export async function join(room: Room, keys = generateKeys()): Promise<Replica> {
  const replica = await createReplica({ genesis: room.genesis.pack, keys });
  await pull(replica, room);
  return replica;
}

/** All that the room has, as a peer is sent it; throws when the peer would not take it. */
export async function pull(replica: Replica, room: Room): Promise<void> {
  for (const pack of room.packs()) {
    const [first] = (await replica.receive(pack)).refused;
    if (first) throw new Error(`the replica refuses ${first.id}: ${first.reason}`);
  }
}

export async function push(replica: Replica, room: Room) {
  const { refused } = await room.admit((await replica.seal())!, { from: 'peer' });
  replica.confirm();
  return refused;
}

async function putBlob(blobs: BlobStore, room: Room, bytes: Uint8Array): Promise<BlobHash> {
  const hash = parseBlobHash(createHash('sha256').update(bytes).digest('hex'))!;
  await blobs.put(hash, once(bytes), bytes.length);
  await blobs.link(room.id, hash);
  return hash;
}

/** Everything but the system's own keys. */
export function valuesOf(room: Pick<Room, 'resolution'>): string[] {
  return [...room.resolution()].map(({ key, kind, bytes }) => `${kind} ${key} ${Buffer.from(bytes).toString('hex')}`);
}

/** A room with a bit of everything, by two people and the host. */
export async function writeRoom(
  { host, store }: Site,
  name: string,
): Promise<{ room: Room; ann: Replica; bob: Replica }> {
  const room = await host.room(name);
  const ann = await join(room);
  const bob = await join(room);
  ann.set('k', { a: [1, 2] });
  ann.text('t').insert(0, 'written by ann');
  ann.list('l').push('a', 'b', 'c');
  await push(ann, room);
  await pull(bob, room);
  bob.text('t').insert(0, 'and bob: ');
  bob.list('l').move(2, 0);
  await push(bob, room);
  await room.set('by/host', true);
  const hash = await putBlob(store.blobs, room, Buffer.from('the bytes of a blob'));
  await putBlob(store.blobs, room, new Uint8Array(300_000).fill(7));
  await putBlob(store.blobs, room, new Uint8Array(0));
  await pull(ann, room);
  ann.setBlob('logo', hash);
  ann.set('k', 2);
  await push(ann, room);
  return { room, ann, bob };
}

export async function bytesOf(archives: ArchiveStore, name: string): Promise<Uint8Array> {
  const file = (await archives.open(name))!;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read(0, file.size)) chunks.push(chunk.slice());
  await file.close();
  return concatBytes(chunks);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const SMALL = 'file://a.weft';

export interface SmallArchive {
  readonly site: Site;
  readonly bytes: Uint8Array;
  readonly signer: Signer;
}

/** A small room with nodes of several authors, a policy, blobs. */
export async function smallArchive(): Promise<SmallArchive> {
  const site = siteOf();
  const room = await site.host.room('plans');
  const ann = await join(room);
  ann.set('k', { a: [1, 2] });
  ann.text('t').insert(0, 'written by ann');
  await push(ann, room);
  await room.transact(() => ({ writes: [policyFact({ default: 'allow', rules: [] }, 'x')], result: undefined }));
  for (let byte = 0; byte < 3; byte++) await putBlob(site.store.blobs, room, new Uint8Array(500).fill(byte));
  await site.done('plans', 'ExportArchive', { archive_ref: SMALL });
  const signer = defaultCrypto.signer(await site.store.authoritySeed());
  return { site, bytes: await bytesOf(site.archives, 'a.weft'), signer };
}

/** What becomes of an archive of these bytes: the class of its refusal, both ways, or `accepted`. */
export async function fateOf({ site }: SmallArchive, bytes: Uint8Array): Promise<unknown> {
  await site.archives.put('altered.weft', once(bytes));
  const archive_ref = 'file://altered.weft';
  const validated = await site.refusal('target', 'ValidateArchive', { archive_ref, mode: 'full_integrity' });
  const imported = await site.refusal('target', 'ImportArchive', { archive_ref, import_mode: 'full_apply' });
  if (validated === 'ArchiveValidated' && imported === 'ArchiveImported') return 'accepted';
  same(imported, validated);
  const { seq, id } = await site.host.room('target');
  same(seq, 0);
  for await (const hash of site.store.blobs.linked(id)) throw new Error(`the room has blob ${hash}`);
  return String(imported).replace('reject.archive_', '');
}
