import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { Replica } from '../../client/replica/replica.js';
import { DecodeError, fromHex } from '../../codec/bytes/bytes.js';
import { allOf } from '../../codec/nodes/places.js';
import { type Seal, openPack, writeMessage, writePack } from '../../codec/packs/pack.js';
import { encodePack } from '../../codec/packs/plain-pack.js';
import { StateHash } from '../../crdt/state-hash.js';
import type { NodeId, PublicKey } from '../../graph/node.js';
import { type RoomId, parseRoomId } from '../../codec/bytes/room-id.js';
import { sealMessage } from '../../graph/seal.js';
import { type Draft, identify, tableOf } from '../../graph/testing/nodes.js';
import { generateKeys } from '../../peer.js';
import { systemClock } from '../../ports/clock.js';
import type { Crypto } from '../../ports/crypto.js';
import { silent } from '../../ports/telemetry.js';
import type { Verdict } from '../admission/judgement.js';
import { Room } from '../room.js';

/** Counts what is verified. */
function countingCrypto(): Crypto & { verified: number } {
  const counting = {
    ...defaultCrypto,
    verified: 0,
    verify: (...claim: Parameters<Crypto['verify']>) => {
      counting.verified++;
      return defaultCrypto.verify(...claim);
    },
  };
  return counting;
}

async function openRoom(store = memoryStore()) {
  const crypto = countingCrypto();
  const signer = defaultCrypto.signer(await store.authoritySeed());
  const onFault = (error: unknown): void => {
    throw error;
  };
  const parts = {
    log: store.log,
    images: store.images,
    crypto,
    signer,
    telemetry: silent,
    clock: systemClock,
    onFault,
  };
  const id = parseRoomId('room') ?? ('' as RoomId);
  return { crypto, room: await Room.open({ ...parts, id }), again: () => Room.open({ ...parts, id }) };
}

async function join(room: Room) {
  const crypto = countingCrypto();
  const replica = await Replica.open({ genesis: room.genesis.pack, keys: generateKeys(), crypto, hash: StateHash });
  crypto.verified = 0;
  return { crypto, replica };
}

/** A message for each word, sealed where `isSealed` says so. */
async function type(replica: Replica, words: readonly string[], isSealed = (_: number): boolean => true) {
  const messages: Uint8Array[] = [];
  for (const [index, word] of words.entries()) {
    replica.text('t').insert(0, word);
    const message = isSealed(index) ? await replica.sealedMessage() : replica.message();
    messages.push(message ?? new Uint8Array(0));
  }
  return messages;
}

