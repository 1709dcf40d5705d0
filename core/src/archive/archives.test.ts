import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { generateKeys } from '../peer.js';
import { policyFact } from '../room/state/facts.js';
import { altered } from '../testing/altered.js';
import { bytesOf, join, pull, push, serverKeyOf, siteOf, valuesOf, writeRoom } from '../testing/archive-sites.js';
import { guests, quiet } from '../testing/guests.js';
import { testPeer } from '../testing/test-peer.js';

const FILE = 'file://a.weft';
const [INTO, FULL] = [
  { archive_ref: FILE, import_mode: 'full_apply' },
  { archive_ref: FILE, mode: 'full_integrity' },
];

const exported = async (site = siteOf()) => {
  const written = await writeRoom(site, 'plans');
  const made = await site.done('plans', 'ExportArchive', { archive_ref: FILE });
  return { ...written, site, made };
};

describe('an archive', () => {
  it('[AR1] holds a room, and brings it back [fault 41]', async () => {
    const { site, room, made } = await exported();
    expect(made).toMatchObject({ source_room: 'plans', manifest_id: `m.plans.${room.stateHash.slice(0, 12)}` });
    const other = await site.host.room('other');
    const done = await site.done('other', 'ImportArchive', INTO);
    expect(done).toMatchObject({ imported_nodes: room.seq, imported_blobs: 3, canonical_hash: other.stateHash });
    expect(valuesOf(other)).toEqual(valuesOf(room));
  });

  it('[AR1] of a room of this server is the room as it is', async () => {
    const { site, room, made } = await exported();
    const described = await site.done('other', 'DescribeArchive', { archive_ref: 'room://plans' });
    expect(described).toMatchObject({
      manifest_id: made['manifest_id'],
      payload_digest_set: made['payload_digest_set'],
    });
    expect(await site.done('other', 'DescribeArchive', { archive_ref: FILE })).toEqual({
      ...described,
      archive_ref: FILE,
      provenance: { ...(described['provenance'] as object), created_at: expect.any(Number) },
    });
    const validated = await site.done('other', 'ValidateArchive', { ...FULL, archive_ref: 'room://plans' });
    expect(validated['checks']).toEqual([
      ...['source', 'entries', 'nodes', 'checkpoint', 'policy_timeline', 'snapshot', 'blobs'],
    ]);
    const looked = { archive_ref: 'room://plans', mode: 'metadata_only' };
    expect((await site.done('other', 'ValidateArchive', looked))['checks']).toEqual(['source']);
    await site.done('other', 'ImportArchive', { ...INTO, archive_ref: 'room://plans' });
    expect(valuesOf(await site.host.room('other'))).toEqual(valuesOf(room));
    expect(await site.refusal('plans', 'ExportArchive', { archive_ref: 'room://other' })).toBe(
      'reject.archive_unsupported_format',
    );
  });

  it('[AR2] is a zip that others can read', async () => {
    const { site } = await exported();
    const file = (await site.archives.open('a.weft'))!;
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read(0, file.size)) chunks.push(chunk);
    const entries = unzipSync(Buffer.concat(chunks));
    expect(Object.keys(entries)).toEqual([
      ...['nodes/000000.pack', 'snapshot.pack', 'blobs.index', 'blobs/000000.bin'],
      'manifest.json',
    ]);
    expect(entries['blobs/000000.bin']).toHaveLength(300_000 + 19);
  });

  it('[AR4] is checked as far as is asked for', async () => {
    const { site } = await exported();
    const looked = await site.done('plans', 'ValidateArchive', { ...FULL, mode: 'metadata_only' });
    expect(looked).toMatchObject({ accepted: true, mode: 'metadata_only' });
    expect(looked['checks']).toEqual(['format', 'compatibility', 'signature', 'manifest', 'layout']);
    expect((await site.done('plans', 'ValidateArchive', FULL))['checks']).toEqual([
      ...['format', 'compatibility', 'signature', 'manifest', 'layout'],
      ...['entries', 'nodes', 'checkpoint', 'policy_timeline', 'snapshot', 'blobs'],
    ]);
  });

  it('[AR1] of a child room is told from others, and holds what came along', async () => {
    const { site, room } = await exported();
    const parent_checkpoint = { canonical_hash: room.stateHash, frontier: room.heads.frontier };
    const wanted = {
      child_room_id: 'child',
      child_purpose: 'p',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint,
    };
    await site.done('plans', 'CreateTopologyChild', wanted);
    const child = await site.host.room('child');
    const writer = await join(child);
    writer.set('of the child', 1);
    await push(writer, child);
    await site.done('child', 'ExportArchive', { archive_ref: 'file://child.weft' });
    const described = await site.done('child', 'DescribeArchive', { archive_ref: 'file://child.weft' });
    expect(described).toMatchObject({
      archive_kind: 'checkpoint_fork',
      provenance: { lineage: { parent_room_id: 'plans' } },
    });
    const elsewhere = siteOf(site.archives, undefined, [await serverKeyOf(site)]);
    await elsewhere.done('child', 'ImportArchive', { ...INTO, archive_ref: 'file://child.weft' });
    const again = await elsewhere.host.room('child');
    expect(valuesOf(again)).toEqual(valuesOf(child));
    expect((await join(again)).stateHash).toBe(again.stateHash);
  });
});

