/**
 * What the blobs of every store must do. Run it on a new adapter, like `storeBattery`:
 *
 *   for (const { name, run } of blobBattery) it(name, () => run(openYourStore));
 *
 * A store must take 65 MiB of blobs for it.
 */
import { type BlobHash, parseBlobHash } from '../../codec/bytes/blob-hash.js';
import { concatBytes, equalBytes, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { sha256Stream } from '../../codec/bytes/hash-stream.js';
import { type RoomId, parseRoomId } from '../../codec/bytes/room-id.js';
import type { BlobSpace, BlobStore, ByteRange } from '../../ports/blob-store.js';
import { type BatteryCase, type OpenStore, all, same, using } from './battery.js';

const A = parseRoomId('a') as RoomId;
const B = parseRoomId('a-b') as RoomId;
const C = parseRoomId('c') as RoomId;
const HOUR = 3_600_000;
const MIB = 1024 * 1024;
/** No chunk that a store hands out may be larger. */
const MOST_CHUNK = MIB;

export const blobBattery: readonly BatteryCase[] = [
  passing('[BL1] a blob that was never put is nowhere', async (blobs) => {
    const hash = hashOf(toUtf8('nothing'));
    same(await blobs.get(hash), undefined);
    same(await blobs.size(hash), undefined);
    same(await blobs.delete(hash), false);
    same((await all(blobs.all())).length, 0);
    same((await all(blobs.linked(A))).length, 0);
    same((await all(blobs.unlinked(0))).length, 0);
  }),
  passing('[BL1] the empty blob and one of one byte are blobs', async (blobs) => {
    for (const bytes of [new Uint8Array(0), Uint8Array.of(7)]) {
      same((await blobs.put(hashOf(bytes), chunks(bytes), bytes.length)).size, bytes.length);
      await expectBlob(blobs, bytes);
    }
  }),
  passing('[BL1] bytes come back as they went in, however they are cut', async (blobs) => {
    const random = lehmer(41);
    for (let round = 0; round < 25; round++) {
      const bytes = noise(random, Math.floor(random() * (round % 5 === 0 ? 600_000 : 3000)));
      same((await blobs.put(hashOf(bytes), cutAtRandom(bytes, random), bytes.length)).size, bytes.length);
      await expectBlob(blobs, bytes);
    }
  }),
  passing('[BL1] chunks may be changed once the next one is asked for', async (blobs) => {
    const bytes = noise(lehmer(42), 300_000);
    await blobs.put(hashOf(bytes), reused(bytes), bytes.length);
    await expectBlob(blobs, bytes);
  }),
  passing('[BL1] what is handed out may be changed by whoever got it', async (blobs) => {
    const bytes = toUtf8('precious');
    const hash = await put(blobs, bytes);
    for await (const chunk of (await blobs.get(hash))?.bytes ?? []) chunk.fill(0);
    await expectBlob(blobs, bytes);
  }),
  passing('[BL1] other bytes than the hash says are refused, and nothing of them stays', async (blobs) => {
    const hash = hashOf(toUtf8('these'));
    same(await faultOf(blobs.put(hash, chunks(toUtf8('those')), 100)), 'BlobError hash-mismatch');
    same(await faultOf(blobs.put(hash, chunks(toUtf8('thes')), 100)), 'BlobError hash-mismatch');
    same(await faultOf(blobs.put(hash, chunks(new Uint8Array(0)), 100)), 'BlobError hash-mismatch');
    await expectNothing(blobs, hash);
  }),
  passing('[BL1] wrong bytes are refused also where the blob is there, which stays', async (blobs) => {
    const bytes = toUtf8('first');
    const hash = await put(blobs, bytes);
    same(await faultOf(blobs.put(hash, chunks(toUtf8('other')), 100)), 'BlobError hash-mismatch');
    same(await faultOf(blobs.put(hash, chunks(bytes), 4)), 'BlobError too-large');
    await expectBlob(blobs, bytes);
  }),
  passing('[BL1] more bytes than the limit are refused as soon as they come, and no more are read', async (blobs) => {
    const bytes = noise(lehmer(43), 100);
    let read = 0;
    let ended = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield bytes.slice(0, (read += 10) && 10);
      } finally {
        ended = true;
      }
    }
    same(await faultOf(blobs.put(hashOf(bytes), endless(), 25)), 'BlobError too-large');
    same(read, 30);
    same(ended, true);
    await expectNothing(blobs, hashOf(bytes));
    same(await faultOf(blobs.put(hashOf(bytes), chunks(bytes), 100)), 'none');
  }),
  passing('[BL1] a source that breaks off rejects with its own error, and nothing stays', async (blobs) => {
    const bytes = noise(lehmer(44), 200_000);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 150_000);
      throw new Error('the line went dead');
    }
    same(await faultOf(blobs.put(hashOf(bytes), broken(), bytes.length)), 'Error the line went dead');
    await expectNothing(blobs, hashOf(bytes));
  }),
  passing('[BL1] putting a blob again changes nothing; putting it at once from many sides neither', async (blobs) => {
    const random = lehmer(45);
    const bytes = noise(random, 400_000);
    const hash = hashOf(bytes);
    const puts = Array.from({ length: 8 }, (_, i) =>
      faultOf(blobs.put(hash, cutAtRandom(i === 3 ? bytes.subarray(1) : bytes, random), bytes.length)),
    );
    same((await Promise.all(puts)).join(), 'none,none,none,BlobError hash-mismatch,none,none,none,none');
    await put(blobs, bytes);
    await expectBlob(blobs, bytes);
    same((await all(blobs.all())).join(), hash);
  }),
  passing('[BL2] a range is cut like a slice, at every edge', async (blobs) => {
    const bytes = noise(lehmer(46), 200_000);
    const hash = await put(blobs, bytes);
    const edges = [0, 1, 65_535, 65_536, 65_537, 131_072, 199_999, 200_000, 200_001, 1e9];
    for (const from of edges) {
      for (const to of [undefined, ...edges]) {
        const range: ByteRange = to === undefined ? { from } : { from, to };
        const content = await blobs.get(hash, range);
        same(content?.size, bytes.length);
        const found = content && concatBytes(await all(content.bytes));
        if (!found || !equalBytes(found, bytes.slice(from, to))) throw new Error(`range ${from} to ${to} differs`);
      }
    }
  }),
  passing('[BL2] a reader may stop early, or never begin', async (blobs) => {
    const bytes = noise(lehmer(47), 500_000);
    const hash = await put(blobs, bytes);
    for (let round = 0; round < 50; round++) {
      await blobs.get(hash);
      for await (const chunk of (await blobs.get(hash))?.bytes ?? []) {
        same(chunk[0], bytes[0]);
        break;
      }
    }
    await expectBlob(blobs, bytes);
    same(await blobs.delete(hash), true);
    await expectNothing(blobs, hash);
  }),
  passing('[BL2] 64 MiB go through in small chunks, each asked for when the last is taken', async (blobs) => {
    const block = noise(lehmer(48), MIB / 2);
    const digest = sha256Stream();
    for (let i = 0; i < 128; i++) digest.update(block);
    const hash = parseBlobHash(toHex(digest.digest())) as BlobHash;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 128; i++) yield block;
    }
    same((await blobs.put(hash, source(), 64 * MIB)).size, 64 * MIB);
    const again = sha256Stream();
    for await (const chunk of (await blobs.get(hash))?.bytes ?? []) {
      if (chunk.length > MOST_CHUNK) throw new Error(`a chunk has ${chunk.length} bytes`);
      again.update(chunk);
    }
    same(toHex(again.digest()), hash);
  }),
  passing('[BL1] all blobs are listed in order, without those that were deleted', async (blobs) => {
    const hashes: BlobHash[] = [];
    for (let i = 0; i < 40; i++) hashes.push(await put(blobs, toUtf8(`blob ${i}`)));
    const gone = hashes.splice(7, 5);
    for (const hash of gone) same(await blobs.delete(hash), true);
    same((await all(blobs.all())).join(), [...hashes].sort().join());
    for (const hash of gone) await expectNothing(blobs, hash);
  }),

  passing('[BL3] a room has what was staged and linked there, and no other room has', async (blobs) => {
    const hash = await put(blobs, toUtf8('shared'));
    same(await states(blobs, hash), 'a: none, a-b: none');
    same(await blobs.stage(A, hash), true);
    same(await states(blobs, hash), 'a: staged, a-b: none');
    same((await all(blobs.linked(A))).length, 0);
    same(await blobs.link(A, hash), true);
    same(await states(blobs, hash), 'a: linked, a-b: none');
    same(await blobs.stage(A, hash), true);
    same(await blobs.link(B, hash), true);
    same(await states(blobs, hash), 'a: linked, a-b: linked');
    same(await blobs.unlink(A, hash), true);
    same(await blobs.unlink(A, hash), false);
    same(await states(blobs, hash), 'a: none, a-b: linked');
    await expectBlob(blobs, toUtf8('shared'));
  }),
  passing('[BL14] a room that is released has nothing any more, and what nobody else has is deleted', async (blobs) => {
    const [own, staged, shared, theirs] = await Promise.all(
      ['own', 'staged', 'shared', 'theirs'].map((text) => put(blobs, toUtf8(text))),
    );
    await blobs.link(A, own!);
    await blobs.stage(A, staged!, 'text/plain');
    for (const room of [A, B]) await blobs.link(room, shared!);
    await blobs.link(A, theirs!);
    await blobs.stage(B, theirs!); // on its way into another room
    const released = await blobs.release(A, 0);
    same([released.blobs, released.bytes].join(), '2,9');
    same((await all(blobs.linked(A))).length, 0);
    for (const gone of [own!, staged!]) await expectNothing(blobs, gone);
    same(
      [await states(blobs, shared!), await states(blobs, theirs!)].join('; '),
      'a: none, a-b: linked; a: none, a-b: staged',
    );
    await expectBlob(blobs, toUtf8('shared'));
    same((await all(blobs.rooms())).join(), 'a-b');
    const again = await blobs.release(A, 0);
    same([again.blobs, again.bytes].join(), '0,0');
  }),
  passing('[BL14] what was put a short while ago stays for its collection when its room is released', async (blobs) => {
    const hash = await put(blobs, toUtf8('fresh'));
    await blobs.link(A, hash);
    const released = await blobs.release(A, HOUR);
    same(released.blobs, 0);
    same(await states(blobs, hash), 'a: none, a-b: none');
    await expectBlob(blobs, toUtf8('fresh'));
    same(await blobs.collect(hash, 0), true);
  }),
  passing('[BL13] a blob is of the type that it was last staged with in a room', async (blobs) => {
    const hash = await put(blobs, toUtf8('typed'));
    same(await blobs.contentType(A, hash), undefined);
    await blobs.stage(A, hash);
    same(await blobs.contentType(A, hash), undefined);
    await blobs.stage(A, hash, 'text/plain; charset=utf-8');
    await blobs.link(A, hash);
    await blobs.stage(A, hash);
    same(await blobs.contentType(A, hash), 'text/plain; charset=utf-8');
    same(await states(blobs, hash), 'a: linked, a-b: none');
    await blobs.stage(A, hash, 'image/png');
    same(await blobs.contentType(A, hash), 'image/png');
    same(await blobs.contentType(B, hash), undefined);
    await blobs.unlink(A, hash);
    same(await blobs.contentType(A, hash), undefined);
  }),
  passing('[BL3] a blob that is not there is neither staged nor linked', async (blobs) => {
    const hash = hashOf(toUtf8('absent'));
    same(await blobs.stage(A, hash), false);
    same(await blobs.link(A, hash), false);
    same(await blobs.unlink(A, hash), false);
    same(await states(blobs, hash), 'a: none, a-b: none');
    await put(blobs, toUtf8('absent'));
    same(await states(blobs, hash), 'a: none, a-b: none');
  }),
  passing('[BL3] what a room has is listed in order, of this room alone', async (blobs) => {
    const hashes: BlobHash[] = [];
    for (let i = 0; i < 30; i++) hashes.push(await put(blobs, toUtf8(`file ${i}`)));
    for (const [i, hash] of hashes.entries()) await blobs.link(i % 3 === 0 ? B : A, hash);
    same((await all(blobs.linked(A))).join(), sorted(hashes.filter((_, i) => i % 3 !== 0)));
    same((await all(blobs.linked(B))).join(), sorted(hashes.filter((_, i) => i % 3 === 0)));
    same((await all(blobs.rooms())).join(), [A, B].join());
  }),
  passing('[BL3] deleting a blob takes it out of every room, also if it is put again', async (blobs) => {
    const hash = await put(blobs, toUtf8('to be forgotten'));
    await blobs.link(A, hash);
    await blobs.stage(B, hash);
    await blobs.delete(hash);
    await put(blobs, toUtf8('to be forgotten'));
    same(await states(blobs, hash), 'a: none, a-b: none');
  }),

  passing('[BL4] what no room is linked to is listed and collected once it is idle', async (blobs) => {
    const [kept, staged, loose] = [toUtf8('kept'), toUtf8('staged'), toUtf8('loose')];
    await blobs.link(A, await put(blobs, kept));
    await blobs.stage(A, await put(blobs, staged));
    await put(blobs, loose);
    same((await all(blobs.unlinked(HOUR))).length, 0);
    same((await all(blobs.unlinked(0))).join(), sorted([hashOf(staged), hashOf(loose)]));
    for (const bytes of [kept, staged, loose]) same(await blobs.collect(hashOf(bytes), HOUR), false);
    for (const bytes of [kept, staged, loose]) same(await blobs.collect(hashOf(bytes), 0), bytes !== kept);
    same(await blobs.collect(hashOf(loose), 0), false);
    same((await all(blobs.all())).join(), hashOf(kept));
    await put(blobs, staged);
    same(await blobs.isStaged(A, hashOf(staged)), false);
  }),
  passing('[BL4] a link that is made between mark and sweep wins', async (blobs) => {
    const hash = await put(blobs, toUtf8('late'));
    same((await all(blobs.unlinked(0))).join(), hash);
    await blobs.link(B, hash);
    same(await blobs.collect(hash, 0), false);
    await expectBlob(blobs, toUtf8('late'));
  }),
  passing('[BL4] of a link and a collection that race, either the blob stays or the link is refused', async (blobs) => {
    for (let round = 0; round < 60; round++) {
      const bytes = toUtf8(`contested ${round}`);
      const hash = await put(blobs, bytes);
      const race = [() => blobs.link(A, hash), () => blobs.collect(hash, 0)];
      if (round % 2 === 1) race.reverse();
      await Promise.all(race.map((start) => start()));
      const linked = await blobs.isLinked(A, hash);
      if (linked !== ((await blobs.size(hash)) !== undefined))
        throw new Error('a link without its blob, or the reverse');
    }
  }),
  passing('[BL4] a room lets go of what it was linked to lately only when told to at once', async (blobs) => {
    const hash = await put(blobs, toUtf8('new'));
    await blobs.link(A, hash);
    same(await blobs.unlink(A, hash, HOUR), false);
    same(await blobs.isLinked(A, hash), true);
    same(await blobs.unlink(A, hash, 0), true);
    same((await all(blobs.unlinked(HOUR))).length, 0);
    same((await all(blobs.unlinked(0))).join(), hash);
  }),
  passing('[BL16] space is judged by room, by who brings bytes and by the store, and comes back', async (blobs) => {
    const bytes = noise(lehmer(50), 100);
    const hash = hashOf(bytes);
    const bounds = { room: 150, key: 250, server: 1000 };
    const ask = (room: RoomId, by: string | undefined, size: number, own = hashOf(toUtf8(`${room} ${size}`))) =>
      lackOf(blobs.reserve({ room, hash: own, size, by }, bounds));
    await put(blobs, bytes);
    await blobs.stage(A, hash, undefined, 'ann');
    same(await ask(A, 'bob', 51), 'room');
    same(await ask(A, 'bob', 50), 'none');
    same(await ask(B, 'ann', 151), 'room');
    await blobs.link(B, hash, 'ann');
    same(await ask(C, 'ann', 51), 'key');
    same(await ask(C, 'ann', 50), 'none');
    same(await ask(C, 'bob', 150), 'none');
    same(await ask(C, undefined, 150), 'none');
    // What the room has is not brought again, and who brought it first did.
    same(await ask(A, 'bob', 100, hash), 'none');
    await blobs.link(A, hash, 'bob');
    same(await ask(C, 'bob', 150), 'none');
    same(await ask(C, 'ann', 51), 'key');
    // In two rooms, and once in the store.
    same(await blobs.stored(), 100);
    same(
      await lackOf(blobs.reserve({ room: C, hash: hashOf(toUtf8('c')), size: 101 }, { ...bounds, server: 200 })),
      'server',
    );
    same(await blobs.unlink(B, hash), true);
    same(await ask(C, 'ann', 51), 'none');
    await blobs.release(A, HOUR);
    same(await ask(A, 'ann', 150), 'none');
    same(await blobs.collect(hash, 0), true);
    same(await blobs.stored(), 0);
  }),
  passing('[BL16] what is on its way takes space until it is left, and is counted once it is there', async (blobs) => {
    const bytes = noise(lehmer(51), 100);
    const bounds = { room: 150, key: 150, server: 150 };
    const claim = { room: A, hash: hashOf(bytes), size: 100, by: 'ann' };
    const other = { room: A, hash: hashOf(toUtf8('other')), size: 51, by: 'ann' };
    const spaces = await Promise.all([blobs.reserve(claim, bounds), blobs.reserve(other, bounds)]);
    same(spaces.map((space) => ('lacks' in space ? space.lacks : 'none')).join(), 'none,room');
    same(await lackOf(blobs.reserve({ ...other, room: B }, bounds)), 'key');
    same(await lackOf(blobs.reserve({ ...other, room: B, by: 'bob' }, bounds)), 'server');
    for (const space of spaces) for (let twice = 0; twice < 2; twice++) if ('leave' in space) space.leave();
    same(await lackOf(blobs.reserve(other, bounds)), 'none');
    await blobs.stage(A, await put(blobs, bytes), undefined, 'ann');
    same(await lackOf(blobs.reserve(other, bounds)), 'room');
    await blobs.delete(hashOf(bytes));
    same(await lackOf(blobs.reserve(other, bounds)), 'none');
  }),
  {
    name: '[BL16] what a room and who brought it have is known when the store opens again',
    durable: true,
    async run(open) {
      const bytes = noise(lehmer(52), 1000);
      const bounds = { room: 1500, key: 1500, server: 1500 };
      const other = { hash: hashOf(toUtf8('other')), size: 501 };
      await using(open, async ({ blobs }) => void (await blobs.link(A, await put(blobs, bytes), 'ann')));
      await using(open, async ({ blobs }) => {
        same(await lackOf(blobs.reserve({ room: A, ...other }, { ...bounds, server: 9999 })), 'room');
        same(await lackOf(blobs.reserve({ room: B, by: 'ann', ...other }, { ...bounds, server: 9999 })), 'key');
        same(await lackOf(blobs.reserve({ room: B, ...other }, bounds)), 'server');
        await blobs.unlink(A, hashOf(bytes));
        await blobs.collect(hashOf(bytes), 0);
      });
      await using(open, async ({ blobs }) => {
        same(await lackOf(blobs.reserve({ room: A, by: 'ann', ...other }, bounds)), 'none');
        same(await blobs.stored(), 0);
      });
    },
  },
  {
    name: '[BL5] blobs, entries and their absence outlive the store object',
    durable: true,
    async run(open) {
      const [kept, gone] = [noise(lehmer(49), 200_000), toUtf8('gone')];
      await using(open, async ({ blobs }) => {
        await blobs.link(A, await put(blobs, kept));
        await blobs.stage(B, hashOf(kept));
        await blobs.delete(await put(blobs, gone));
      });
      await using(open, async ({ blobs }) => {
        await expectBlob(blobs, kept);
        await expectNothing(blobs, hashOf(gone));
        same(await states(blobs, hashOf(kept)), 'a: linked, a-b: staged');
        await blobs.unlink(A, hashOf(kept));
      });
      await using(open, async ({ blobs }) => same(await states(blobs, hashOf(kept)), 'a: none, a-b: staged'));
    },
  },
];