const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i} `);
/** A signature is the last thing of a message. */
const forged = (message: Uint8Array): Uint8Array => {
  const changed = message.slice();
  changed[changed.length - 20]! ^= 1;
  return changed;
};
const told = (verdicts: readonly Verdict[]) =>
  verdicts.map(({ accepted, duplicates, refused }) => [accepted, duplicates, ...refused.map(({ reason }) => reason)]);
const atOnce = async (replica: Replica, messages: readonly Uint8Array[]) =>
  told(await Promise.all(messages.map((message) => replica.receive(message))));
const oneByOne = async (replica: Replica, messages: readonly Uint8Array[]) => {
  const verdicts: Verdict[] = [];
  for (const message of messages) verdicts.push(await replica.receive(message));
  return told(verdicts);
};
const last = <T>(list: readonly T[]): T => list[list.length - 1]!;

describe('what comes together', () => {
  it('[SL4] is judged by the newest seal of the chain, and everybody hears of their own nodes', async () => {
    const { room } = await openRoom();
    const writer = await join(room);
    const messages = await type(writer.replica, words(20));
    const reader = await join(room);
    expect(await atOnce(reader.replica, messages)).toEqual(messages.map(() => [1, 0]));
    expect(reader.crypto.verified).toBe(1);
    expect(reader.replica.stateHash).toBe(writer.replica.stateHash);
  });

  it('[SL4] has the newest seal of each of several interleaved chains checked', async () => {
    const { room } = await openRoom();
    const writers = [await join(room), await join(room), await join(room)];
    const streams = await Promise.all(writers.map(({ replica }) => type(replica, words(9), (i) => i % 3 === 2)));
    const messages = words(9).flatMap((_, i) => streams.map((stream) => stream[i]!));
    const reader = await join(room);
    const verdicts = await atOnce(reader.replica, messages);
    expect(verdicts.slice(0, 9)).toEqual([...Array(6).fill([0, 0, 'unsealed']), ...Array(3).fill([1, 0])]);
    expect([reader.crypto.verified, reader.replica.frontier.length]).toEqual([3, 3]);
  });

  it('[SL4] loses nothing valid to an invalid newest seal: the earlier ones are checked after all', async () => {
    const { room } = await openRoom();
    const messages = await type((await join(room)).replica, words(10));
    const reader = await join(room);
    const verdicts = await atOnce(reader.replica, [...messages.slice(0, -1), forged(last(messages))]);
    expect(verdicts).toEqual([...Array(9).fill([1, 0]), [0, 0, 'bad-signature']]);
    expect(reader.crypto.verified).toBe(10);
    expect((await reader.replica.receive(last(messages))).accepted).toBe(1);
  });

  it('[SL4] costs one verification for each seal at most, however many are forged', async () => {
    const { room } = await openRoom();
    const messages = await type((await join(room)).replica, words(50));
    const reader = await join(room);
    const verdicts = await atOnce(reader.replica, messages.map(forged));
    expect(verdicts[0]).toEqual([0, 0, 'bad-signature']);
    expect([reader.crypto.verified, reader.replica.frontier]).toEqual([50, [room.genesis.id]]);
  });

  it('[SL4] needs no valid seal where a newer one vouches, and passes on none that was not checked', async () => {
    const { room, crypto, again } = await openRoom();
    const messages = await type((await join(room)).replica, words(10));
    const packs: Uint8Array[] = [];
    room.onCommit(({ parts }) => packs.push(...parts.map(({ pack }) => pack)));
    crypto.verified = 0;
    const mixed = messages.map((message, i) => (i === 4 ? forged(message) : message));
    const verdicts = await Promise.all(mixed.map((message) => room.admit(message, { from: 'p', session: 's' })));
    expect([told(verdicts), crypto.verified]).toEqual([messages.map(() => [1, 0]), 1]);
    const reader = await join(room);
    for (const pack of packs) expect((await reader.replica.receive(pack)).refused).toEqual([]);
    expect([reader.replica.stateHash, (await again()).stateHash]).toEqual([room.stateHash, room.stateHash]);
  });

  it('[SL3] is not spoilt by a forged node on somebody’s chain', async () => {
    const { room } = await openRoom();
    const writer = await join(room);
    const messages = await type(writer.replica, words(3));
    const { table } = openPack(last(messages));
    const author = table.identities.list[0]!.authorName as PublicKey;
    const draft: Draft = {
      room: room.genesis.id,
      author,
      prev: writer.replica.frontier[0]!,
      parents: [],
      ops: [{ kind: 'delete', key: 'k' }],
    };
    const signer = defaultCrypto.signer(fromHex(generateKeys().seed));
    const theft = tableOf([identify(draft)]);
    const seal: Seal = { index: 0, signature: await signer.sign(sealMessage(theft, 0)) };
    const reader = await join(room);
    const verdicts = await atOnce(reader.replica, [...messages, writeMessage(theft, [0], [seal])]);
    expect(verdicts).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
      [0, 0, 'bad-signature'],
    ]);
    expect(reader.replica.frontier).toEqual(writer.replica.frontier);
  });

  it('[AD1] names a node that came twice once as new', async () => {
    const { room } = await openRoom();
    const messages = await type((await join(room)).replica, words(2));
    const reader = await join(room);
    const [first = new Uint8Array(0), second = new Uint8Array(0)] = messages;
    expect(await atOnce(reader.replica, [first, first, second, second])).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
    ]);
    expect(await atOnce(reader.replica, messages)).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it.each([10, 700])('[AD7] may be packs of %i nodes among messages', async (size) => {
    const { room } = await openRoom();
    const writer = await join(room);
    const before = await type(writer.replica, words(3), (i) => i === 2);
    writer.replica.confirm();
    const packed = await join(room);
    await oneByOne(packed.replica, before);
    for (const word of words(size)) packed.replica.text('t').insert(0, word);
    const pack = (await packed.replica.seal())!;
    await writer.replica.receive(pack);
    const after = await type(writer.replica, words(3), (i) => i === 2);
    const reader = await join(room);
    const messages = [...before, pack, ...after];
    const expected = [
      [0, 0, 'unsealed'],
      [0, 0, 'unsealed'],
      [1, 0],
    ];
    expect(await atOnce(reader.replica, messages)).toEqual([...expected, [size, 0], ...expected]);
    expect(reader.replica.stateHash).toBe(writer.replica.stateHash);
  });

  it('[AD7] is taken in one go where a child came before its parent', async () => {
    const { room } = await openRoom();
    const messages = await type((await join(room)).replica, words(4));
    const reader = await join(room);
    expect(await atOnce(reader.replica, [...messages].reverse())).toEqual(messages.map(() => [1, 0]));
    expect(await oneByOne((await join(room)).replica, [...messages].reverse())).toEqual([
      ...Array(3).fill([0, 0, 'missing-parent']),
      [1, 0],
    ]);
  });

  it('[PK3] of which one is no message is taken without that one', async () => {
    const { room } = await openRoom();
    const messages = await type((await join(room)).replica, words(3));
    const { replica } = await join(room);
    const all = [messages[0]!, messages[1]!.subarray(0, 9), messages[1]!, Uint8Array.of(1, 2), messages[2]!];
    const settled = await Promise.allSettled(all.map((message) => replica.receive(message)));
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    for (const one of settled) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(DecodeError);
    expect(replica.text('t').toString()).toBe('2 1 0 ');
  });

  it('[SL4] has runs no longer than a server takes, and is answered in its order beyond what is read at a time', async () => {
    const { room, crypto, again } = await openRoom();
    const messages = await type((await join(room)).replica, words(3000), (i) => i % 100 === 99);
    crypto.verified = 0;
    const order: number[] = [];
    await Promise.all(
      messages.map(async (message, i) => {
        const { accepted } = await room.admit(message, { from: 'p', session: 's' });
        if (accepted > 0) order.push(i);
      }),
    );
    expect(order).toEqual(Array.from({ length: 30 }, (_, i) => i * 100 + 99));
    expect([crypto.verified >= 3, crypto.verified < 12]).toEqual([true, true]);
    expect([room.seq, (await again()).stateHash]).toEqual([3001, room.stateHash]);
  });

  it('[ST3] is not logged as it came when a part of it is not sealed', async () => {
    const { room, again } = await openRoom();
    await room.set('begun', true); // its genesis is another record
    const signers = [1, 2, 3].map((fill) => defaultCrypto.signer(new Uint8Array(32).fill(fill)));
    const table = tableOf(
      signers.map(({ publicKey }) =>
        identify({
          room: room.genesis.id,
          author: publicKey as PublicKey,
          parents: [] as NodeId[],
          ops: [{ kind: 'delete', key: 'k' }],
        }),
      ),
    );
    const seals = await Promise.all(
      [0, 1].map(async (index) => ({ index, signature: await signers[index]!.sign(sealMessage(table, index)) })),
    );
    const message = writeMessage(table, [0, 1, 2], seals);
    expect(told([await room.admit(message, { from: 'p', session: 's' })])).toEqual([[2, 0, 'unsealed']]);
    expect([room.seq, (await again()).seq]).toEqual([4, 4]);
    const pack = writePack(table, allOf(3), seals);
    expect(told([await room.admit(pack, { from: 'p', session: 's' })])).toEqual([[0, 2, 'unsealed']]);
    expect(told([await room.admit(encodePack({ nodes: [], seals: [] }), { from: 'p' })])).toEqual([[0, 0]]);
  });

  it('[MP2] ends as it does one by one, whoever’s edits are interleaved and wherever it stops in between', async () => {
    const { room } = await openRoom();
    const writers = [await join(room), await join(room), await join(room)];
    const first = await type(writers[0]!.replica, words(5), (i) => i === 4);
    for (const { replica } of writers.slice(1)) await oneByOne(replica, first);
    const streams = await Promise.all(writers.map(({ replica }) => type(replica, words(15), (i) => i % 4 === 2)));
    const picks = fc.array(fc.nat(2), { minLength: 45, maxLength: 45 });
    await fc.assert(
      fc.asyncProperty(
        picks,
        fc.infiniteStream(fc.integer({ min: 1, max: 20 })),
        fc.nat(44),
        async (order, sizes, bad) => {
          const left = streams.map((stream) => [...stream]);
          const later = [0, 1, 2].flatMap((writer) => Array<number>(15).fill(writer));
          const mixed = [...order, ...later].flatMap((pick) => left[pick]!.splice(0, 1));
          const messages = [...first, ...mixed.map((message, i) => (i === bad ? message.subarray(0, 50) : message))];
          const [slow, quick] = [await join(room), await join(room)];
          for (const message of messages) await slow.replica.receive(message).catch(() => undefined);
          for (let at = 0; at < messages.length;) {
            const some = messages.slice(at, (at += sizes.next().value ?? 1));
            await Promise.allSettled(some.map((message) => quick.replica.receive(message)));
          }
          // What the lost message held comes last, so that all that waits is taken.
          for (const { replica } of [slow, quick]) await oneByOne(replica, messages.includes(mixed[bad]!) ? [] : mixed);
          expect(quick.replica.stateHash).toBe(slow.replica.stateHash);
          expect(quick.crypto.verified).toBeLessThanOrEqual(slow.crypto.verified);
        },
      ),
      { numRuns: 10 },
    );
  });
});
