/** A key that is revoked founds no room and signs nothing, however this host has heard of it; what is refused changes nothing. [MA3] */
import { describe, expect, it, onTestFinished } from 'vitest';
import { certifiedAuthority } from '../access/authority.js';
import { Globs } from '../access/glob.js';
import { makeMandate } from '../access/mandate.js';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Notice } from '../ports/telemetry.js';
import { join, push } from '../testing/archive-sites.js';
import { keyOf, mandate, signerOf } from '../testing/story.js';
import { testPeer } from '../testing/test-peer.js';

const SILENCE = 'the key of this server is revoked; make another';

interface Place {
  readonly host: Host;
  readonly faults: unknown[];
  readonly archived: () => Promise<string[]>;
  run(command: string, payload: object): Promise<unknown>;
}

/** Process whose key is revoked, in a room with values that were overwritten; `isHeard` says how it comes to know. */
async function processOf(how: 'a file' | 'the room' | 'its roots'): Promise<Place> {
  const [store, archives, faults] = [memoryStore(), memoryArchives(), [] as unknown[]];
  let isRevoked = false;
  const revocation = await mandate('signer-revoked', 'root', 'stolen');
  const certificate = await mandate('signer', 'root', 'stolen');
  const host = createHost({
    store,
    archives: { stores: { file: archives } },
    authority: async (founder) =>
      certifiedAuthority({
        roots: [keyOf('root')],
        founder,
        founding: await makeMandate('founder', { key: founder.publicKey }, signerOf('root')),
        signer: signerOf('stolen'),
        certificates: isRevoked && how === 'a file' ? [] : [certificate],
        silence: isRevoked && how === 'a file' ? SILENCE : undefined,
        revocations: isRevoked && how === 'its roots' ? [revocation] : [],
      }),
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => host.close());
  const room = await host.room('held');
  await host.withRoom('room', async (opened) => {
    for (let i = 0; i < 3; i++) await opened.set('k', i);
    const ann = await join(opened);
    ann.set('hidden', 1);
    await push(ann, opened);
  });
  await room.set('a', 1);
  isRevoked = true;
  if (how === 'the room') {
    const other = createHost({
      store,
      authority: async (founder) =>
        certifiedAuthority({
          roots: [keyOf('root')],
          founder,
          founding: await makeMandate('founder', { key: founder.publicKey }, signerOf('root')),
          signer: signerOf('another'),
          certificates: [await mandate('signer', 'root', 'another')],
          revocations: [revocation],
        }),
    });
    for (const id of ['room', 'held']) await other.withRoom(id, () => Promise.resolve());
    for (const id of ['room', 'held']) await host.withRoom(id, (opened) => opened.look());
  } else await host.renewAuthority();
  return {
    host,
    faults,
    archived: async () => ((await archives.open('a.weft')) ? ['a.weft'] : []),
    async run(command, payload) {
      const { events } = await host.submit({ room_id: 'room', command: { [command]: payload } });
      const body: Record<string, unknown> = { ...Object.values(events[0]!)[0] };
      const { reason_class: reason, reason_message: message } = body;
      if (reason !== undefined) throw Object.assign(new Error(String(message)), { reason });
      return body;
    },
  };
}

const DOORS: readonly (readonly [string, (place: Place) => Promise<unknown>])[] = [
  [
    'founds a child',
    ({ host, run }) =>
      host.withRoom('room', ({ stateHash, heads }) =>
        run('CreateTopologyChild', {
          child_room_id: 'child',
          child_purpose: 'a test',
          promotion_policy_id: 'promotion-based',
          parent_checkpoint: { canonical_hash: stateHash, frontier: heads.frontier },
        }),
      ),
  ],
  ['signs an archive', ({ run }) => run('ExportArchive', { archive_ref: 'file://a.weft' })],
  ['signs a tombstone', ({ run }) => run('DeleteRoom', { confirm: 'room' })],
  ['prunes', ({ run }) => run('PruneHistory', {})],
  ['erases', ({ run }) => run('EraseValue', { key: 'k', confirm: 'k' })],
  ['signs a snapshot', ({ host }) => host.withRoom('room', (room) => room.compact())],
  [
    'signs headers',
    ({ host }) =>
      host.withRoom('room', async (room) => {
        const sight = room.packed.sight({ subscribed: new Globs(['k']), readable: undefined })!;
        await room.packed.read(0, room.seq, { sight });
      }),
  ],
  [
    'signs a root of values',
    ({ host }) =>
      host.withRoom('room', (room) =>
        room.signValueRoot({ stateHash: room.stateHash, count: 0, root: new Uint8Array(32) }),
      ),
  ],
  ['writes', ({ host }) => host.withRoom('room', (room) => room.set('k', 'again'))],
];

describe.each(['a file', 'the room', 'its roots'] as const)(
  'a host that has it from %s that its key is revoked',
  (how) => {
    it.each(DOORS)(
      '[MA3] no longer %s, and says why; who is in the room stays, and nothing has changed',
      async (_, ask) => {
        const place = await processOf(how);
        const { host } = place;
        const ann = testPeer(host, 'room');
        ann.send({ type: 'hello' });
        await ann.nextOf('welcome');
        const before = await host.withRoom('room', ({ seq, stateHash }) => Promise.resolve([seq, stateHash]));
        const refusal = await ask(place).then(
          () => undefined,
          (error: unknown) => error,
        );
        const codes = how === 'a file' ? ['authority-missing'] : ['authority-revoked'];
        expect(codes).toContain((refusal as { reason?: unknown } | undefined)?.reason);
        expect(await host.withRoom('room', ({ seq, stateHash }) => Promise.resolve([seq, stateHash]))).toEqual(before);
        expect(await host.withRoom('child', ({ seq }) => Promise.resolve(seq))).toBe(0);
        expect([await place.archived(), place.faults]).toEqual([[], []]);
        ann.send({ type: 'no such frame' });
        expect(await ann.nextOf('error')).toMatchObject({ code: 'unknown-type' });
      },
    );
  },
);

it('[MA3] begins no room by a word of its own where it knows of no other one in which its key has spoken', async () => {
  const { host } = await processOf('its roots');
  await expect(host.withRoom('another', (room) => room.set('a', 1))).rejects.toMatchObject({
    reason: 'authority-revoked',
  });
  expect(await host.withRoom('another', ({ seq }) => Promise.resolve(seq))).toBe(0);
});

describe('upkeep of a room with headers, on a host that has no say there just now', () => {
  it('[ST10] [PK12] waits and says so once, and is done when a key may speak again; no fault counts against the room', async () => {
    const [store, faults, notices] = [memoryStore(), [] as unknown[], [] as Notice[]];
    let isSilent = false;
    const host = createHost({
      store,
      telemetry: { record: () => undefined, tell: (notice) => notices.push(notice) },
      authority: async (founder) =>
        certifiedAuthority({
          roots: [keyOf('root')],
          founder,
          founding: await makeMandate('founder', { key: founder.publicKey }, signerOf('root')),
          signer: signerOf('one'),
          certificates: isSilent ? [] : [await mandate('signer', 'root', 'one')],
          silence: isSilent ? SILENCE : undefined,
        }),
      onFault: (error) => faults.push(error),
    });
    onTestFinished(() => host.close());
    await host.withRoom('room', async (room) => {
      for (let i = 0; i < 3; i++) await room.set('k', i);
    });
    await host.submit({ room_id: 'room', command: { PruneHistory: {} } });
    isSilent = true;
    await host.renewAuthority();
    const room = await host.room('room');
    expect(room.hasHeadersIn(0, room.seq)).toBe(true);
    const records = async (): Promise<number> => {
      let count = 0;
      for await (const record of store.log.read('room' as RoomId, 0)) count += record.count > 0 ? 1 : 0;
      return count;
    };
    const writer = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    const large = 'x'.repeat(60 * 1024);
    // More than a part of the log, twice: each commit looks whether there is something to be kept up.
    for (let i = 0; i < 40; i++) {
      writer.set(`large/${i}`, large);
      await push(writer, room);
    }
    await room.rest();
    const before = await records();
    expect(faults).toEqual([]);
    expect(notices.filter(({ message }) => message.includes('waits for a key'))).toEqual([
      {
        level: 'warn',
        message: 'the log of a room waits for a key that may sign its headers',
        about: { room: 'room', reason: 'authority-missing' },
      },
    ]);
    isSilent = false;
    await host.renewAuthority();
    await room.rest();
    expect(await records()).toBeLessThan(before);
    const { stateHash, seq } = room;
    const again = await createHost({ store }).withRoom('room', (opened) =>
      Promise.resolve([opened.stateHash, opened.seq]),
    );
    expect([again, faults]).toEqual([[stateHash, seq], []]);
  });
});