/** Bound that has no space for something; what has space gives it back at once. */
async function lackOf(reserving: Promise<BlobSpace>): Promise<string> {
  const space = await reserving;
  if ('lacks' in space) return space.lacks;
  space.leave();
  return 'none';
}

function passing(name: string, check: (blobs: BlobStore) => Promise<void>): BatteryCase {
  return { name, durable: false, run: (open: OpenStore) => using(open, ({ blobs }) => check(blobs)) };
}

async function put(blobs: BlobStore, bytes: Uint8Array): Promise<BlobHash> {
  const hash = hashOf(bytes);
  await blobs.put(hash, chunks(bytes), bytes.length);
  return hash;
}

async function expectBlob(blobs: BlobStore, bytes: Uint8Array): Promise<void> {
  const content = await blobs.get(hashOf(bytes));
  same(content?.size, bytes.length);
  same(await blobs.size(hashOf(bytes)), bytes.length);
  const found = content && concatBytes(await all(content.bytes));
  if (!found || !equalBytes(found, bytes)) throw new Error('the blob differs');
}

async function expectNothing(blobs: BlobStore, hash: BlobHash): Promise<void> {
  same(await blobs.get(hash), undefined);
  same(await blobs.size(hash), undefined);
  same((await all(blobs.all())).includes(hash), false);
}

