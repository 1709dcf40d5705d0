/**
 * Two adversaries against a real server: one whom nobody knows, and a member with few rights. What they may not know is planted
 * with canaries; nothing that reaches them has one, and nothing that they may not change has changed. From one seed.
 */
import { createHash } from 'node:crypto';
import {
  type BlobHash,
  type Host,
  type HostOptions,
  type KeyPair,
  type Room,
  certifiedAuthority,
  createHost,
  createReplica,
  decodePack,
  defaultCrypto,
  fromBase64,
  fromHex,
  generateKeys,
  makeMandate,
  richText,
  signProof,
  signToken,
  toBase64,
  toHex,
} from '@weft/core';
import { memoryArchives, memoryStore } from '@weft/core/memory';
import { startServer } from '@weft/server';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { Random } from '../convergence/random.js';
import { CANARY, canaryIn } from './canaries.js';
import { type Frame, type Known, hostileFrame } from './hostile-frames.js';
import { type HostileWords, PERSONAL, hostileWords } from './hostile-words.js';

const SECRET = new TextEncoder().encode(`${CANARY} in a blob`);
const SECRET_HASH = createHash('sha256').update(SECRET).digest('hex') as BlobHash;
/** Rooms in which an adversary acts, or which it only names. */
const ROOMS = [
  ...(['shared', 'locked', 'child', 'restored', 'compacted', 'pruned', 'erased', 'elsewhere'] as const),
  ...(['blank', 'blank-child'] as const),
] as const;
/** Open to all, and canaries were in each: as register, text, list and mark, which are erased. */
const BLANK = ['blank', 'blank-child'] as const;
/** One that was full of canaries before it was deleted. */
const DELETED = 'deleted';
const AT_ONCE = 25;
/** Adversaries among them who claim to be somebody. */
const WORDS_AT_ONCE = 3;
/** Keys of the member: its corner, and what it has registered and built. */
const MAY_CHANGE = ['docs/own/', '\0query/'];
/** Answers that the adversaries get beside refusals: a law over frames that can only be refused would hold of anything. */
const ANSWERED = ['blob-pack', 'mst-response', 'pack', 'pack-ack', 'subscribe-ack', 'server-info'];
const ANSWERED_MEMBER = [
  'projection.build.completed',
  'projection.read.result',
  'query.registered',
  'replay.read-range.result',
  'token-refreshed',
];

type Keys = KeyPair;

interface Place {
  readonly host: Host;
  readonly url: string;
  readonly audience: string;
  readonly admin: Keys;
  readonly member: Keys;
  readonly people: People;
}

/** Who is named above keys, and whose keys have been taken back. */
interface People {
  readonly root: Keys;
  readonly person: Keys;
  readonly speaker: Keys;
  readonly stolen: Keys;
  readonly lost: Keys;
}

const signerOf = ({ seed }: Keys) => defaultCrypto.signer(fromHex(seed));
/** Rooms in which somebody has a part of his own, and somebody spoke who does so no more. */
const PEOPLED = ['shared', 'own'] as const;

