import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CAPABILITIES } from '../access/rights.js';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toBase64, toHex } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { commandTable } from '../commands/table.js';
import { type Connection, type Host, createHost } from '../engine.js';
import type { HostRequest } from '../host/host-door.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import { createReplica, keysFromSeed, signProof, signToken } from '../peer.js';
import { quiet } from '../testing/guests.js';
import { ManualClock } from '../testing/manual-clock.js';

const [admin, ann, bob] = ['a1', 'a2', 'a3'].map((byte) => keysFromSeed(byte.repeat(32))) as [Keys, Keys, Keys];
type Keys = ReturnType<typeof keysFromSeed>;
type Frame = Readonly<Record<string, unknown>>;

const BLOB = new TextEncoder().encode('a blob');
const HASH = toHex(sha256(BLOB));
const UPLOAD = new TextEncoder().encode('a blob by a link');
const UPLOADED = toHex(sha256(UPLOAD));
const CHILD = 'child';

/** What a step is made of: how far the sequence has come, what was written, the room as it is, and the child's hash if there is one. */
interface Moment {
  readonly step: number;
  readonly pack: string;
  readonly welcome: Frame;
  readonly child?: string | undefined;
  readonly token?: unknown;
}

const ENDING = ['room.delete', 'history.prune', 'value.erase'];

/** One frame of every command; `hello` begins, `compact-room` is what is tried, and `ENDING` end the stay of those who are compared. */
const FRAMES: Readonly<Record<string, (moment: Moment) => object>> = {
  pack: ({ pack }) => ({ nodes: pack }),
  request: ({ step, welcome }) => (step % 2 === 0 ? {} : { known: welcome['frontier'] }),
  subscribe: ({ step }) => ({ patterns: step % 2 === 0 ? ['k*'] : ['**'] }),
  'mst-request': () => ({ paths: ['', '0', 'f'] }),
  'mst-done': ({ welcome }) => ({ ids: welcome['frontier'] }),
  reconcile: () => ({ step: 'open', root: toBase64(new Uint8Array(32)), size: 1 }),
  'blob-upload': () => ({ blobs: [{ hash: HASH, data_b64: toBase64(BLOB) }] }),
  'blob-request': () => ({ hashes: [HASH] }),
  'request-upload': () => ({ hash: UPLOADED, size: UPLOAD.length }),
  'blob-uploaded': () => ({ hash: UPLOADED }),
  presence: ({ step }) => ({ data: { step } }),
  'webrtc-offer': () => ({ to: bob.publicKey, sdp: { type: 'offer', sdp: 'x' } }),
  'webrtc-answer': () => ({ to: bob.publicKey, sdp: { type: 'answer', sdp: 'x' } }),
  'webrtc-ice': () => ({ to: bob.publicKey, candidate: 'x' }),
  'set-room-key': () => ({ pubkey: bob.publicKey }),
  'rotate-room-key': () => ({ pubkey: ann.publicKey }),
  'unlock-room': () => ({}),
  'revoke-token': () => ({ peer_pubkey: bob.publicKey, before: 1 }),
  'set-policy': ({ step }) => ({ default: step % 2 === 0 ? 'allow' : 'deny', rules: [] }),
  'server-info': () => ({}),
  'refresh-token': ({ token }) => ({ token }),
  'start-tick': () => ({}),
  'stop-tick': () => ({}),
  'query.register': () => ({ query_spec_id: 'q', version: '1', descriptor: { prefix: 'k' } }),
  'projection.build': ({ step }) => ({
    projection_id: 'p',
    query_spec_id: 'q',
    ...(step % 2 === 0 ? {} : { target_checkpoint: { selector: 'seq', canonical_seq: 1 } }),
  }),
  'projection.read': () => ({ projection_id: 'p', limit: 3, proof: true }),
  'projection.list': () => ({}),
  'projection.invalidate': () => ({ projection_id: 'p' }),
  'projection.watch': () => ({ projection_id: 'p' }),
  'projection.unwatch': () => ({ projection_id: 'p' }),
  'values.prove': ({ step }) => ({
    limit: 3,
    ...(step % 2 === 0 ? {} : { target_checkpoint: { selector: 'seq', canonical_seq: 1 } }),
  }),
  'values.prove-part': () => ({ key: 't', kind: 'text', from: 0, to: 0 }),
  'replay.read-range': () => ({ key_prefix: '', limit: 1000 }),
  'events.follow': ({ step }) => ({ after: 0, key_prefix: step % 2 === 0 ? '' : 'k1' }),
  'events.unfollow': () => ({}),
  'topology.create-child': ({ welcome }) => ({
    child_room_id: CHILD,
    child_purpose: 'p',
    promotion_policy_id: 'promotion-based',
    parent_checkpoint: { canonical_hash: welcome['canonical_hash'], frontier: welcome['frontier'] },
  }),
  'topology.describe-lineage': () => ({}),
  'topology.list-children': () => ({}),
  'topology.propose-promotion': ({ child }) => ({
    child_room_id: CHILD,
    child_checkpoint_hash: child,
    payload_ref: 'all',
    idempotency_key: 'one',
  }),
  'topology.preview-promotion': () => ({ proposal_id: 'one' }),
  'topology.validate-promotion': () => ({ proposal_id: 'one' }),
  'topology.apply-promotion': () => ({ proposal_id: 'one' }),
  'archive.describe': ({ step }) => ({ archive_ref: step % 2 === 0 ? 'room://room' : 'file://a.weft' }),
  'archive.validate': () => ({ archive_ref: 'room://room', mode: 'full_integrity' }),
  'archive.import': ({ step }) => ({
    archive_ref: step % 2 === 0 ? 'room://room' : 'file://a.weft',
    import_mode: 'full_apply',
  }),
  'archive.export': () => ({ archive_ref: 'file://a.weft' }),
};