describe('a name', () => {
  it('[AR1] of what is not there, or of a store that this server has not, is refused', async () => {
    const { site } = await exported();
    const refusals = (ref: string) =>
      Promise.all(
        [
          ['DescribeArchive', {}],
          ['ValidateArchive', { mode: 'full_integrity' }],
          ['ImportArchive', { import_mode: 'full_apply' }],
        ].map(([command, rest]) => site.refusal('plans', command as string, { ...(rest as object), archive_ref: ref })),
      );
    expect(await refusals('file://none.weft')).toEqual(Array(3).fill('reject.archive_checkpoint_not_found'));
    for (const ref of ['object://a.weft', 'constructor://a.weft', 'a.weft'])
      expect(await refusals(ref), ref).toEqual(Array(3).fill('reject.archive_unsupported_format'));
    for (const ref of ['object://a.weft', 'constructor://a.weft'])
      expect(await site.refusal('plans', 'ExportArchive', { archive_ref: ref })).toBe(
        'reject.archive_unsupported_format',
      );
  });

  it('[AR1] of a room that holds nothing is of no archive', async () => {
    const { site } = await exported();
    const asked = { archive_ref: 'room://empty', source_room: 'empty' };
    for (const [command, rest] of [
      ['DescribeArchive', {}],
      ['ValidateArchive', { mode: 'metadata_only' }],
      ['ImportArchive', { import_mode: 'full_apply' }],
      ['ExportArchive', { archive_ref: 'file://empty.weft' }],
    ] as const)
      expect(await site.refusal('plans', command, { ...asked, ...rest }), command).toBe(
        'reject.archive_checkpoint_not_found',
      );
    expect(await site.archives.open('empty.weft')).toBeUndefined();
  });

  it('[AR1] under which something of others lies is not written to, and of an archive of the same room is', async () => {
    const { site } = await exported();
    const stranger = siteOf(site.archives);
    await writeRoom(stranger, 'plans');
    const asked = { archive_ref: FILE };
    expect(await stranger.refusal('plans', 'ExportArchive', asked)).toBe('reject.archive_manifest_invalid');
    const other = await site.host.room('other');
    await other.set('k', 1);
    expect(await site.refusal('other', 'ExportArchive', asked)).toBe('reject.archive_manifest_invalid');
    expect(await site.refusal('plans', 'ExportArchive', asked)).toBe('ArchiveExported');
  });

  it('[AR1] of a mode that there is not is refused with those that there are', async () => {
    const { site } = await exported();
    const said = async (command: string, odd: object): Promise<unknown> => {
      const [, body] = await site.ask('plans', command, { archive_ref: FILE, ...odd });
      return body['reason_message'];
    };
    for (const mode of ['half', 7, null])
      expect(await said('ValidateArchive', { mode })).toBe('mode is one of metadata_only, full_integrity');
    expect(await said('ImportArchive', { import_mode: 'full_integrity' })).toBe(
      'import_mode is one of metadata_only, full_apply',
    );
  });

  it('[AR1] is counted by what is done with it', async () => {
    const seen: string[] = [];
    const record = (metric: string, _value: number, ...labels: readonly string[]): void => {
      if (metric === 'archive_operation_seconds') seen.push(labels.join(' '));
    };
    const archives = memoryArchives();
    const host = createHost({ store: memoryStore(), archives: { stores: { file: archives } }, telemetry: { record } });
    await host.withRoom('plans', (room) => room.set('k', 1));
    for (const command of [
      { ExportArchive: { archive_ref: FILE } },
      { DescribeArchive: { archive_ref: FILE } },
      { ValidateArchive: FULL },
      { ImportArchive: INTO },
    ])
      await host.submit({ room_id: 'plans', command });
    expect(seen).toEqual(['export', 'describe', 'validate', 'import']);
    await host.close();
  });

  it('[AR1] is closed again, whatever came of it', async () => {
    const { site } = await exported();
    let open = 0;
    const archives = altered(site.archives, {
      async open(name: string) {
        const file = await site.archives.open(name);
        if (!file) return file;
        open++;
        return altered(file, { close: () => Promise.resolve(open--).then(() => file.close()) });
      },
    });
    const [known, strange] = [siteOf(archives, site.store), siteOf(archives)];
    for (const command of ['DescribeArchive', 'ValidateArchive', 'ImportArchive'])
      for (const { refusal } of [known, strange]) await refusal('target', command, { ...FULL, ...INTO });
    expect(await strange.refusal('plans', 'ImportArchive', INTO)).toBe('reject.archive_signature_invalid');
    expect(open).toBe(0);
  });
});

