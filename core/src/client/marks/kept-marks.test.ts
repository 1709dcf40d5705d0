/** Marks where a room is written down, given up in part, read in part or taken elsewhere. */
import { describe, expect, it } from 'vitest';
import { fromBase64 } from '../../codec/bytes/bytes.js';
import { createHost } from '../../engine.js';
import { createReplica, generateKeys } from '../../peer.js';
import type { Room } from '../../room/room.js';
import { type Site, join, pull, push, siteOf } from '../../testing/archive-sites.js';
import { guests, quiet } from '../../testing/guests.js';
import type { Replica } from '../replica/replica.js';
import { richText } from './rich-text.js';

const SPANS = [
  { text: 'plain ', marks: {} },
  { text: 'bold', marks: { bold: true } },
  { text: ' and a ', marks: {} },
  { text: 'link', marks: { link: 'https://weft.example/' } },
];
const TEXT = 'plain bold and a link';

/** A node for the text and one for each mark. */
async function writeMarked(replica: Replica, room: Room, key = 't'): Promise<void> {
  replica.text(key).insert(0, TEXT);
  await push(replica, room);
  richText(replica, key).mark(6, 4, 'bold');
  await push(replica, room);
  richText(replica, key).mark(17, 4, 'link', 'https://weft.example/', { expand: 'none' });
  expect(await push(replica, room)).toEqual([]);
}

async function marked(site: Site = siteOf()): Promise<{ site: Site; room: Room; replica: Replica }> {
  const room = await site.host.room('plans');
  const replica = await join(room);
  await writeMarked(replica, room);
  return { site, room, replica };
}

/** What is to be the same wherever the room is. */
const told = (room: Room): unknown[] => [room.spans('t'), room.text('t')];