/** Without an answer of their own. */
const SILENT = new Set(['presence', 'webrtc-offer', 'webrtc-answer', 'webrtc-ice']);

/** Host commands that no frame stands for. */
const SUBMITTED: readonly HostRequest['command'][] = [
  'GetFrontier',
  'GetCanonicalResolution',
  { GetCausalParents: { node_id_hex: '00'.repeat(32) } },
  { ComputeSyncDiff: { peer_node_ids_hex: ['00'.repeat(32)] } },
  { MapSet: { namespace: 'n', key: 'k', value: 1 } },
  { MapGet: { namespace: 'n', key: 'k' } },
  { MapAll: { namespace: 'n' } },
  { MapDelete: { namespace: 'n', key: 'k' } },
];

const TYPES = Object.keys(FRAMES);
/** Every frame once, each where it can succeed: what it stands on comes before. */
const EACH_ONCE = [
  ...[
    'pack',
    'request',
    'subscribe',
    'mst-request',
    'mst-done',
    'reconcile',
    'blob-upload',
    'blob-request',
    'request-upload',
  ],
  ...['blob-uploaded', 'presence', 'webrtc-offer', 'webrtc-answer', 'webrtc-ice', 'set-room-key', 'rotate-room-key'],
  ...[
    'unlock-room',
    'revoke-token',
    'server-info',
    'refresh-token',
    'start-tick',
    'stop-tick',
    'query.register',
    'projection.build',
  ],
  ...['projection.read', 'projection.list', 'projection.watch', 'projection.unwatch', 'projection.invalidate'],
  ...['values.prove', 'values.prove-part'],
  ...['replay.read-range', 'events.follow', 'events.unfollow', 'topology.create-child'],
  ...[
    'topology.describe-lineage',
    'topology.list-children',
    'topology.propose-promotion',
    'topology.preview-promotion',
    'topology.validate-promotion',
  ],
  ...[
    'topology.apply-promotion',
    'archive.export',
    'archive.describe',
    'archive.validate',
    'archive.import',
    'set-policy',
  ],
];
const steps = fc.array(fc.nat(TYPES.length + SUBMITTED.length - 1), { minLength: 10, maxLength: 30 });

/** What differs between two hosts that do the same: names of connections, and how nodes are packed. */
function plain(name: string, value: unknown): unknown {
  if (name === 'session_id') return 'a connection';
  if (name !== 'nodes' || typeof value !== 'string' || /^[0-9a-f]{64}$/.test(value)) return value;
  return decodePack(fromBase64(value)).nodes.map(({ id }) => toHex(id));
}

/** Frames that come as the socket takes them and the log is read: relayed nodes, and what is told to who follows or watches. [PK8] */
const STREAMED = ['pack', 'events.written', 'projection.changed'];

/** What is compared of what a connection hears: answers in their order, and each stream in its own. Which comes first is no part of the law. */
const inOrder = (frames: readonly Frame[]): readonly (readonly Frame[])[] => {
  const streamOf = ({ type, req_id }: Frame): number => (req_id === undefined ? STREAMED.indexOf(String(type)) : -1);
  return [-1, ...STREAMED.keys()].map((stream) => frames.filter((frame) => streamOf(frame) === stream));
};

class Twin {
  readonly host: Host;
  readonly clock = new ManualClock();
  readonly #frames: Frame[] = [];
  readonly #connection: Connection;

  constructor(seed: Uint8Array) {
    const store = { ...memoryStore(), authoritySeed: () => Promise.resolve(seed) };
    const archives = { stores: { file: memoryArchives() } };
    // Whatever is asked for was uploaded by the time it is announced.
    const blobUrls: BlobUrls = {
      forPut: async (_, hash) => ({ url: `put:${hash}`, expiresAtUnix: 1 }),
      forGet: async (_, hash) => ({ url: `get:${hash}`, expiresAtUnix: 1 }),
      async claim(room, hash) {
        await store.blobs.put(hash, once(UPLOAD), UPLOAD.length);
        await store.blobs.stage(room, hash);
        return undefined;
      },
    };
    this.host = createHost({ store, clock: this.clock, adminKey: admin.publicKey, archives, blobUrls });
    const send = (frame: string | Uint8Array): boolean => {
      this.#frames.push(JSON.parse(String(frame)) as Frame);
      return true;
    };
    const close = (code: number): void => void this.#frames.push({ type: 'closed', code });
    this.#connection = this.host.connect('room' as never, { send, close }, ['here:1']);
  }