describe('an export', () => {
  it('[AR1] says that the disk has failed where it cannot read what lies there, and leaves that as it is', async () => {
    const { site } = await exported();
    const fault = new Error('the disk has failed');
    const before = await bytesOf(site.archives, 'a.weft');
    const broken = altered(site.archives, {
      open: async (name: string) => {
        const file = (await site.archives.open(name))!;
        return altered(file, {
          read: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(fault) }) }),
        });
      },
    });
    expect(await siteOf(broken, site.store).refusal('plans', 'ExportArchive', { archive_ref: FILE })).toBe(fault);
    expect(await bytesOf(site.archives, 'a.weft')).toEqual(before);
  });

  it('[AR1] keeps its room in memory for as long as it takes, though whoever asked for it has left', async () => {
    const IDLE_MS = 1000;
    const archives = memoryArchives();
    let [evicted, isBegun, goOn] = [0, false, (): void => undefined];
    const released = new Promise<void>((resolve) => (goOn = resolve));
    const slow = altered(archives, {
      async put(name: string, bytes: AsyncIterable<Uint8Array>) {
        isBegun = true;
        await released;
        await archives.put(name, bytes);
      },
    });
    const record = (metric: string): void => void (evicted += metric === 'eviction_total' ? 1 : 0);
    const { host, clock, hello, enter } = guests({
      ...{ limits: { idleMs: IDLE_MS }, telemetry: { record } },
      archives: { stores: { file: slow } },
    });
    await host.withRoom('room', (room) => room.set('k', 1));
    const peer = await enter(await hello(generateKeys(), ['archive.admin', 'archive.read']));
    peer.send({ type: 'archive.export', archive_ref: FILE });
    await expect.poll(() => isBegun).toBe(true);
    peer.leave();
    const sweep = async (): Promise<void> => {
      clock.advance(IDLE_MS);
      await quiet();
    };
    for (let i = 0; i < 3; i++) await sweep();
    expect(evicted).toBe(0);
    goOn();
    await expect.poll(async () => (await sweep(), evicted)).toBe(1);
    await host.close();
  });

  it('[AR1] of more than fits is refused before a blob is read', async () => {
    const given = siteOf();
    let read = 0;
    const get = (hash: never) => (read++, given.store.blobs.get(hash));
    const size = () => Promise.resolve(2 ** 31);
    const blobs = altered(given.store.blobs, { get, size });
    const site = siteOf(given.archives, { ...given.store, blobs });
    await writeRoom(site, 'plans');
    expect(await site.refusal('plans', 'ExportArchive', { archive_ref: FILE })).toBe(
      'reject.archive_unsupported_format',
    );
    expect([read, await site.archives.open('a.weft')]).toEqual([0, undefined]);
  });
});

