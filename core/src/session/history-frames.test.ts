/** Who enters a room is sent its history, whole or not: what is made ready for all, and what never is. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64 } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import type { Connection, Host } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { generateKeys } from '../peer.js';
import { altered } from '../testing/altered.js';
import { guests } from '../testing/guests.js';
import { type Encoded, parseFrame } from '../wire/frame.js';

const LONG = '.'.repeat(400_000);
const WRITES = 12;

/** A room whose log has segments; `reads` counts how often something is read of it. */
async function storedRoom() {
  const store = memoryStore();
  const seen = { reads: 0 };
  const log = altered(store.log, {
    read(room, from) {
      seen.reads++;
      return store.log.read(room, from);
    },
  });
  const place = guests({ store: { ...store, log } });
  const room = await place.host.room('room');
  for (let i = 0; i < WRITES; i++) await room.set(`${i % 2 === 0 ? 'docs' : 'other'}/${i}`, LONG + i);
  await room.compact();
  seen.reads = 0;
  return { ...place, room, seen };
}

/** All that one who says this hello is sent of the history, as it travels. */
function enter(host: Host, hello: object): Promise<Encoded[]> {
  return new Promise((resolve) => {
    const sent: Encoded[] = [];
    const connection: Connection = host.connect(
      'room' as RoomId,
      {
        send(encoded) {
          const frame = parseFrame(encoded);
          if (frame?.type === 'pack') sent.push(encoded);
          if (frame?.['final'] === true) resolve(sent);
          return true;
        },
        close: () => undefined,
      },
      ['here:1'],
    );
    connection.receive(JSON.stringify(hello));
  });
}

const BINARY = { type: 'hello', caps: { supports_binary: true } };

function nodesIn(frames: readonly Encoded[]) {
  return frames.flatMap((encoded) => {
    const nodes = parseFrame(encoded)?.['nodes'];
    return decodePack(nodes instanceof Uint8Array ? nodes : fromBase64(String(nodes))).nodes;
  });
}

const whole = (frames: readonly Encoded[]): string[] =>
  nodesIn(frames)
    .filter(({ withheld }) => withheld === undefined)
    .flatMap(({ ops }) => ops.map(({ key }) => key))
    .filter((key) => /^(docs|other)/.test(key))
    .sort();

describe('history', () => {
  it('[HS5] is read and encoded once for many who enter, in each encoding', async () => {
    const { host, seen } = await storedRoom();
    const hellos = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? BINARY : { type: 'hello' }));
    const [binary = [], text = [], ...others] = await Promise.all(hellos.map((hello) => enter(host, hello)));
    expect(binary.length).toBeGreaterThan(3); // the last of them is short and in no segment
    expect(seen.reads).toBeLessThan(binary.length);
    for (const [i, frames] of others.entries())
      for (const [at, frame] of frames.slice(0, -1).entries()) expect(frame).toBe((i % 2 === 0 ? binary : text)[at]);
    for (const frames of [binary, text]) expect(whole(frames)).toHaveLength(WRITES);
  });

  it('[HS5] is of the room as it is when somebody enters, though most of it was read before', async () => {
    const { host, room } = await storedRoom();
    for (let i = 0; i < 3; i++) {
      const frames = await enter(host, BINARY);
      expect(parseFrame(frames.at(-1)!)).toMatchObject({ root: room.heads.root, final: true });
      expect(frames.filter((frame) => parseFrame(frame)?.['final'] === true)).toHaveLength(1);
      expect(whole(frames)).toHaveLength(WRITES + i);
      await room.set(`docs/new ${i}`, i);
    }
  });

  it('[HS5] [SB3] of one who may read a part is made for it alone, before and behind those who read all', async () => {
    const { host, hello } = await storedRoom();
    const narrow = async (): Promise<string[]> =>
      whole(await enter(host, await hello(generateKeys(), ['read:docs/**'], { caps: BINARY.caps })));
    const docs = Array.from({ length: WRITES / 2 }, (_, i) => `docs/${2 * i}`).sort();
    expect(await narrow()).toEqual(docs);
    expect(whole(await enter(host, BINARY))).toHaveLength(WRITES);
    const [one, all, other] = await Promise.all([narrow(), enter(host, BINARY), narrow()]);
    expect([one, other]).toEqual([docs, docs]);
    expect(whole(all)).toHaveLength(WRITES);
  });
});