  async say(frame: object): Promise<Frame[]> {
    const asked: Frame = { req_id: 'asked', ...frame };
    this.#connection.receive(JSON.stringify(asked));
    const isAnswered = (): boolean => this.#frames.some(({ req_id }) => req_id === asked['req_id']);
    if (!SILENT.has(String(asked['type']))) for (let i = 0; i < 500 && !isAnswered(); i++) await quiet(4);
    return this.heard();
  }

  /** Until nothing has come for a while. */
  async heard(): Promise<Frame[]> {
    for (let known = -1; known !== this.#frames.length;) {
      known = this.#frames.length;
      await quiet(6);
    }
    return this.#frames.splice(0);
  }

  async submit(command: HostRequest['command']): Promise<unknown> {
    return this.host.submit({ room_id: 'room', command }).catch((error: unknown) => String(error));
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Whether a frame was refused: by an error, or a rejection of its own. */
const isRefusal = ({ type }: Frame): boolean => type === 'error' || String(type).endsWith('.rejected');

it('[CP1] no command answers otherwise because its room was compacted', async () => {
  expect([...TYPES, 'hello', 'compact-room', ...ENDING].sort()).toEqual([...commandTable.commands.keys()].sort());
  expect([...EACH_ONCE].sort()).toEqual([...TYPES].sort());
  const succeeded = new Set<string>();
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const seed = new Uint8Array(32).fill(7);
      const twins = [new Twin(seed), new Twin(seed)] as const;
      const [compacted] = twins;
      for (const twin of twins) await twin.submit({ MapSet: { namespace: 'n', key: 'first', value: 0 } });
      const genesis = (await compacted.host.room('room')).genesis.pack;
      const replica = await createReplica({ genesis, keys: bob, clock: compacted.clock });
      const now = compacted.clock.now();
      const claims = { room: 'room', peer: ann.publicKey, expiry: now / 1000 + 360_000, caps: [...CAPABILITIES] };
      const token = await signToken(claims, admin.seed);
      const hello = {
        type: 'hello',
        pubkey: ann.publicKey,
        token,
        proof: await signProof({ room: 'room', aud: 'here:1', ts: now }, ann),
        caps: { supports_reconcile: true },
      };
      const bothSay = async (frame: Frame & { readonly type: string }) => {
        const [one, other] = await Promise.all(twins.map((twin) => twin.say(frame)));
        const [heard, heardToo] = [one!, other!].map((frames) => JSON.stringify(inOrder(frames), plain));
        expect(heard, JSON.stringify(frame)).toEqual(heardToo);
        if (!one!.some(isRefusal)) succeeded.add(frame.type);
        return one!;
      };
      const [welcome] = await bothSay(hello);
      let hasChild = false;
      for (const type of ['query.register', 'projection.build', 'blob-upload'])
        await bothSay({ type, ...FRAMES[type]!({ step: 0, pack: '', welcome: welcome! }) });
      for (const [step, chosen] of sequence.entries()) {
        const type = TYPES[chosen];
        if (type === undefined) {
          const command = SUBMITTED[chosen - TYPES.length]!;
          const [one, other] = await Promise.all(twins.map((twin) => twin.submit(command)));
          expect(one).toEqual(other);
          for (const twin of twins) await twin.heard();
        } else {
          replica.set(`k${step % 4}`, step);
          replica.text('t').insert(0, `${step} `);
          const pack = toBase64((await replica.sealedMessage())!);
          const told = {
            canonical_hash: (await compacted.host.room('room')).stateHash,
            frontier: (await compacted.host.room('room')).heads.frontier,
          };
          const child = hasChild ? await compacted.host.withRoom(CHILD, async (room) => room.stateHash) : undefined;
          const moment = { step, pack, welcome: { ...welcome, ...told }, child, token };
          const [answer] = await bothSay({ type, req_id: step, ...FRAMES[type]!(moment) });
          hasChild ||= answer?.['type'] === 'topology.create-child.completed';
        }
        for (const twin of twins) twin.clock.advance(60_000);
        for (const twin of twins) await twin.heard();
        if (step % 3 !== 2) continue;
        const types = (await compacted.say({ type: 'compact-room' })).map((frame) => frame['type']);
        expect(types).toEqual(['snapshot-pack', 'compact-ack']);
      }
      for (const type of [
        'request',
        'replay.read-range',
        'projection.list',
        'projection.read',
        'topology.list-children',
      ])
        await bothSay({ type, ...FRAMES[type]!({ step: 0, pack: '', welcome: welcome! }) });
      for (const command of SUBMITTED) {
        const [one, other] = await Promise.all(twins.map((twin) => twin.submit(command)));
        expect(one).toEqual(other);
      }
      for (const twin of twins) await twin.host.close();
    }),
    { numRuns: 4, examples: [[EACH_ONCE.map((type) => TYPES.indexOf(type))]] },
  );
  // A law over frames that can only be refused would hold of anything.
  expect(TYPES.filter((type) => !succeeded.has(type))).toEqual([]);
});
