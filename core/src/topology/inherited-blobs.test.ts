import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Store } from '../ports/store.js';
import { altered } from '../testing/altered.js';

interface Site {
  readonly store: Store;
  readonly host: Host;
  ask(room_id: string, command: string, payload: object): Promise<Readonly<Record<string, unknown>>>;
}

function siteOf(store: Store = memoryStore()): Site {
  const host = createHost({ store });
  onTestFinished(() => host.close());
  return {
    store,
    host,
    async ask(room_id, command, payload) {
      const { events } = await host.submit({ room_id, command: { [command]: payload } });
      return Object.values(events[0]!)[0]!;
    },
  };
}

/** A new blob that a room has, and names. */
async function put({ ask }: Site, room: string): Promise<BlobHash> {
  const bytes = randomBytes(100);
  const hash = createHash('sha256').update(bytes).digest('hex');
  await ask(room, 'BlobSet', { namespace: 'files', hash, data_b64: bytes.toString('base64') });
  return hash as BlobHash;
}

async function fork({ host, ask }: Site, parent: string, child_room_id: string): Promise<void> {
  const { stateHash, heads } = await host.room(parent);
  await ask(parent, 'CreateTopologyChild', {
    child_room_id,
    child_purpose: 'p',
    promotion_policy_id: 'promotion-based',
    parent_checkpoint: { canonical_hash: stateHash, frontier: heads.frontier },
  });
}

/** Which of these the room has. */
async function held({ store, host }: Site, id: string, hashes: readonly BlobHash[]): Promise<boolean[]> {
  await host.room(id);
  return Promise.all(hashes.map((hash) => store.blobs.isLinked(id as RoomId, hash)));
}

async function* throughOneBuffer(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(8);
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += buffer.length) {
      buffer.set(chunk.subarray(at, at + buffer.length));
      yield buffer;
    }
}

describe('the blobs of a child room', () => {
  it('[TP6] are those that its parent had, for whoever reads them, and none that came later', async () => {
    const site = siteOf();
    const [one, two] = [await put(site, 'parent'), await put(site, 'parent')];
    const elsewhere = await put(site, 'elsewhere');
    await fork(site, 'parent', 'child');
    const later = await put(site, 'parent');
    const own = await put(site, 'child');
    const all = [one, two, own, later, elsewhere];
    expect(await held(site, 'child', all)).toEqual([true, true, true, false, false]);
    expect(await held(site, 'parent', all)).toEqual([true, true, false, true, false]);
    expect(await site.ask('child', 'BlobGet', { namespace: 'files', hash: one })).toMatchObject({ found: true });
    await fork(site, 'child', 'grandchild');
    expect(await held(site, 'grandchild', all)).toEqual([true, true, true, false, false]);
    // Somebody who knows a name is not given what it names.
    const child = await site.host.room('child');
    await child.setBlob('files/later', later);
    expect(await site.ask('child', 'BlobGet', { namespace: 'files', hash: later })).toMatchObject({ found: false });
  });

  it('[TP6] are all there when the process has ended in between', async () => {
    const store = memoryStore();
    const before = siteOf(store);
    const hashes = await Promise.all(Array.from({ length: 5 }, () => put(before, 'parent')));
    await fork(before, 'parent', 'child');
    let left = 2;
    const link: Store['blobs']['link'] = (...to) =>
      left-- > 0 ? store.blobs.link(...to) : Promise.reject(new Error('the process ends here'));
    const ending = siteOf({ ...store, blobs: altered(store.blobs, { link }) });
    await expect(ending.host.room('child')).rejects.toThrow('ends here');
    expect(await held(siteOf(store), 'child', hashes)).toEqual(hashes.map(() => true));
  });

  it('[TP6] are read from a store that gives its bytes in one buffer, over and over', async () => {
    const store = memoryStore();
    const get: Store['blobs']['get'] = async (...wanted) => {
      const content = await store.blobs.get(...wanted);
      return content && { ...content, bytes: throughOneBuffer(content.bytes) };
    };
    const site = siteOf({ ...store, blobs: altered(store.blobs, { get }) });
    const hashes = await Promise.all(Array.from({ length: 5 }, () => put(site, 'parent')));
    await fork(site, 'parent', 'child');
    expect(await held(site, 'child', hashes)).toEqual(hashes.map(() => true));
  });

  it('[TP6] are none where the parent had none', async () => {
    const site = siteOf();
    await site.host.withRoom('parent', (parent) => parent.set('k', 1));
    await fork(site, 'parent', 'child');
    await site.host.room('child');
    const linked: BlobHash[] = [];
    for await (const hash of site.store.blobs.linked('child' as RoomId)) linked.push(hash);
    expect(linked).toEqual([]);
  });

  it('[TP6] come along once: what the child has lost since does not come back', async () => {
    const store = memoryStore();
    const site = siteOf(store);
    const hash = await put(site, 'parent');
    await fork(site, 'parent', 'child');
    expect(await held(site, 'child', [hash])).toEqual([true]);
    await store.blobs.unlink('child' as RoomId, hash);
    expect(await held(siteOf(store), 'child', [hash])).toEqual([false]);
  });

  it('[TP6] that promoted nodes name are the parent’s from then on, if the child had them', async () => {
    const site = siteOf();
    const [secret] = [await put(site, 'elsewhere'), await put(site, 'parent')];
    await fork(site, 'parent', 'child');
    const [promoted, after] = [await put(site, 'child'), 'files/after'];
    const child = await site.host.room('child');
    await child.setBlob('files/secret', secret);
    const wanted = { child_room_id: 'child', child_checkpoint_hash: child.stateHash, payload_ref: 'all' };
    const { proposal_id } = await site.ask('parent', 'ProposeTopologyPromotion', wanted);
    const late = await put(site, 'child');
    await child.setBlob(after, late);
    await site.ask('parent', 'ValidateTopologyPromotion', { proposal_id });
    expect(await held(site, 'parent', [promoted])).toEqual([false]);
    await site.ask('parent', 'ApplyTopologyPromotion', { proposal_id });
    expect(await held(site, 'parent', [promoted, secret, late])).toEqual([true, false, false]);
    expect(await site.ask('parent', 'BlobGet', { namespace: 'files', hash: promoted })).toMatchObject({ found: true });
  });
});