/** Server with rooms in every state, all of which hold canaries under `secret/`. */
async function place(): Promise<Place> {
  const [admin, member, lock] = [generateKeys(), generateKeys(), generateKeys()];
  const store = memoryStore();
  const archives = { stores: { file: memoryArchives() } };
  const limits = { framesPerSecond: 1e6, inboxBytes: 1 << 28 };
  const people = {
    root: generateKeys(),
    person: generateKeys(),
    speaker: generateKeys(),
    stolen: generateKeys(),
    lost: generateKeys(),
  };
  const { authority, revoke } = authorityOf(people);
  const host = createHost({
    store,
    authority,
    adminKey: admin.publicKey,
    archives,
    limits,
    onFault: (fault) => {
      throw fault;
    },
  });
  const server = await startServer({ host, listen: '127.0.0.1:0' });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  const submit = (room_id: string, command: Record<string, object>) => host.submit({ room_id, command });
  for (const room of PEOPLED) await host.withRoom(room, (opened) => settle(opened, people));
  await revoke(host);
  for (const room of PEOPLED) await submit(room, { RevokeKeys: { word_hex: await takenBack(people) } });
  await submit('own', { SetPolicy: { default: 'allow', rules: [personal(people)] } });
  const filled = ['shared', 'locked', 'compacted', 'pruned', 'erased', 'elsewhere', DELETED];
  for (const room of filled) await host.withRoom(room, fill);
  for (const room of filled) {
    await submit(room, { BlobSet: { namespace: 'secret', hash: SECRET_HASH, data_b64: toBase64(SECRET) } });
    await submit(room, { RegisterQuerySpec: { query_spec_id: 'q', version: '1', descriptor: {} } });
    await submit(room, { BuildProjection: { projection_id: 'kept', query_spec_id: 'q' } });
  }
  await submit('shared', {
    SetPolicy: {
      default: 'deny',
      rules: [{ path_glob: 'docs/own/**', can_write: [member.publicKey] }, personal(people)],
    },
  });
  await submit('shared', { SetRoomKey: { pubkey_hex: lock.publicKey } });
  await submit('locked', { SetRoomKey: { pubkey_hex: lock.publicKey } });
  const { stateHash, heads } = await host.room('locked');
  await submit('locked', {
    CreateTopologyChild: {
      child_room_id: 'child',
      child_purpose: 'p',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint: { canonical_hash: stateHash, frontier: heads.frontier },
    },
  });
  await submit('locked', { ExportArchive: { archive_ref: 'file://kept.weft' } });
  await submit('restored', { ImportArchive: { archive_ref: 'file://kept.weft', import_mode: 'full_apply' } });
  await submit('restored', { SetRoomKey: { pubkey_hex: lock.publicKey } }).catch(() => undefined);
  for (const room of ['shared', 'compacted']) await (await host.room(room)).compact();
  await submit('compacted', { SetRoomKey: { pubkey_hex: lock.publicKey } });
  await host.withRoom('pruned', (room) => room.set(`secret/${CANARY}`, { text: `${CANARY} anew` }));
  await submit('pruned', { PruneHistory: {} });
  await submit('erased', { EraseValue: { key: `intent/${CANARY}` } });
  await submit('erased', { EraseValue: { key: 'secret/text' } });
  await blank(host);
  // Another host on the store locks a room that is open here.
  const beside = createHost({ store, authority, adminKey: admin.publicKey });
  await beside.submit({ room_id: 'elsewhere', command: { SetRoomKey: { pubkey_hex: lock.publicKey } } });
  await beside.withRoom('elsewhere', (room) => room.set('secret/later', CANARY));
  await beside.close();
  await host.withRoom('elsewhere', (room) => room.look());
  for (const room of ['pruned', 'erased']) await submit(room, { SetRoomKey: { pubkey_hex: lock.publicKey } });
  await submit(DELETED, { DeleteRoom: { confirm: DELETED } });
  return { host, url: server.url, audience: `127.0.0.1:${server.address.port}`, admin, member, people };
}

const personal = ({ person }: People) => ({ path_glob: 'people/**', can_write: [person.publicKey] });

/** A process that a root has certified; `revoke` takes back the key with which it began, and it goes on with another one. */
function authorityOf({ root, speaker, stolen }: People) {
  let isStolen = false;
  const say = (matter: 'signer' | 'founder' | 'signer-revoked', key: string) =>
    makeMandate(matter, { key }, signerOf(root));
  const authority: HostOptions['authority'] = async (founder) =>
    certifiedAuthority({
      roots: [root.publicKey],
      founder,
      founding: await say('founder', founder.publicKey),
      signer: isStolen ? signerOf(speaker) : signerOf(stolen),
      certificates: [await say('signer', isStolen ? speaker.publicKey : stolen.publicKey)],
      revocations: isStolen ? [await say('signer-revoked', stolen.publicKey)] : [],
    });
  const revoke = (host: Host): Promise<void> => {
    isStolen = true;
    return host.renewAuthority();
  };
  return { authority, revoke };
}

/** Has the process speak whose key will be stolen, and the person write with a device that will be lost. */
async function settle(room: Room, { person, lost }: People): Promise<void> {
  await room.set('docs/first', 1);
  await enterAs(room, lost, person, 'docs/by-person');
}

async function enterAs(room: Room, keys: Keys, person: Keys, key: string): Promise<void> {
  const delegation = toHex(await makeMandate('delegate', { key: keys.publicKey }, signerOf(person)));
  const replica = await createReplica({ genesis: room.genesis.pack, keys: { ...keys, delegation } });
  replica.set(key, 'by the person');
  expect((await room.admit((await replica.seal())!, { from: 'the person' })).refused).toEqual([]);
}

async function takenBack({ person, lost }: People): Promise<string> {
  return toHex(await makeMandate('delegate-revoked', { key: lost.publicKey }, signerOf(person)));
}

