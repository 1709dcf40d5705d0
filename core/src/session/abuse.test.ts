import { describe, expect, it } from 'vitest';
import { toBase64 } from '../codec/bytes/bytes.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { commandTable } from '../commands/table.js';
import { createReplica, generateKeys } from '../peer.js';
import { REASONS } from '../rejection.js';
import { type Guests, ending, guests, quiet } from '../testing/guests.js';
import type { TestPeer } from '../testing/test-peer.js';

/** Random numbers, the same each time. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
type Random = ReturnType<typeof randomOf>;

const KEY = 'ab'.repeat(32);
const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, 2 ** 53, '', 'x', 'x'.repeat(5000), '\ud800', '\0', KEY, KEY.toUpperCase()],
  ...[
    [],
    {},
    [[]],
    [null],
    [KEY],
    ['**'],
    ['docs/**'],
    { toString: 1 },
    { length: -1 },
    { then: 1 },
    { type: 'hello' },
  ],
  ...[{ __proto__: null }, { constructor: { prototype: 1 } }, [{ path_glob: '*'.repeat(200), can_write: [KEY] }]],
  { type: 'offer', sdp: 'v=0' },
];
const FIELDS = [
  ...['nodes', 'known', 'frontier', 'patterns', 'data', 'ttl_ms', 'to', 'sdp', 'candidate', 'pubkey', 'peer_pubkey'],
  ...[
    'before',
    'default',
    'rules',
    'token',
    'proof',
    'caps',
    'protocol',
    'peer_id',
    'subscribe',
    'req_id',
    '__proto__',
  ],
];
const TYPES = [...commandTable.commands.keys(), 'pack', 'no such type', '__proto__', 'constructor', ''];

function frameOf(random: Random, packs: readonly string[]): Record<string, unknown> {
  const type = TYPES[random(TYPES.length)]!;
  const own = Object.keys(commandTable.commands.get(type)?.in.shape ?? {});
  const frame: Record<string, unknown> = { type };
  for (let i = random(5); i > 0; i--) {
    const fields = own.length > 0 && random(4) > 0 ? own : FIELDS;
    const value = ODD[random(ODD.length)];
    Object.defineProperty(frame, fields[random(fields.length)]!, { value, enumerable: true, configurable: true });
  }
  if (type === 'pack' && random(2) === 0 && !('nodes' in frame)) frame['nodes'] = damaged(packs, random);
  return frame;
}

function damaged(packs: readonly string[], random: Random): string {
  const bytes = Buffer.from(packs[random(packs.length)]!, 'base64');
  for (let i = random(4); i > 0; i--) bytes[random(bytes.length)] = random(256);
  return bytes.subarray(0, random(4) === 0 ? random(bytes.length) : bytes.length).toString('base64');
}

/** Frame in a form in which it would travel, now and then with some of it changed. */
function encoded(frame: object, random: Random): string | Uint8Array {
  if (random(2) === 0) {
    const text = JSON.stringify(frame);
    if (random(4) > 0) return text;
    const at = random(text.length);
    return text.slice(0, at) + ['', '{', '"', '\\', '9'][random(5)]! + text.slice(at + random(3));
  }
  const bytes = encodeValue(frame);
  if (random(4) === 0) for (let i = random(5); i >= 0; i--) bytes[random(bytes.length)] = random(256);
  return bytes;
}

async function packsFor({ host }: Guests): Promise<string[]> {
  const { genesis } = await host.room('room');
  const packs: string[] = [];
  for (let i = 1; i < 5; i++) {
    const replica = await createReplica({ genesis: genesis.pack, keys: generateKeys() });
    for (let n = 0; n < i * 10; n++) replica.text('docs/text').insert(0, 'ab');
    replica.list('list').push(1, 2);
    packs.push(toBase64((await replica.seal()) ?? new Uint8Array()));
  }
  return packs;
}

const CAPS = { supports_binary: true, supports_targeted_relay: true };
/** With what a connection may end for what it sent. */
const CODES = new Set([1008, 4008]);

async function abused(seed: number, frames: number, capabilities: readonly string[] | undefined) {
  const random = randomOf(seed);
  const faults: unknown[] = [];
  const place = guests({ onFault: (error) => void faults.push(error), limits: { framesPerSecond: 1e6 } });
  const packs = await packsFor(place);
  const enter = async (): Promise<TestPeer> =>
    place.enter(await place.hello(generateKeys(), capabilities, { caps: CAPS }));
  const witness = await place.enter();
  const gone = ending(witness);
  let peer = await enter();
  let end = ending(peer);
  const codes = new Set<unknown>();
  const reasons = new Set<string>();
  for (let i = 0; i < frames; i++) {
    expect(() => peer.sendText(encoded(frameOf(random, packs), random))).not.toThrow();
    if (i % 20 > 0) continue;
    await quiet(1);
    const closing = end();
    if (!closing) continue;
    codes.add(closing.code);
    if (await (await place.host.room('room')).facts.lock) break;
    peer = await enter();
    end = ending(peer);
  }
  await quiet(20);
  peer.send({ type: 'the end' });
  for (let frame = await peer.next().catch(() => undefined); frame; frame = await peer.next().catch(() => undefined)) {
    if (frame.type === 'error') reasons.add(String(frame['code']));
    if (String(frame['msg']).includes('the end')) break;
  }
  return { place, witness, isThere: gone() === undefined, faults, codes, reasons };
}

describe('a connection that sends anything', () => {
  for (const [name, capabilities, seed] of [
    ['a stranger', undefined, 1],
    ['a peer with path rights', ['read:docs/**', 'write:docs/**'], 2],
    ['an administrator of policies', ['policy.admin'], 3],
    ['an administrator', ['room.admin', 'policy.admin'], 4],
  ] as const)
    it(`[ER1] [ER3] as ${name}, meets rules and no bugs; the room goes on`, async () => {
      const { place, faults, codes, reasons, witness, isThere } = await abused(seed, 2000, capabilities);
      expect(faults).toEqual([]);
      expect([...codes].filter((code) => !CODES.has(Number(code)))).toEqual([]);
      expect([...reasons].filter((reason) => !(reason in REASONS))).toEqual([]);
      const room = await place.host.room('room');
      await room.set('docs/after', 1);
      expect(room.get('docs/after')).toBe(1);
      const heard: string[] = [];
      for (let frame = isThere ? await witness.nextOf('pack') : undefined; frame;) {
        heard.push(frame.type);
        if (frame['root'] === room.heads.root) break;
        frame = await witness.nextOf('pack');
      }
      expect(heard.length > 0).toBe(isThere);
    });

  it('[HS2] before it says hello, is closed with 1008 for each first frame that is none [fault 3]', async () => {
    const random = randomOf(5);
    const faults: unknown[] = [];
    const place = guests({ onFault: (error) => void faults.push(error) });
    const packs = await packsFor(place);
    for (let i = 0; i < 300; i++) {
      const peer = place.connect();
      const frame = encoded(frameOf(random, packs), random);
      peer.sendText(frame);
      const first = await peer.next();
      if (first.type === 'welcome') peer.leave();
      else expect([first.type, (await peer.closed).code]).toEqual(['error', 1008]);
    }
    expect(faults).toEqual([]);
  });
});