describe('an import', () => {
  it('[AR6] [AR9] into the very room leaves people in it where it says nothing new of who may enter', async () => {
    const site = siteOf();
    const { room, ann } = await writeRoom(site, 'plans');
    const key = generateKeys().publicKey;
    await room.transact(() => ({ writes: [{ key: `\0revoked/${key}`, value: { by: 'x' } }], result: undefined }));
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    await room.set('since', 1);
    const peer = testPeer(site.host, 'plans');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    await site.done('plans', 'ImportArchive', INTO);
    await room.set('later', 1);
    await peer.nextOf('pack');
    await pull(ann, room);
    expect([ann.get('since'), ann.get('later')]).toEqual([1, 1]);
  });

  it('[AR9] into the very room sends people away where it revokes a key', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const key = generateKeys().publicKey;
    await room.transact(() => ({ writes: [{ key: `\0revoked/${key}`, value: { by: 'x' } }], result: undefined }));
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    const again = siteOf(site.archives, { ...siteOf().store, authoritySeed: () => site.store.authoritySeed() });
    const peer = testPeer(again.host, 'plans');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    await again.done('plans', 'ImportArchive', INTO);
    expect(await peer.closed).toMatchObject({ code: 1012 });
  });

  it('[AR4] [AR6] of what changes after it was checked takes nothing', async () => {
    const { site } = await exported();
    const bytes = await bytesOf(site.archives, 'a.weft');
    const held = unzipSync(bytes);
    const placeOf = (name: string): number => Buffer.from(bytes).indexOf(held[name]!);
    // How often each is read before it is taken: as an entry, and a blob once more under its own name.
    for (const [where, before] of [
      [placeOf('nodes/000000.pack'), 1],
      [placeOf('snapshot.pack'), 1],
      [placeOf('blobs.index'), 1],
      [Buffer.from(bytes).indexOf('the bytes of a blob'), 2],
    ] as const) {
      let read = 0;
      const file = {
        size: bytes.length,
        async *read(from: number, to: number) {
          const chunk = bytes.slice(from, to);
          if (from <= where && to > where && read++ >= before) chunk[where - from]! ^= 1;
          yield chunk;
        },
        close: () => Promise.resolve(),
      };
      const archives = { ...site.archives, open: () => Promise.resolve(file) };
      const elsewhere = siteOf(archives, undefined, [await serverKeyOf(site)]);
      expect(await elsewhere.refusal('target', 'ImportArchive', INTO)).toBe('reject.archive_digest_mismatch');
      expect([read, (await elsewhere.host.room('target')).get('k')]).toEqual([before + 1, undefined]);
    }
  });

  it('[AR6] into the very room leaves it what it was, to the last hash [fault 41]', async () => {
    const { site, room, ann } = await exported();
    await room.transact(() => ({ writes: [policyFact({ default: 'allow', rules: [] }, 'x')], result: undefined }));
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    const again = siteOf(site.archives, { ...siteOf().store, authoritySeed: () => site.store.authoritySeed() });
    const done = await again.done('plans', 'ImportArchive', INTO);
    expect(done['canonical_hash']).toBe(room.stateHash);
    const restored = await again.host.room('plans');
    expect([restored.seq, restored.heads]).toEqual([room.seq, room.heads]);
    ann.set('after', 'the disk was lost');
    expect(await push(ann, restored)).toEqual([]);
  });

  it('[AR9] into the very room sends away whoever is in it, where it was locked, and lets nobody in without a token', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const value = { key: generateKeys().publicKey, by: 'x' };
    await room.transact(() => ({ writes: [{ key: '\0lock', value }], result: undefined }));
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    const again = siteOf(site.archives, { ...siteOf().store, authoritySeed: () => site.store.authoritySeed() });
    const stranger = testPeer(again.host, 'plans');
    stranger.send({ type: 'hello' });
    await stranger.nextOf('pack');
    await again.done('plans', 'ImportArchive', INTO);
    expect(await stranger.closed).toMatchObject({ code: 1012 });
    const returning = testPeer(again.host, 'plans');
    returning.send({ type: 'hello' });
    expect(await returning.closed).toEqual({ code: 1008, reason: 'auth: room locked' });
  });

  it('[AR6] goes on under the signatures of those who wrote, for replicas that are there and that come', async () => {
    const { site, room, ann } = await exported();
    const elsewhere = siteOf(site.archives, undefined, [await serverKeyOf(site)]);
    const target = await elsewhere.host.room('target');
    const there = await join(target);
    const relayed: Uint8Array[] = [];
    target.onCommit(({ parts }) => relayed.push(...parts.map(({ pack }) => pack)));
    await elsewhere.done('target', 'ImportArchive', INTO);
    for (const pack of relayed) expect((await there.receive(pack)).refused).toEqual([]);
    const comes = await join(target);
    for (const replica of [there, comes]) {
      expect(replica.stateHash).toBe(target.stateHash);
      expect(replica.why('k')).toMatchObject({ author: ann.why('k')!.author, node: ann.why('k')!.node });
    }
    comes.text('t').insert(0, 'later, ');
    expect(await push(comes, target)).toEqual([]);
    expect(target.text('t')).toBe(`later, ${room.text('t')}`);
    const reopened = siteOf(site.archives, elsewhere.store);
    expect((await reopened.host.room('target')).stateHash).toBe(target.stateHash);
  });

  it('[AR6] again brings nothing new; what was written since, it brings', async () => {
    const { site, ann, room } = await exported();
    const target = await site.host.room('target');
    await site.done('target', 'ImportArchive', INTO);
    const before = target.seq;
    const second = await site.done('target', 'ImportArchive', INTO);
    expect(second).toMatchObject({ imported_nodes: 0, imported_blobs: 0 });
    expect(target.seq).toBe(before);
    await target.set('own', 1);
    ann.set('since', 1);
    await push(ann, room);
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    expect(await site.done('target', 'ImportArchive', INTO)).toMatchObject({ imported_nodes: 1 });
    expect([target.get('since'), target.get('own')]).toEqual([1, 1]);
  });

  it('[AR6] merges with what the room holds', async () => {
    const { site, room } = await exported();
    const target = await site.host.room('target');
    const writer = await join(target);
    writer.text('t').insert(0, 'here before; ');
    writer.set('mine', 1);
    await push(writer, target);
    await site.done('target', 'ImportArchive', INTO);
    await pull(writer, target);
    expect(writer.stateHash).toBe(target.stateHash);
    expect(target.get('mine')).toBe(1);
    for (const part of ['here before; ', room.text('t')]) expect(target.text('t')).toContain(part);
  });

  it('[AR6] of metadata alone changes nothing, and compares what it can', async () => {
    const { site, made } = await exported();
    const target = await site.host.room('target');
    const asked = { archive_ref: FILE, import_mode: 'metadata_only' };
    const done = await site.done('target', 'ImportArchive', asked);
    expect(done).toMatchObject({ imported_nodes: 0, imported_blobs: 0, checkpoint: made['checkpoint'] });
    expect(target.seq).toBe(0);
  });

  it('[AR6] is of the checkpoint that was expected, or not at all', async () => {
    const { site, made } = await exported();
    const { canonical_hash, frontier, canonical_seq } = made['checkpoint'] as Record<string, unknown>;
    const imported = (expected_checkpoint: unknown, room = 'target') =>
      site.refusal(room, 'ImportArchive', { ...INTO, expected_checkpoint });
    expect(await imported({ canonical_hash: '0'.repeat(64), frontier })).toBe('reject.archive_digest_mismatch');
    expect(await imported({ canonical_hash, frontier: ['0'.repeat(64)] })).toBe('reject.archive_digest_mismatch');
    expect(await imported({ canonical_hash, canonical_seq: 1 })).toBe('reject.archive_digest_mismatch');
    for (const odd of ['latest', 7, [], { canonical_hash: 'x' }, { frontier: 'x' }])
      expect(await imported(odd), JSON.stringify(odd)).toBe('reject.archive_manifest_invalid');
    expect((await site.host.room('target')).seq).toBe(0);
    expect(await imported({ canonical_hash, frontier: [] })).toBe('reject.archive_digest_mismatch');
    const shouted = (frontier as string[]).map((head) => head.toUpperCase());
    const inCapitals = { canonical_hash: (canonical_hash as string).toUpperCase(), frontier: shouted };
    expect(await imported(inCapitals, 'loud')).toBe('ArchiveImported');
    expect(await imported(null, 'whatever')).toBe('ArchiveImported');
    expect(await imported({ canonical_hash, frontier })).toBe('ArchiveImported');
    expect(await imported({ frontier: [`seq:${String(canonical_seq)}`] }, 'more')).toBe('ArchiveImported');
  });

  it('[AR6] of what this server has not signed needs trust [fault 41]', async () => {
    const { site } = await exported();
    const [stranger, friend] = [siteOf(site.archives), siteOf(site.archives, undefined, [await serverKeyOf(site)])];
    expect(await stranger.refusal('plans', 'ImportArchive', INTO)).toBe('reject.archive_signature_invalid');
    expect(await stranger.refusal('plans', 'DescribeArchive', INTO)).toBe('reject.archive_signature_invalid');
    expect((await stranger.host.room('plans')).seq).toBe(0);
    expect(await friend.refusal('plans', 'ImportArchive', INTO)).toBe('ArchiveImported');
  });

  it('[AR6] leaves locks, revocations and queries where they were', async () => {
    const site = siteOf();
    const { room } = await writeRoom(site, 'plans');
    const key = generateKeys().publicKey;
    await room.transact(() => ({ writes: [{ key: '\0lock', value: { key, by: 'x' } }], result: undefined }));
    await site.done('plans', 'RegisterQuerySpec', { query_spec_id: 'q', version: '1', descriptor: {} });
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    const target = await site.host.room('target');
    await site.done('target', 'ImportArchive', INTO);
    expect(room.facts.lock).toBe(key);
    expect(target.facts.lock).toBeUndefined();
    expect([...target.entries('\0')].map(([name]) => name)).toEqual([`\0adopted/${room.genesis.id}`, '\0genesis']);
    expect(valuesOf(target)).toEqual(valuesOf(room));
  });
});

