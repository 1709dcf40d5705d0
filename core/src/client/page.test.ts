/** What a page loads when it happens, and what it does slice by slice: as much as a client that has all of it at once. */
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { nodesIn } from '../codec/packs/pack.js';
import { type Host, createHost } from '../engine.js';
import * as page from '../page.js';
import { createReplica, generateKeys } from '../peer.js';
import { FrailNetwork } from '../testing/frail-network.js';
import type { Room } from '../room/room.js';
import { Replica } from './replica/replica.js';
import { readSaved, writeSaved } from './replica/saved-replica.js';
import type { RoomClient } from './room-client.js';

const crypto = await page.peerKeys();
/** Most nodes of one slice. */
const SLICE = 1024;

let host: Host;
let network: FrailNetwork;
let room: Room;

beforeEach(async () => {
  host = createHost({ store: memoryStore(), onFault: () => undefined });
  network = new FrailNetwork(host);
  room = await host.room('room');
});

async function joined(): Promise<RoomClient> {
  const client = page.keepRoom({ open: network.open, keys: generateKeys(), network, crypto });
  await client.joined;
  return client;
}
const govern = (): Promise<unknown> =>
  host.submit({
    room_id: 'room',
    command: { SetPolicy: { default: 'allow', rules: [{ path_glob: 'mine', can_write: [] }] } },
  });

describe('a page whose nodes are refused', () => {
  it('[RE3] loads what gives them up, and takes the answers that come meanwhile behind it', async () => {
    const client = await joined();
    const held: unknown[] = [];
    client.replica.onRefused((edits) => held.push(...edits));
    expect(() => client.replica.giveUp([client.replica.room])).not.toThrow(); // nobody gives up the genesis
    client.replica.set('_topology/x', 1);
    for (let i = 0; i < 40; i++) {
      client.replica.set(`k${i}`, i);
      if (i % 3 === 0) await Promise.resolve();
    }
    await expect(client.push()).rejects.toMatchObject({ reason: 'push-refused' });
    await client.push();
    expect(held).toEqual([
      expect.objectContaining({
        reason: 'foreign-system-key',
        edits: expect.arrayContaining([{ kind: 'set', key: '_topology/x', value: 1 }]) as unknown,
      }),
    ]);
    expect([client.replica.get('_topology/x'), [...client.replica.entries('k')].length]).toEqual([undefined, 40]);
    expect(client.replica.frontier).toEqual(room.heads.frontier);
    expect(await client.replica.hashed()).toBe(room.stateHash);
  });

  it('[RE3] keeps them while that cannot be loaded, and gives them up on a later connection', async () => {
    const client = await joined();
    const { replica } = client;
    const load = replica.loadGivingUp.bind(replica);
    let asked = 0;
    replica.loadGivingUp = () => (++asked === 1 ? Promise.reject(new Error('no network')) : load());
    replica.set('_topology/x', 1);
    await expect.poll(() => client.lastError?.cause, { interval: 1 }).toMatchObject({ message: 'no network' });
    expect([replica.unsent, replica.get('_topology/x')]).toEqual([1, 1]);
    await expect.poll(() => replica.unsent, { timeout: 10_000 }).toBe(0);
    expect([replica.get('_topology/x'), asked]).toEqual([undefined, 2]);
  });

  it('says what to wait for where nobody has', async () => {
    const replica = await page.createReplica({ genesis: room.genesis.pack, keys: generateKeys(), crypto });
    replica.set('_topology/x', 1);
    const sent = await replica.seal();
    const { refused } = await room.admit(sent!, { from: 'peer' });
    expect(() => replica.confirm(sent, refused)).toThrow('await loadGivingUp() first');
  });
});