/** A room and its child of which all canaries were erased: whoever reads all that is left finds none. */
async function blank(host: Host): Promise<void> {
  const submit = (command: Record<string, object>) => host.submit({ room_id: 'blank', command });
  await host.withRoom('blank', async (room) => {
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    replica.set('docs/register', CANARY);
    replica.text('docs/text').insert(0, `before ${CANARY} behind`);
    replica.list('docs/list').insert(0, CANARY, 'kept for nobody');
    replica.batch(() => {
      replica.set('docs/beside', 'stays');
      replica.set('docs/entangled', CANARY);
      replica.text('docs/other').insert(0, 'stays');
    });
    richText(replica, 'docs/other').mark(0, 3, 'comment/1', CANARY);
    await room.admit((await replica.seal())!, { from: 'writer' });
  });
  await submit({ SetPolicy: { default: 'deny', rules: [] } });
  const parent_checkpoint = await host.withRoom('blank', async ({ stateHash, heads }) => ({
    canonical_hash: stateHash,
    frontier: heads.frontier,
  }));
  const about = { child_room_id: 'blank-child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
  await submit({ CreateTopologyChild: { ...about, parent_checkpoint } });
  for (const key of ['register', 'text', 'list', 'entangled', 'other']) {
    const { events } = await submit({ EraseValue: { key: `docs/${key}` } });
    expect(events).toMatchObject([{ ValueErased: { children: ['blank-child'], left: [] } }]);
  }
}

/** Writes what everybody may know, and what nobody may. */
async function fill(room: Room): Promise<void> {
  await room.set('docs/open', 'everybody');
  await room.set(`secret/${CANARY}`, { text: CANARY });
  await room.set(`intent/${CANARY}`, CANARY);
  await room.edit((edits) => edits.insertText('secret/text', CANARY));
}

/** All of a room that a member with few rights may not change: its facts, and its values but for its own corner. */
async function untouchable(host: Host, room: string, by: readonly string[]): Promise<unknown> {
  return host.withRoom(room, async (opened) => ({
    roots: [...opened.reign.roots],
    address: opened.reign.address,
    // What a key says of itself may stand there, and makes it nobody else.
    persons: by.filter((key) => PEOPLED.some((name) => name === room) && opened.mayWrite(key, PERSONAL).allowed),
    speakers: by.filter((key) => opened.mayWrite(key, PERSONAL).by === 'authority'),
    lock: opened.facts.lock,
    policy: opened.facts.policy,
    tick: opened.facts.tick,
    entries: [...opened.entries()]
      // A stranger may write in a room of everybody, but not as somebody else.
      .filter(([key]) => (room === 'own' ? /^(people\/|\0)/.test(key) : true))
      .filter(([key]) => !MAY_CHANGE.some((prefix) => key.startsWith(prefix)))
      .filter(([key]) => !by.some((name) => key === `\0delegate/${name}`))
      .map(([key, value]) => [key, JSON.stringify(value)]),
    secret: opened.text('secret/text'),
  }));
}

/** One connection of an adversary, and all that ever reached it. */
class Line {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  leak: string | undefined;
  readonly types = new Set<string>();
  /** What the server says of peers. */
  readonly seen: Frame[] = [];
  #heard: (() => void) | undefined;
  isClosed = false;

  constructor(url: string, room: string) {
    this.socket = new WebSocket(url.replace('<room>', room));
    this.socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(String(data)) as Frame;
      const at = canaryIn(frame);
      if (at !== undefined) this.leak ??= `${String(frame['type'])}: ${at}`;
      this.frames.push(frame);
      this.types.add(String(frame['type']));
      if (frame['subject'] !== undefined) this.seen.push(frame);
      this.#heard?.();
    });
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#heard?.();
    });
    this.socket.on('error', () => undefined);
  }

  opened(): Promise<unknown> {
    return new Promise((resolve) => this.socket.once('open', resolve).once('close', resolve));
  }

  send(frame: Frame): void {
    if (!this.isClosed) this.socket.send(JSON.stringify(frame));
  }

  /** Barrier: resolves when all that was sent has been answered, or the line is shut. */
  async settled(mark: string): Promise<void> {
    this.send({ type: 'server-info', req_id: mark });
    while (!this.isClosed && !this.frames.some(({ req_id }) => req_id === mark))
      await new Promise<void>((resolve) => (this.#heard = resolve));
    this.frames.length = 0;
  }
}

/** Runs one adversary with so many frames. */
export async function attack(kind: 'stranger' | 'member', seed: number, frames: number): Promise<void> {
  const random = new Random(seed);
  const { host, url, audience, admin, member, people } = await place();
  const own = kind === 'stranger' ? 'own' : 'shared';
  const words = await wordsFor(await host.room(own), people);
  const watched = [...new Set([...ROOMS, own])];
  const before = new Map<string, unknown>();
  for (const room of watched) before.set(room, await untouchable(host, room, words.keys));
  expect(before.get(own)).toMatchObject({ persons: [], speakers: [] });
  const keys = kind === 'stranger' ? generateKeys() : member;
  const caps = ['read:docs/**', 'write:docs/own/**', 'query.read', 'query.admin'];
  const expiry = Math.floor(Date.now() / 1000) + 3600;
  const tokenFor = (room: string, signer: Keys, granted: readonly string[]) =>
    signToken({ room, peer: keys.publicKey, expiry, caps: granted }, signer.seed);
  const token = await tokenFor('shared', admin, caps);
  const personal = await signToken({ room: 'shared', peer: people.person.publicKey, expiry, caps }, admin.seed);
  const ended = await signToken({ room: 'shared', peer: keys.publicKey, expiry: 1, caps }, admin.seed);
  const forged = await tokenFor('locked', keys, ['room.admin', 'topology.admin', 'archive.admin']);
  const replica = await createReplica({ genesis: (await host.room(own)).genesis.pack, keys });
  const packs: string[] = ['', 'AAAA'];
  for (const key of ['docs/own/a', 'secret/mine', 'docs/open', 'intent/x']) {
    replica.set(key, 'by the adversary');
    packs.push(toBase64((await replica.seal())!));
  }
  const nodes: Uint8Array[] = [];
  for (const room of ROOMS) for await (const pack of (await host.room(room)).attestedPacks()) nodes.push(pack);
  const ids = nodes.flatMap((pack) => decodePack(pack).nodes.map(({ id }) => toHex(id)));
  const known: Known = {
    rooms: [...ROOMS, DELETED, own, '~host', 'none'],
    nodes: ids,
    blobs: [SECRET_HASH, createHash('sha256').update(fromBase64('AAAA')).digest('hex')],
    keys: ['docs/own/a', 'secret/mine', '\0lock', '_topology/x'],
    packs,
    pubkeys: [keys.publicKey, admin.publicKey, '0'.repeat(64)],
    tokens: [token, forged, personal, ended, {}],
  };
  const hellos = async (): Promise<Frame> => {
    const proof = await signProof({ room: own, aud: audience }, keys);
    if (kind === 'member') return { type: 'hello', pubkey: keys.publicKey, token, proof };
    return { type: 'hello', ...(random.chance(50) ? { pubkey: keys.publicKey, proof } : {}) };
  };
  const witness = await witnessIn(own, { url, audience, admin });
  let [line, told]: [Line | undefined, number] = [undefined, 0];
  const heard = new Set<string>();
  for (let sent = 0; sent < frames; sent += AT_ONCE) {
    if (!line || line.isClosed) {
      line = new Line(url, own);
      await line.opened();
      line.send(await hellos());
    }
    for (let i = WORDS_AT_ONCE; i < AT_ONCE; i++) line.send({ ...hostileFrame(random, known), req_id: i });
    for (let i = 0; i < WORDS_AT_ONCE; i++)
      line.send({ type: 'pack', nodes: words.packs[told++ % words.packs.length], req_id: i });
    await line.settled(`mark ${sent}`);
    for (const type of line.types) heard.add(type);
    expect(line.leak, `seed ${seed}, before frame ${sent + AT_ONCE}`).toBeUndefined();
    expect(witness.saidOf(people.person), `seed ${seed}, before frame ${sent + AT_ONCE}`).toEqual([]);
    if (random.chance(20)) await claimPerson(url, own, { random, words, people, personal, audience });
    if (!random.chance(10)) continue;
    // Another door: a room that it may not enter, with whatever it has.
    const other = new Line(url, random.pick([...ROOMS, DELETED]));
    await other.opened();
    const shown = random.pick<Frame>([{}, { token: forged }, { token }, { pubkey: admin.publicKey }]);
    other.send({ type: 'hello', pubkey: keys.publicKey, ...shown, known: [random.pick(ids)] });
    for (let i = 0; i < 3; i++) other.send(hostileFrame(random, known));
    await other.settled('another door');
    for (const type of other.types) heard.add(type);
    expect(other.leak, `seed ${seed}, another door`).toBeUndefined();
    other.socket.terminate();
  }
  line?.socket.terminate();
  for (const room of BLANK) {
    const open = new Line(url, room);
    await open.opened();
    open.send({ type: 'hello' });
    await open.settled('all of it');
    expect([open.leak, open.types.has('pack')], room).toEqual([undefined, true]);
    open.socket.terminate();
  }
  for (const room of watched)
    expect(await untouchable(host, room, words.keys), `${room}, seed ${seed}`).toEqual(before.get(room));
  await expect(untouchable(host, DELETED, [])).rejects.toMatchObject({ reason: 'room-deleted' });
  const wanted = kind === 'member' ? [...ANSWERED, ...ANSWERED_MEMBER] : ANSWERED;
  expect(wanted.filter((type) => !heard.has(type))).toEqual([]);
  // Whom the person has taken for his own writes and is seen: what was looked for all along can be found.
  const device = generateKeys();
  await enterAs(await host.room(own), device, people.person, PERSONAL);
  const entered = new Line(url, own);
  await entered.opened();
  const proof = await signProof({ room: own, aud: audience }, device);
  entered.send({ type: 'hello', pubkey: device.publicKey, proof, ...(own === 'shared' ? { token: personal } : {}) });
  await entered.settled('entered');
  await witness.line.settled('seen');
  expect(witness.saidOf(people.person)).toEqual([device.publicKey]);
  for (const { socket } of [entered, witness.line]) socket.terminate();
}

function wordsFor(room: Room, { root, person, speaker, stolen, lost }: People): Promise<HostileWords> {
  return hostileWords({
    room,
    root: signerOf(root),
    person: signerOf(person),
    speaker: speaker.publicKey,
    stolen,
    lost,
  });
}

interface Claim {
  readonly random: Random;
  readonly words: HostileWords;
  readonly people: People;
  readonly personal: unknown;
  readonly audience: string;
}

/** Shows a delegation that does not hold, beside a token that names the person, and says in other frames whose it is. */
async function claimPerson(url: string, room: string, claim: Claim): Promise<void> {
  const { random, words, people, personal, audience } = claim;
  const { delegation, ...keys } = random.pick(words.shown);
  const line = new Line(url, room);
  await line.opened();
  const proof = await signProof({ room, aud: audience }, keys);
  const subject = people.person.publicKey;
  const hello = { type: 'hello', pubkey: keys.publicKey, proof, delegation, subject };
  const others: readonly Frame[] = [
    {},
    { token: personal },
    { peer_id: subject, peer_type: 'ui' },
    {
      delegation: random.pick<unknown>([null, [], 7, 'x'.repeat(352), 'ab'.repeat(1 << 16), delegation.toUpperCase()]),
    },
    { pubkey: subject },
    { delegation: undefined, token: personal },
  ];
  const shown = random.pick(others);
  line.send({ ...hello, ...shown });
  line.send({ type: 'presence', subject, data: { subject }, peer: { pubkey: keys.publicKey, subject } });
  await line.settled('a claim');
  if (shown['token'] && room === 'shared') expect(line.types.has('welcome'), JSON.stringify(shown)).toBe(false);
  expect(line.leak).toBeUndefined();
  line.socket.terminate();
}

/** One who may be there, and whom others are shown to. */
async function witnessIn(room: string, { url, audience, admin }: Pick<Place, 'url' | 'audience' | 'admin'>) {
  const line = new Line(url, room);
  await line.opened();
  const expiry = Math.floor(Date.now() / 1000) + 3600;
  const token = await signToken({ room, peer: admin.publicKey, expiry, caps: [] }, admin.seed);
  const proof = await signProof({ room, aud: audience }, admin);
  line.send({ type: 'hello', pubkey: admin.publicKey, token, proof, subscribe: ['none'] });
  await line.settled('there');
  const saidOf = ({ publicKey }: Keys): unknown[] =>
    line.seen.filter(({ subject }) => subject === publicKey).map(({ pubkey }) => pubkey);
  return { line, saidOf };
}

/** Whether whoever may read everything gets a canary: what is looked for can be found. */
export async function canaryOfAnAdministrator(): Promise<string | undefined> {
  const { url, audience, admin } = await place();
  const claims = { room: 'shared', peer: admin.publicKey, expiry: Math.floor(Date.now() / 1000) + 60, caps: [] };
  const line = new Line(url, 'shared');
  await line.opened();
  const proof = await signProof({ room: 'shared', aud: audience }, admin);
  line.send({ type: 'hello', pubkey: admin.publicKey, token: await signToken(claims, admin.seed), proof });
  await line.settled('seen');
  line.socket.terminate();
  return line.leak;
}