describe('marks that are kept', () => {
  it('[RE2] [MK2] are in a saved replica, of a version that is refused by name where marks are not known', async () => {
    const room = await siteOf().host.room('plans');
    const keys = generateKeys();
    const replica = await join(room, keys);
    replica.text('t').insert(0, TEXT);
    expect(replica.save()[1]).toBe(1);
    await push(replica, room);
    await writeMarked(replica, room, 'u');
    const saved = replica.save();
    expect(saved[1]).toBe(2);
    const again = await createReplica({ saved, keys });
    expect(again.save()).toEqual(saved); // not woken yet
    expect(richText(again, 'u').spans()).toEqual(SPANS);
    expect(again.stateHash).toBe(room.stateHash);
    expect(again.save()[1]).toBe(2);
    await expect(createReplica({ saved: saved.with(1, 4), keys })).rejects.toThrow('unknown version');
  });

  it('[PN1] [PN2] stay when history before them is given up, those too that others have beaten', async () => {
    const { site, room, replica } = await marked();
    richText(replica, 't').unmark(6, 4, 'bold');
    await push(replica, room);
    richText(replica, 't').mark(6, 4, 'bold');
    replica.set('k', 1);
    await push(replica, room);
    replica.set('k', 2);
    await push(replica, room);
    replica.set('k', 3);
    await push(replica, room);
    const { stateHash } = room;
    const other = createHost({ store: site.store });
    await site.host.close();
    const { events } = await other.submit({ room_id: 'plans', command: { PruneHistory: {} } });
    expect(Object.values(events[0]!)[0]).toMatchObject({ nodes: 2, canonical_hash: stateHash });
    await other.withRoom('plans', async (opened) => {
      expect(told(opened)).toEqual([SPANS, TEXT]);
      const reader = await createReplica({ genesis: opened.genesis.pack, keys: generateKeys() });
      for await (const pack of opened.attestedPacks()) expect((await reader.receive(pack)).refused).toEqual([]);
      expect([richText(reader, 't').spans(), reader.stateHash]).toEqual([SPANS, opened.stateHash]);
    });
    await other.close();
  });

  it('[VE5] lose what they say when their text is erased, and stay when a value that was written with one of them is', async () => {
    const { site, room, replica } = await marked();
    // One node has both.
    replica.batch(() => {
      richText(replica, 't').mark(0, 5, 'italic');
      replica.set('secret', 'hush');
    });
    await push(replica, room);
    const before = told(room);
    const other = createHost({ store: site.store });
    await site.host.close();
    const erase = (key: string) => other.submit({ room_id: 'plans', command: { EraseValue: { key } } });
    await erase('secret');
    expect(await other.withRoom('plans', async (opened) => [told(opened), opened.get('secret')])).toEqual([
      before,
      undefined,
    ]);
    await erase('t');
    await other.withRoom('plans', async (opened) => {
      expect([opened.text('t'), opened.spans('t')]).toEqual(['', []]);
      const reader = await createReplica({ genesis: opened.genesis.pack, keys: generateKeys() });
      for await (const pack of opened.attestedPacks()) expect((await reader.receive(pack)).refused).toEqual([]);
      expect([String(reader.text('t')), reader.stateHash]).toEqual(['', opened.stateHash]);
    });
    await other.close();
  });

  it('[VE1] stay when a value beside them is erased', async () => {
    const { site, room, replica } = await marked();
    replica.set('secret', 'hush');
    await push(replica, room);
    const other = createHost({ store: site.store });
    await site.host.close();
    await other.submit({ room_id: 'plans', command: { EraseValue: { key: 'secret' } } });
    const found = await other.withRoom('plans', async (opened) => [...told(opened), opened.get('secret')]);
    expect(found).toEqual([SPANS, TEXT, undefined]);
    await other.close();
  });

  it('[AR1] come along in an archive, and into a child', async () => {
    const { site, room } = await marked();
    await site.done('plans', 'ExportArchive', { archive_ref: 'file://a.weft' });
    await site.done('other', 'ImportArchive', { archive_ref: 'file://a.weft', import_mode: 'full_apply' });
    const other = await site.host.room('other');
    expect(told(other)).toEqual(told(room));
    const parent_checkpoint = { canonical_hash: room.stateHash, frontier: room.heads.frontier };
    await site.done('plans', 'CreateTopologyChild', {
      child_room_id: 'child',
      child_purpose: 'a test',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint,
    });
    const child = await site.host.room('child');
    expect(told(child)).toEqual(told(room));
    const inChild = await createReplica({ genesis: child.genesis.pack, keys: generateKeys() });
    await pull(inChild, child);
    expect(richText(inChild, 't').spans()).toEqual(SPANS);
    richText(inChild, 't').unmark(6, 4, 'bold');
    expect(await push(inChild, child)).toEqual([]);
    expect([child.spans('t')[0]!.text, room.spans('t')[0]!.text]).toEqual(['plain bold and a ', 'plain ']);
    expect(inChild.stateHash).toBe(child.stateHash);
  });

  it('[HD1] [HD3] are headers for who may not read their key, and nothing is said of the text then', async () => {
    const place = guests();
    const room = await place.host.room('room');
    const author = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    await writeMarked(author, room, 'notes/t');
    await writeMarked(author, room, 'docs/t');
    const peer = place.connect();
    peer.send(await place.hello(generateKeys(), ['read:docs/*']));
    const genesis = fromBase64(String((await peer.nextOf('welcome'))['genesis']));
    const reader = await createReplica({ genesis, keys: generateKeys() });
    const take = async (): Promise<void> => {
      const bytes = fromBase64(String((await peer.nextOf('pack'))['nodes']));
      expect((await reader.receive(bytes)).refused).toEqual([]);
    };
    while (reader.frontier.join() !== room.heads.frontier.join()) await take();
    expect(reader.withheld).toBe(3);
    expect(richText(reader, 'notes/t').spans()).toEqual([]);
    expect(richText(reader, 'docs/t').spans()).toEqual(SPANS);
    // Marks of what is read and of what is not, as they are written.
    richText(author, 'notes/t').mark(0, 5, 'italic');
    await push(author, room);
    richText(author, 'docs/t').unmark(6, 4, 'bold');
    await push(author, room);
    await quiet();
    while (reader.frontier.join() !== room.heads.frontier.join()) await take();
    expect(reader.withheld).toBe(4);
    expect(richText(reader, 'docs/t').spans()).toEqual(room.spans('docs/t'));
    // What is kept of it is the same, and the rest is what it would have been, when it comes.
    const saved = await createReplica({ saved: reader.save(), keys: generateKeys() });
    expect(richText(saved, 'docs/t').spans()).toEqual(room.spans('docs/t'));
    for (const pack of room.packs()) expect((await saved.receive(pack)).refused).toEqual([]);
    expect(richText(saved, 'notes/t').spans()).toEqual(room.spans('notes/t'));
    expect(saved.stateHash).toBe(room.stateHash);
  });
});