describe('a page in a room with a policy', () => {
  it('[PO2] [PO3] loads what looks at policies when it meets one, and judges as others do', async () => {
    const [writer, other] = [generateKeys(), generateKeys()];
    const author = await createReplica({ genesis: room.genesis.pack, keys: writer });
    author.set('mine', 'before');
    await room.admit((await author.seal())!, { from: 'peer' });
    author.confirm();
    const early = [...room.packs()];
    await govern();
    for (const pack of room.packs()) await author.receive(pack);
    author.set('mine', 'after');
    const forbidden = (await author.seal())!;
    const verdicts = async (replica: Replica): Promise<unknown[]> => {
      const told: unknown[] = [];
      // What comes before the policy, the policy, and what its author knew of.
      for (const pack of [...early, forbidden, ...room.packs(), forbidden]) told.push(await replica.receive(pack));
      return [...told, replica.get('mine')];
    };
    const late = await page.createReplica({ genesis: room.genesis.pack, keys: other, crypto });
    const whole = await createReplica({ genesis: room.genesis.pack, keys: other });
    const expected = await verdicts(whole);
    expect(await verdicts(late)).toEqual(expected);
    expect(JSON.stringify(expected)).toContain('policy-denied');
    expect(expected.at(-1)).toBe('before');
  });

  it('[PO2] judges by it when it comes back from its device', async () => {
    await govern();
    const keys = generateKeys();
    const before = await createReplica({ genesis: room.genesis.pack, keys });
    for (const pack of room.packs()) await before.receive(pack);
    const author = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    for (const pack of room.packs()) await author.receive(pack);
    author.set('mine', 'after');
    const late = await page.createReplica({ saved: before.save(), keys, crypto });
    const { refused } = await late.receive((await author.seal())!);
    expect(refused.map(({ reason }) => reason)).toEqual(['policy-denied']);
  });
});

/** A replica of so many nodes, as a page has it: with pauses, and known hashes. */
async function grown(
  nodes: number,
): Promise<{ readonly keys: ReturnType<typeof generateKeys>; readonly replica: Replica }> {
  const keys = generateKeys();
  const replica = await createReplica({ genesis: room.genesis.pack, keys, pause: () => Promise.resolve() });
  for (let i = 1; i < nodes; i++) replica.set(`k${i % 50}`, i);
  replica.text('t').insert(0, 'words');
  return { keys, replica };
}

describe('a page that is sent a large pack', () => {
  const paused = async (pause: () => Promise<void>): Promise<Replica> => {
    const { lateHash } = await import('../crdt/late-hash.js');
    const hash = lateHash(() => import('./late.js'));
    return Replica.open({ genesis: room.genesis.pack, keys: generateKeys(), crypto, hash, pause });
  };

  it('[RE1] takes it in slices of at most 1,024 nodes, as it would at once', async () => {
    const { replica: theirs } = await grown(3 * SLICE + 10);
    let pauses = 0;
    const replica = await paused(() => Promise.resolve(void pauses++));
    const { accepted } = await replica.receive((await theirs.seal())!);
    expect([accepted, pauses]).toEqual([3 * SLICE + 10, 5]);
    expect([replica.frontier, await replica.hashed()]).toEqual([theirs.frontier, theirs.stateHash]);
    expect((await replica.receive((await theirs.seal())!)).duplicates).toBe(3 * SLICE + 10);
  });

  it('[RE1] [AD7] may write in between, and is sent what stands on it', async () => {
    const { replica: theirs } = await grown(2 * SLICE);
    const large = (await theirs.seal())!;
    theirs.confirm();
    theirs.set('behind', 1);
    const small = (await theirs.seal())!;
    for (const at of [0, 1, 2]) {
      let turns = 0;
      let behind: ReturnType<Replica['receive']> | undefined;
      const replica = await paused(async () => {
        await Promise.resolve();
        if (turns++ !== at) return;
        replica.set('now', at);
        behind = replica.receive(small);
      });
      expect((await replica.receive(large)).accepted).toBe(2 * SLICE);
      expect(await behind).toMatchObject({ accepted: 1, refused: [] });
      expect([replica.get('now'), replica.get('behind'), replica.get('k1')]).toEqual([at, 1, theirs.get('k1')]);
    }
  });

  it('[PK3] refuses it where any byte is another, and goes on', async () => {
    const { replica: theirs } = await grown(2 * SLICE);
    const large = (await theirs.seal())!;
    const replica = await paused(() => Promise.resolve());
    for (const at of [3, large.length >> 1, large.length - 1]) {
      const bent = large.slice();
      bent[at]! ^= 1;
      await expect(replica.receive(bent)).rejects.toThrow();
    }
    expect((await replica.receive(large)).accepted).toBe(2 * SLICE);
  });
});