async function states(blobs: BlobStore, hash: BlobHash): Promise<string> {
  const state = async (room: RoomId): Promise<string> => {
    const linked = await blobs.isLinked(room, hash);
    same((await all(blobs.linked(room))).includes(hash), linked);
    return linked ? 'linked' : (await blobs.isStaged(room, hash)) ? 'staged' : 'none';
  };
  return `a: ${await state(A)}, a-b: ${await state(B)}`;
}

function faultOf(done: Promise<unknown>): Promise<string> {
  return done.then(
    () => 'none',
    (error: unknown) => {
      if (!(error instanceof Error)) return String(error);
      return `${error.name} ${'fault' in error ? String(error.fault) : error.message}`;
    },
  );
}

function hashOf(bytes: Uint8Array): BlobHash {
  return parseBlobHash(toHex(sha256(bytes))) as BlobHash;
}

function sorted(hashes: readonly BlobHash[]): string {
  return [...hashes].sort().join();
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* cutAtRandom(bytes: Uint8Array, random: () => number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const length = random() < 0.2 ? 0 : Math.ceil(random() * (bytes.length / 4));
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** Everything through one buffer, as some sources do. */
async function* reused(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(70_000);
  for (let at = 0; at < bytes.length; at += buffer.length) {
    buffer.set(bytes.subarray(at, at + buffer.length));
    yield buffer.subarray(0, Math.min(buffer.length, bytes.length - at));
    buffer.fill(0xee);
  }
}

/** Chance that is the same in every run. */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function noise(random: () => number, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random() * 256);
}