describe('a policy timeline', () => {
  const deny = (...writers: string[]) => ({
    default: 'allow' as const,
    rules: [{ path_glob: 'closed/**', can_write: writers }],
  });

  const setPolicy = (room: Awaited<ReturnType<typeof exported>>['room'], ...writers: string[]) =>
    room.transact(() => ({ writes: [policyFact(deny(...writers), 'x')], result: undefined }));

  it('[AR5] is what an empty room takes over, and is the same there', async () => {
    const { site, room, ann } = await exported();
    const writer = ann.why('k')!.author;
    await setPolicy(room, writer);
    await pull(ann, room);
    ann.set('closed/a', 1);
    await push(ann, room);
    await setPolicy(room);
    const made = await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    expect(made['policy_timeline_transition_cutovers']).toEqual([1, expect.any(Number), expect.any(Number)]);
    const target = await site.host.room('target');
    await site.done('target', 'ImportArchive', INTO);
    expect(target.facts.policy).toEqual(deny());
    expect(target.get('closed/a')).toBe(1);
    const replica = await join(target, generateKeys());
    expect(replica.stateHash).toBe(target.stateHash);
    replica.set('closed/b', 1);
    expect(await push(replica, target)).toMatchObject([{ reason: 'policy-denied' }]);
    const again = await site.done('target', 'ExportArchive', { archive_ref: 'file://again.weft' });
    expect(again['policy_timeline_hash']).toBe(made['policy_timeline_hash']);
    expect(await site.refusal('target', 'ImportArchive', INTO)).toBe('ArchiveImported');
  });

  it('[AR6] must be what the room has been through, and no policy of a room is changed', async () => {
    const { site, room } = await exported();
    const target = await site.host.room('target');
    await setPolicy(target);
    const before = target.stateHash;
    expect(await site.refusal('target', 'ImportArchive', INTO)).toBe('reject.archive_policy_timeline_mismatch');
    const tried = { ...INTO, import_mode: 'metadata_only' };
    expect(await site.refusal('target', 'ImportArchive', tried)).toBe('reject.archive_policy_timeline_mismatch');
    expect(target.stateHash).toBe(before);
    const open = await site.host.room('open');
    await open.set('k', 0);
    await setPolicy(room);
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    await site.done('open', 'ImportArchive', INTO);
    expect(open.facts.policy).toBeUndefined();
  });

  it('[AR6] that goes on does not carry what the policy in force denies past it', async () => {
    const { site, room, ann } = await exported();
    const target = await site.host.room('target');
    for (const each of [room, target]) await setPolicy(each);
    await setPolicy(room, ann.why('k')!.author);
    await pull(ann, room);
    ann.set('closed/a', 1);
    expect(await push(ann, room)).toEqual([]);
    await site.done('plans', 'ExportArchive', { archive_ref: FILE });
    const before = target.stateHash;
    expect(await site.refusal('target', 'ImportArchive', INTO)).toBe('reject.archive_policy_timeline_mismatch');
    expect(target.stateHash).toBe(before);
    for await (const hash of site.store.blobs.linked(target.id)) throw new Error(`the room has blob ${hash}`);
  });
});