describe('a replica that comes back from its device', () => {
  const back = async (saved: Uint8Array, keys: ReturnType<typeof generateKeys>, others: object = {}) => {
    const said = { pauses: 0 };
    const { lateHash } = await import('../crdt/late-hash.js');
    const replica = await Replica.open({
      saved,
      keys,
      crypto,
      hash: lateHash(() => import('./late.js')),
      pause: () => {
        said.pauses++;
        return Promise.resolve();
      },
      ...others,
    });
    return { replica, said };
  };

  it('[RE2] reads its history in slices of at most 1,024 nodes', async () => {
    const { keys, replica: before } = await grown(4 * SLICE + 10);
    const saved = before.save();
    const { history } = readSaved(saved);
    expect(history.map(nodesIn)).toEqual([SLICE, SLICE, SLICE, SLICE, 11]);
    const { replica, said } = await back(saved, keys);
    expect(said.pauses).toBe(0);
    await Promise.all([replica.awake(), replica.awake()]);
    expect(said.pauses).toBe(history.length);
    expect([replica.frontier, await replica.hashed()]).toEqual([before.frontier, before.stateHash]);
  });

  it('[RE2] saves its history in larger packs where nobody waits for a breath, and reads either', async () => {
    const { keys, replica: inPage } = await grown(2 * SLICE);
    const elsewhere = await createReplica({ saved: inPage.save(), keys });
    elsewhere.set('more', 1);
    const saved = elsewhere.save();
    expect(readSaved(saved).history).toHaveLength(1);
    const { replica } = await back(saved, keys);
    replica.set('again', 1);
    expect(readSaved(replica.save()).history.map(nodesIn)).toEqual([SLICE, SLICE, 3]);
    expect(await replica.hashed()).toBe((await createReplica({ saved: replica.save(), keys })).stateHash);
  });

  it('[RE2] is the same one wherever in between something is read, written or received', async () => {
    const { keys, replica: before } = await grown(2 * SLICE + 10);
    const saved = before.save();
    const other = await createReplica({ saved, keys: generateKeys() });
    other.set('theirs', 1);
    const theirs = (await other.seal())!;
    for (const at of [0, 1, 2]) {
      let turns = 0;
      const { replica } = await back(saved, keys, {
        pause: async () => {
          await Promise.resolve();
          if (turns++ === at) replica.set('now', at);
        },
      });
      const received = replica.receive(theirs);
      expect([replica.get('k1'), replica.text('t').toString(), replica.unsent]).toEqual([
        before.get('k1'),
        'words',
        before.unsent,
      ]);
      expect((await received).accepted).toBe(1);
      expect([replica.get('now'), replica.get('theirs'), replica.unsent]).toEqual([at, 1, before.unsent + 1]);
      const twin = await createReplica({ saved: replica.save(), keys });
      expect(twin.stateHash).toBe(await replica.hashed());
    }
  });

  it('[RE2] refuses a damaged history whenever it is asked for', async () => {
    const { keys, replica: before } = await grown(SLICE + 10);
    const { replica: foreign } = await grown(SLICE + 10);
    const wrong = readSaved(foreign.save());
    const own = readSaved(before.save());
    const mixed = writeSaved({ state: own.state, history: wrong.history }, { hasMarks: false, hasAnyRemains: false });
    const { replica: damaged } = await back(mixed, keys);
    await expect(damaged.awake()).rejects.toThrow('not the one of the saved values');
    expect(() => damaged.set('k', 1)).toThrow('not the one of the saved values');
    expect(damaged.get('k1')).toBe(before.get('k1'));
  });

  it('[RE2] [RE5] writes what has not changed once: the next save has the same packs of full slices', async () => {
    const { keys, replica } = await grown(2 * SLICE + 10);
    const first = readSaved(replica.save()).history;
    replica.set('more', 1);
    expect(replica.takeRow()).toBeInstanceOf(Uint8Array);
    const second = readSaved(await replica.saveSqueezed()).history;
    expect(second.slice(0, 2)).toEqual(first.slice(0, 2));
    expect(nodesIn(second[2]!)).toBe(nodesIn(first[2]!) + 1);
    const { replica: again } = await back(replica.save(), keys);
    await again.awake();
    expect(readSaved(again.save()).history).toEqual(second);
  });

  it('[RE5] packs it ahead of a save, slice by slice, and saves what is there then', async () => {
    const keys = generateKeys();
    let pauses = 0;
    const replica = await createReplica({
      genesis: room.genesis.pack,
      keys,
      pause: () => Promise.resolve(replica.set('in between', ++pauses)),
    });
    for (let i = 1; i < 3 * SLICE; i++) replica.set(`k${i % 50}`, i);
    await replica.packAhead();
    expect(pauses).toBe(3);
    await replica.packAhead();
    expect(pauses).toBe(3);
    const saved = await replica.saveSqueezed();
    expect(readSaved(saved).history.map(nodesIn)).toEqual([SLICE, SLICE, SLICE, 3]);
    const again = await createReplica({ saved, keys });
    expect([again.get('in between'), again.stateHash]).toEqual([3, replica.stateHash]);
  });

  it('[RE3] [RE5] writes all of it anew when nodes were given up', async () => {
    const { keys, replica } = await grown(SLICE + 10);
    await room.admit((await replica.seal())!, { from: 'peer' });
    replica.confirm();
    replica.set('_topology/x', 1);
    for (let i = 0; i < SLICE; i++) replica.set('k', i);
    const saving = replica.saveSqueezed();
    const sent = await replica.seal();
    replica.confirm(sent, (await room.admit(sent!, { from: 'peer' })).refused);
    const then = await createReplica({ saved: await saving, keys });
    expect(then.get('_topology/x')).toBe(1); // as it was when it was saved
    expect(replica.takeRow()).toBe('whole');
    const now = await createReplica({ saved: replica.save(), keys });
    expect([now.get('_topology/x'), now.stateHash]).toEqual([undefined, replica.stateHash]);
  });

  it('[RE5] has no rows of more than two slices', async () => {
    const { replica } = await grown(10);
    replica.save();
    for (let i = 0; i <= 2 * SLICE; i++) replica.set('k', i);
    expect(replica.takeRow()).toBe('whole');
  });
});

it('a client that goes on with what was kept brings its nodes back with the hello, and not before there is a server', async () => {
  const keys = generateKeys();
  const written = await createReplica({ genesis: room.genesis.pack, keys, pause: () => Promise.resolve() });
  for (let i = 0; i < 3 * SLICE; i++) written.set(`k${i % 7}`, i);
  await written.seal();
  let pauses = 0;
  const pause = (): Promise<void> => Promise.resolve(void pauses++);
  const replica = await page.createReplica({ saved: written.save(), keys, crypto, pause });
  network.isOnline = false;
  const client = page.keepRoom({ open: network.open, keys, network, crypto, replica });
  expect([replica.get('k0'), pauses]).toEqual([3 * SLICE - 6, 0]);
  await replica.awake();
  expect(pauses).toBeGreaterThan(1); // it was still asleep
  client.close();
});
