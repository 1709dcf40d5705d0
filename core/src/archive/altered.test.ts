import { unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromUtf8, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { encodePack, decodePack } from '../codec/packs/plain-pack.js';
import { type ArchiveChange, alteredArchive } from '../testing/altered-archive.js';
import { type SmallArchive, fateOf, once, siteOf, smallArchive } from '../testing/archive-sites.js';
import { MOST_BYTES, directoryOf, spanOf } from './layout.js';
import { timelineOf } from './timeline.js';

const FILE = 'file://a.weft';
const FLIPS = 300;

const changed = async (all: SmallArchive, change: ArchiveChange): Promise<unknown> =>
  fateOf(all, await alteredArchive(all.bytes, change));

describe('an archive of which something was changed', () => {
  it('[AR4] is refused wherever a bit was flipped, and nothing has changed', async () => {
    const all = await smallArchive();
    const seen = new Map<unknown, number>();
    for (let i = 0; i < FLIPS; i++) {
      const bytes = all.bytes.slice();
      const at = Math.floor(Math.random() * bytes.length);
      const bit = 1 << Math.floor(Math.random() * 8);
      bytes[at]! ^= bit;
      const fate = await fateOf(all, bytes);
      expect(fate, `bit ${bit} of byte ${at} of ${bytes.length}`).not.toBe('accepted');
      seen.set(fate, (seen.get(fate) ?? 0) + 1);
    }
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['digest_mismatch', 'manifest_invalid']));
    expect(await fateOf(all, all.bytes)).toBe('accepted');
  });

  it('[AR2] is refused wherever it was cut, or has more', async () => {
    const all = await smallArchive();
    const { bytes } = all;
    for (const cut of [1, 16, 22, 23, 100, 1000, bytes.length - 22, bytes.length - 1, bytes.length])
      expect(await changed(all, { cut })).toBe('manifest_invalid');
    const comment = bytes.slice();
    comment[bytes.length - 2] = 1;
    for (const odd of [
      concatBytes([bytes, Uint8Array.of(0)]),
      concatBytes([Uint8Array.of(0), bytes]),
      concatBytes([comment, Uint8Array.of(1)]),
      concatBytes([bytes, bytes]),
    ])
      expect(await fateOf(all, odd)).toBe('manifest_invalid');
  });

  it('[AR2] is refused in any other zip of the same files, deflated or in another order', async () => {
    const all = await smallArchive();
    const files = unzipSync(all.bytes);
    const reversed = Object.fromEntries(Object.entries(files).reverse());
    const { 'snapshot.pack': _, ...fewer } = files;
    for (const odd of [files, reversed, fewer, { 'a/../../b': Uint8Array.of(1), ...files }])
      for (const level of [0, 9] as const) expect(await fateOf(all, zipSync(odd, { level }))).toBe('manifest_invalid');
  });

  it('[AR2] is refused before anything of it is read that is too large', async () => {
    const all = await smallArchive();
    const end = all.bytes.subarray(-22);
    let read = 0;
    const fake = (size: number, tail: Uint8Array) => ({
      size,
      async *read(from: number, to: number) {
        read += to - from;
        yield concatBytes([new Uint8Array(Math.max(0, to - from - tail.length)), tail.subarray(-(to - from))]);
      },
      close: () => Promise.resolve(),
    });
    const lies = new Uint8Array(22);
    lies.set(end);
    const endless = { name: 'manifest.json', size: 2 ** 30, crc32: 0 };
    const directory = directoryOf([endless]);
    for (const [size, tail] of [
      [MOST_BYTES + 1, end],
      [MOST_BYTES, end],
      [MOST_BYTES, lies.fill(0xff, 8, 20)],
      [21, end],
      [spanOf(endless) + directory.length, directory],
    ] as const) {
      const site = siteOf({ ...all.site.archives, open: () => Promise.resolve(fake(size, tail)) });
      expect(await site.refusal('r', 'DescribeArchive', { archive_ref: FILE })).toBe('reject.archive_manifest_invalid');
    }
    expect(read).toBeLessThan(100_000);
  });

  it('[AR3] is refused where somebody has signed what does not agree with itself', async () => {
    const all = await smallArchive();
    const { signer } = all;
    const manifest = JSON.parse(fromUtf8(unzipSync(all.bytes)['manifest.json']!));
    const { entries, checkpoint, counts } = manifest;
    const named = (name: string) => ({ entries: [{ ...entries[0], name }, ...entries.slice(1)] });
    for (const odd of [
      ...[named('../../etc/passwd'), named('/nodes/000000.pack'), named('nodes/000001.pack')],
      ...[{ entries: [...entries, entries.at(-1)] }, { entries: entries.slice(1) }, { entries: [] }],
      { entries: [{ ...entries[0], size: 2 ** 40 }, ...entries.slice(1)] },
      ...[{ counts: { ...counts, blobs: 2 ** 31 } }, { counts: { ...counts, nodes: 2 ** 40 } }],
      ...[{ manifest_id: 'm.plans.0' }, { source_room: 'other' }, { source_room: '~host' }, { source_room: '../x' }],
      ...[{ archive_kind: 'checkpoint_fork' }, { archive_kind: 'half' }, { genesis: 'AAAA' }, { genesis: '?' }],
      ...[{ policy_timeline_transition_cutovers: [2, 1] }, { policy_timeline_cutover_lamport: 9 }],
      ...[{ policy_timeline_transition_cutovers: [] }, { policy_timeline_hash: '0'.repeat(64) }],
      ...[{ policy_timeline: undefined }, { provenance: undefined }, { extra: 1 }, { sizes: { nodes: 0, blobs: 0 } }],
      ...[{ checkpoint: { ...checkpoint, canonical_seq: 1 } }, { checkpoint: { ...checkpoint, frontier: [] } }],
      ...[{ compatibility_window: { min_supported: '2', max_supported: '1' } }, { format_version: 1 }],
    ])
      expect(await changed(all, { manifest: odd, signer }), JSON.stringify(odd)).toBe('manifest_invalid');
  });

  it('[AR3] is refused where the manifest is written otherwise, or is none', async () => {
    const all = await smallArchive();
    const text = fromUtf8(unzipSync(all.bytes)['manifest.json']!);
    const put = (odd: string): Promise<unknown> => changed(all, { text: toUtf8(odd) });
    for (const odd of ['', '[]', 'null', '{}', '{', `${text} `, text.replace(',', ' ,'), '['.repeat(100_000)])
      expect(await put(odd), odd.slice(0, 20)).toBe('manifest_invalid');
  });

  it('[AR3] is refused where it says something else, in its one form, than was signed', async () => {
    const all = await smallArchive();
    const { provenance } = JSON.parse(fromUtf8(unzipSync(all.bytes)['manifest.json']!));
    const manifest = { provenance: { ...provenance, created_by: 'somebody else' } };
    expect(await changed(all, { manifest })).toBe('signature_invalid');
  });

  it('[AR4] is refused where somebody has signed what it does not hold', async () => {
    const all = await smallArchive();
    const { signer } = all;
    const { checkpoint, payload_digest_set: digests } = JSON.parse(fromUtf8(unzipSync(all.bytes)['manifest.json']!));
    const hash = 'f'.repeat(64);
    for (const odd of [
      { checkpoint: { ...checkpoint, canonical_hash: hash }, manifest_id: `m.plans.${hash.slice(0, 12)}` },
      { checkpoint: { ...checkpoint, frontier: [hash] } },
      { payload_digest_set: { ...digests, nodes: hash } },
      { payload_digest_set: { ...digests, blobs: hash } },
    ])
      expect(await changed(all, { manifest: odd, signer }), JSON.stringify(odd)).toBe('digest_mismatch');
  });

  it('[AR4] is refused where somebody has signed more than there is, or another sum', async () => {
    const all = await smallArchive();
    const { signer } = all;
    const held = unzipSync(all.bytes);
    const { checkpoint, counts, sizes, entries } = JSON.parse(fromUtf8(held['manifest.json']!));
    const nodes = counts.nodes + 1;
    const oneMore = { checkpoint: { ...checkpoint, canonical_seq: nodes }, counts: { ...counts, nodes } };
    expect(await changed(all, { manifest: oneMore, signer })).toBe('digest_mismatch');
    const longer = concatBytes([held['blobs/000000.bin']!, Uint8Array.of(1)]);
    const contents = { 'blobs/000000.bin': longer };
    const manifest = { sizes: { ...sizes, blobs: longer.length } };
    expect(await changed(all, { contents, manifest, signer }), 'bytes behind the blobs').toBe('digest_mismatch');
    for (const at of entries.keys()) {
      const wrong = entries.with(at, { ...entries[at], sha256: 'f'.repeat(64) });
      expect(await changed(all, { manifest: { entries: wrong }, signer }), wrong[at].name).toBe('digest_mismatch');
    }
  });

  it('[AR3] is refused where it is for other versions, and taken where it is for this one among others', async () => {
    const all = await smallArchive();
    const { signer } = all;
    const fate = (manifest: Readonly<Record<string, unknown>>): Promise<unknown> => changed(all, { manifest, signer });
    const window = (least: string, most: string) => ({
      compatibility_window: { min_supported: least, max_supported: most },
    });
    for (const odd of [window('2', '3'), window('0', '0'), window('2', '999999999')])
      expect(await fate(odd), JSON.stringify(odd)).toBe('unsupported_format');
    for (const odd of [
      window('3', '2'),
      window('01', '2'),
      window('1', 'x'),
      window('', '1'),
      window('1', '1000000000'),
    ])
      expect(await fate(odd), JSON.stringify(odd)).toBe('manifest_invalid');
    for (const odd of [{ format_version: '2' }, { payload_digest_policy: 'other' }])
      expect(await fate(odd), JSON.stringify(odd)).toBe('unsupported_format');
    for (const wide of [window('0', '1'), window('1', '9'), window('0', '999999999')])
      expect(await fate(wide), JSON.stringify(wide)).toBe('accepted');
  });

  it('[AR3] names what does not agree with itself, and the version that is not known', async () => {
    const all = await smallArchive();
    const { signer, site } = all;
    const manifest = JSON.parse(fromUtf8(unzipSync(all.bytes)['manifest.json']!));
    const said = async (change: Readonly<Record<string, unknown>>): Promise<unknown> => {
      await site.archives.put('odd.weft', once(await alteredArchive(all.bytes, { manifest: change, signer })));
      const asked = site.ask('target', 'DescribeArchive', { archive_ref: 'file://odd.weft' });
      const { message } = await asked.then(
        () => new Error('it was taken'),
        (error: unknown) => error as Error,
      );
      return message.replace(/^reject\.archive_\w+: /, '');
    };
    const other = await site.host.room('other');
    await other.set('k', 1);
    for (const [field, change] of Object.entries({
      manifest_id: { manifest_id: 'm.plans.0' },
      'counts.nodes': { counts: { ...manifest.counts, nodes: 1 } },
      policy_timeline_hash: { policy_timeline_hash: '0'.repeat(64) },
      policy_timeline_cutover_lamport: { policy_timeline_cutover_lamport: 9 },
      policy_timeline_transition_cutovers: { policy_timeline_transition_cutovers: [2, 1] },
      provenance: { provenance: { ...manifest.provenance, source_room: 'other' } },
      genesis: { genesis: Buffer.from(other.genesis.pack).toString('base64') },
      'its entries have other sizes': { sizes: { ...manifest.sizes, nodes: 1 } },
    }))
      expect(await said(change)).toBe(`the manifest does not agree with itself: ${field}`);
    expect(await said({ format_version: '2' })).toBe('the archive has format "2", not 1');
    expect(await said({ payload_digest_policy: 'x'.repeat(99) })).toBe(
      `no digests are known by the name "${'x'.repeat(64)}"`,
    );
    const window = { min_supported: '2', max_supported: '3' };
    expect(await said({ compatibility_window: window })).toBe('the archive is for formats 2 to 3, not 1');
    expect(await said({ counts: { nodes: 'many', blobs: 0 } })).toBe(
      "the manifest's counts.nodes is missing or malformed",
    );
  });

  it('[AR5] is refused where somebody has signed another timeline than its nodes make', async () => {
    const all = await smallArchive();
    const forged = timelineOf([{ lamport: 5, policy: 'a'.repeat(64) }]);
    expect(await changed(all, { manifest: { ...forged }, signer: all.signer })).toBe('policy_timeline_mismatch');
    expect(await changed(all, { manifest: { ...timelineOf([]) }, signer: all.signer })).toBe(
      'policy_timeline_mismatch',
    );
  });

  it('[AR4] is refused where nodes, values or blobs were changed and all sums made right again', async () => {
    const all = await smallArchive();
    const { signer } = all;
    const held = unzipSync(all.bytes);
    const name = 'nodes/000000.pack';
    const { nodes, seals } = decodePack(held[name]!);
    const packed = (content: Uint8Array) => ({
      contents: { [name]: content },
      manifest: { sizes: { nodes: content.length, blobs: 1500 } },
      signer,
    });
    // Seals of these nodes where they stand by now.
    const sealsOf = (some: typeof nodes) =>
      seals.flatMap((seal) => {
        const index = some.indexOf(nodes[seal.index]!);
        return index < 0 ? [] : [{ ...seal, index }];
      });
    const forged = seals.map((seal) => ({ ...seal, signature: seal.signature.map((byte) => byte ^ 1) }));
    expect(await changed(all, packed(encodePack({ nodes, seals: forged })))).toBe('signature_invalid');
    expect(await changed(all, packed(encodePack({ nodes, seals: seals.slice(0, 1) })))).toBe('signature_invalid');
    expect(await changed(all, packed(encodePack({ nodes: nodes.slice(0, 1), seals: seals.slice(0, 1) })))).toBe(
      'digest_mismatch',
    );
    const last = seals.length - 1;
    const twice = { nodes: [...nodes, nodes.at(-1)!], seals: [...seals, { ...seals[last]!, index: nodes.length }] };
    expect(await changed(all, packed(encodePack(twice)))).toBe('manifest_invalid');
    const orphans = nodes.toSpliced(1, 1);
    expect(await changed(all, packed(encodePack({ nodes: orphans, seals: sealsOf(orphans) })))).toBe(
      'manifest_invalid',
    );
    expect(await changed(all, packed(Uint8Array.of(1, 2, 3)))).toBe('manifest_invalid');
    expect(await changed(all, packed(encodePack({ nodes: [], seals: [] })))).toBe('manifest_invalid');
    const segment = held['blobs/000000.bin']!.slice();
    segment[0]! ^= 1;
    expect(await changed(all, { contents: { 'blobs/000000.bin': segment }, signer })).toBe('digest_mismatch');
    const index = held['blobs.index']!;
    const swapped = concatBytes([index.subarray(40, 80), index.subarray(0, 40), index.subarray(80)]);
    const blobs = Buffer.from(sha256(swapped)).toString('hex');
    const { payload_digest_set: digests } = JSON.parse(fromUtf8(held['manifest.json']!));
    const manifest = { payload_digest_set: { ...digests, blobs } };
    expect(await changed(all, { contents: { 'blobs.index': swapped }, manifest, signer })).toBe('digest_mismatch');
  });

  it('[AR4] is refused where its snapshot is of another room, or of another moment', async () => {
    const all = await smallArchive();
    const { signer } = all;
    const other = await all.site.host.room('other');
    await other.set('k', 1);
    const room = await all.site.host.room('plans');
    await room.set('later', 1);
    for (const { snapshot } of [await other.surveys.whole(), await room.surveys.whole()])
      expect(await changed(all, { contents: { 'snapshot.pack': snapshot }, signer })).toBe('digest_mismatch');
    const unsigned = (await room.surveys.whole()).snapshot.slice();
    unsigned[40]! ^= 1;
    expect(await changed(all, { contents: { 'snapshot.pack': unsigned }, signer })).toBe('signature_invalid');
    expect(await changed(all, { contents: { 'snapshot.pack': Uint8Array.of(1) }, signer })).toBe('manifest_invalid');
  });
});
