/**
 * A small world: hosts on one disk, people who write offline and on, and others who ask for whatever there is, with a network
 * and clocks between them. One number decides everything that happens in it.
 */
import {
  CAPABILITIES,
  type Host,
  type HostReply,
  type KeyPair,
  type Replica,
  type RoomClient,
  type RoomId,
  Rejection,
  createReplica,
  keepRoom,
  signProof,
  signToken,
  toBase64,
  toHex,
} from '@weft/core';
import { createHash } from 'node:crypto';
import { Random } from '../convergence/random.js';
import { Authorities } from './authorities.js';
import { secret } from './canaries.js';
import { Disk, type DiskLie } from './disk.js';
import { Generator, KnownOfRooms } from './generated.js';
import { CHILDREN, ROOMS, hints } from './hints.js';
import { Hosts, type Mode, isOfDisk, isRefusal, told } from './hosts.js';
import { type Law, Model } from './model.js';
import { type Line, Network as SimulatedNetwork } from './network.js';
import { ASKERS, type Persona, Uplink, WRITERS, type Writer } from './people.js';
import { Program, WATCHED } from './programs.js';
import { type Asked, Prover } from './proofs.js';
import { seededCrypto } from './seeded-crypto.js';
import { Timeline, settled } from './timeline.js';
import { shown, write } from './writing.js';

const GIVEN_UP = ['docs/a', 'docs/b', 'docs/own/c', 'docs/text', 'docs/list', 'secret/a', 'secret/text', 'intent/x'];
const AUDIENCE = 'weft.test:7878';
const HOURS = 3600;

export interface WorldOptions {
  readonly seed: number;
  readonly lie?: DiskLie;
  /** What is drawn by the seed when absent. */
  readonly mode?: Partial<Mode>;
  /** Told of everything that happens, in words. */
  readonly tell?: (line: string) => void;
}

export class World {
  readonly timeline = new Timeline();
  readonly model = new Model((who) => this.#insiders.has(who));
  readonly #insiders = new Set<string>();
  readonly #crypto = seededCrypto();
  readonly #random: Random;
  readonly #trace = createHash('sha256');
  readonly #disk: Disk;
  readonly #network: SimulatedNetwork;
  readonly #known: KnownOfRooms;
  readonly #admin: KeyPair;
  readonly #writers: Writer[] = [];
  readonly #keys = new Map<string, KeyPair>();
  readonly #programs = new Map<string, Program>();
  readonly #prover: Prover;
  readonly #tell: ((line: string) => void) | undefined;
  readonly #dialogue: Line[] = [];
  readonly #hosts: Hosts;
  #asked = 0;
  #written = 0;
  readonly #start: number;

  constructor({ seed, lie = 'none', tell, mode }: WorldOptions) {
    const random = new Random(seed);
    this.#random = random;
    this.#known = new KnownOfRooms(random);
    this.#tell = tell;
    this.#start = this.timeline.now();
    this.#admin = this.#newKeys();
    this.#disk = new Disk({
      timeline: this.timeline,
      random,
      authoritySeed: this.#bytes(),
      kept: (room, at, records) => this.model.kept(room, at, records),
      removed: (room) => this.model.removed(room),
      forked: (room, origin, isCopy) => this.model.forked(room, origin, isCopy),
      wrong: (law, why) => this.model.wrong(law as Law, why),
    });
    this.#disk.lie = lie;
    this.#prover = new Prover(this.#crypto, this.#disk.truth.log, this.#admin);
    const given = { ...modeOf(seed), ...mode };
    this.#hosts = new Hosts({
      mode: given,
      authorities: new Authorities(this.#crypto, () => this.#newKeys(), given.isCertified),
      timeline: this.timeline,
      disk: this.#disk,
      crypto: this.#crypto,
      adminKey: this.#admin.publicKey,
      note: (line) => this.#note(line),
      wrong: (law, why) => this.model.wrong(law, why),
      died: (had) => {
        for (const line of this.#network.lines) if (had(line.room)) line.died();
      },
    });
    this.#network = new SimulatedNetwork(this.timeline, random, {
      up: (line, frame) => this.#went(line, '>', frame),
      down: (line, frame) => this.#went(line, '<', frame),
      ended: (line, { code, reason }) => {
        this.model.ended(line);
        this.#note(`${line.name} x ${line.room}: ${code} ${reason}`);
      },
    });
  }

  /** Hash of everything that has gone by. */
  get trace(): string {
    return this.#trace.copy().digest('hex');
  }

  async begin(): Promise<void> {
    this.#hosts.startAll();
    for (const room of ['open', 'locked'])
      await this.drive(this.#hostOf(room).withRoom(room, (opened) => opened.set('docs/begin', room)));
    await this.drive(
      this.#hostOf('locked').submit({
        room_id: 'locked',
        command: { SetRoomKey: { pubkey_hex: this.#newKeys().publicKey } },
      }),
    );
    await this.drive(this.#hostOf('locked').withRoom('locked', (room) => room.set(`secret/first`, secret(0))));
    for (const room of ['open', 'locked']) await this.#letWatch(room);
    for (const persona of WRITERS) this.#enter(persona);
  }

  /** Queries are registered whose rows somebody watches. */
  async #letWatch(room_id: string): Promise<void> {
    const ask = (command: object) => this.drive(this.#hostOf(room_id).submit({ room_id, command: { ...command } }));
    for (const [name, descriptor] of Object.entries(WATCHED)) {
      await ask({ RegisterQuerySpec: { query_spec_id: name, version: '1', descriptor } });
      await ask({ BuildProjection: { projection_id: name, query_spec_id: name } });
    }
  }

  /** Runs so many moments. */
  async run(moments: number): Promise<void> {
    for (let i = 0; i < moments && !this.model.breach; i++) if (!(await this.timeline.step())) return;
  }

  /** Waits for something while time goes by. */
  async drive<T>(promise: Promise<T>, ms = 10 * 60_000): Promise<T> {
    let end: { readonly value: T } | { readonly error: unknown } | undefined;
    promise.then(
      (value) => (end = { value }),
      (error: unknown) => (end = { error }),
    );
    await settled();
    const until = this.timeline.now() + ms;
    while (!end && this.timeline.now() < until && (await this.timeline.step()));
    if (!end) throw new Error('it never ends');
    if ('error' in end) throw end.error;
    return (end as { value: T }).value;
  }

  /** One thing that somebody does, or that happens to them: from a number of its own. */
  async move(seed: number): Promise<void> {
    const random = new Random(seed);
    const kind = random.below(100);
    if (kind < 45) this.#write(random, random.pick(this.#writers));
    else if (kind < 75) this.#ask(random);
    else if (kind < 81) this.#operate(random);
    else if (kind < 83) this.#openForAWhile(random);
    else if (kind < 84) this.#branchOff(random);
    else if (kind < 86) this.#giveUp(random);
    else if (kind < 87) this.#prove(random);
    else if (kind < 88) await this.#hosts.hear(random);
    else if (kind < 90) this.#disturbNetwork(random);
    else if (kind < 94) this.#disturbDisk(random);
    else if (kind < 96) this.#reload(random.pick(this.#writers));
    else if (kind < 98) this.#skip(random);
    else this.#hosts.restart(random);
    await settled();
  }

  /** Nobody does anything for a while: rooms leave memory, tokens and patience end. */
  #skip(random: Random): void {
    const ms = random.below(12 * 60_000);
    this.#note(`${ms} ms go by`);
    this.timeline.skip(ms);
  }

  #bytes(length = 32): Uint8Array {
    return Uint8Array.from({ length }, () => this.#random.below(256));
  }

  #newKeys(): KeyPair {
    const seed = this.#bytes();
    return { publicKey: this.#crypto.signer(seed).publicKey, seed: toHex(seed) };
  }

  #keysOf(name: string): KeyPair {
    const keys = this.#keys.get(name) ?? this.#newKeys();
    this.#keys.set(name, keys);
    return keys;
  }

  #hostOf(room: string): Host {
    const host = this.#hosts.of(room);
    if (!host) throw new Error(`the host of ${room} is not up`);
    return host;
  }

  #note(line: string): void {
    this.#trace.update(line).update('\n');
    this.#say(line);
  }

  /** To whoever reads along: it changes nothing of what happens. */
  #say(line: string): void {
    this.#tell?.(`${((this.timeline.now() - this.#start) / 1000).toFixed(3).padStart(9)} ${line}`);
  }

  #went(line: Line, way: '>' | '<', frame: string | Uint8Array): void {
    this.#trace.update(`${this.timeline.now()} ${line.name} ${way}`).update(frame);
    const sent = way === '>' ? this.model.up(line, frame) : undefined;
    // Those who write speak MessagePack; those who ask send what they have picked up, in text.
    if (sent?.type === 'pack' && sent['nodes'] instanceof Uint8Array) {
      this.model.made(sent['nodes']);
      this.#known.keep('pack', toBase64(sent['nodes']));
    }
    const parsed = way === '<' ? this.model.down(line, frame) : undefined;
    if (parsed) this.#known.note(parsed);
    if (parsed?.type === 'welcome') this.#knowsRoom(line.room, String(parsed['canonical_hash']), parsed['frontier']);
    if (this.#tell) this.#tellFrame(line, way, frame);
  }

  #knowsRoom(room: string, canonical_hash: string, heads: unknown): void {
    const frontier = Array.isArray(heads) ? heads.map(String) : [];
    if (frontier.length > 0) this.#known.rooms.set(room, { canonical_hash, frontier });
  }

  /** Values that somebody may name next: what rooms are now, as far as one can tell, and packs that were sent. */
  #looksAround(): void {
    for (const { persona, client } of this.#writers) {
      if (!persona.isInsider || client.state !== 'joined') continue;
      const { replica } = client;
      if (client.unconfirmed === 0) this.#knowsRoom(persona.room, replica.stateHash, replica.frontier);
    }
  }

  #tellFrame(line: Line, way: '>' | '<', frame: string | Uint8Array): void {
    const text =
      typeof frame === 'string'
        ? frame
        : `(${frame.length} bytes) ${Buffer.from(frame)
            .toString('latin1')
            .replaceAll(/[^ -~]+/g, '.')}`;
    this.#say(`${line.name} ${way} ${line.room}: ${text.slice(0, 240)}`);
  }

  #token(persona: Persona) {
    const { name, room, caps = [] } = persona;
    const expiry = Math.floor(this.timeline.now() / 1000) + 10 * HOURS;
    const claims = { room, peer: this.#keysOf(name).publicKey, expiry, caps: [...caps] };
    return signToken(claims, this.#admin.seed, this.#crypto);
  }

  #dial(who: string, room: string): Line {
    return this.#network.dial(who, room, (name, socket) =>
      this.#hosts.of(room)?.connect(name as RoomId, socket, [AUDIENCE]),
    );
  }

  #enter(persona: Persona, replica?: Replica): void {
    const { name, room, caps, isInsider, followsPruning = false } = persona;
    const keys = this.#keysOf(name);
    if (isInsider) this.#insiders.add(name);
    this.#known.keep('pubkey', keys.publicKey);
    this.model.authors.add(keys.publicKey);
    const before = this.#writers.find((writer) => writer.persona === persona);
    const uplink = before?.uplink ?? new Uplink();
    const client = keepRoom({
      open: () => this.#dial(name, room),
      keys,
      room,
      audience: AUDIENCE,
      clock: this.timeline,
      crypto: this.#crypto,
      followsPruning,
      ...(caps ? { token: () => this.#token(persona) } : {}),
      ...(replica ? { replica } : {}),
      network: uplink,
    });
    client.joined.catch(() => undefined);
    if (persona.readsAlong) this.#program(persona).on(client);
    if (before) before.client = client;
    else this.#writers.push({ persona, keys, client, uplink, waiting: 0 });
  }

  #program({ name, room }: Persona): Program {
    const program = this.#programs.get(name) ?? new Program(name, room, this.model);
    this.#programs.set(name, program);
    return program;
  }

  /** A peer ends as a program does, and comes again with what it has kept. */
  #reload(writer: Writer): void {
    const { client, persona, keys } = writer;
    const { followsPruning = false } = persona;
    if (client.state === 'ended') return this.#enter(persona);
    if (!hasReplica(client)) return;
    this.#note(`${persona.name} ends, and comes again with what it has kept`);
    const saved = client.replica.save();
    client.close();
    createReplica({ saved, keys, crypto: this.#crypto, clock: this.timeline, followsPruning }).then(
      (replica) => this.#enter(persona, replica),
      (error: unknown) => this.model.wrong('no-bugs', told(error)),
    );
  }

  #write(random: Random, writer: Writer): void {
    const { client, persona } = writer;
    if (!hasReplica(client)) return;
    if (!this.model.logs.has(persona.room)) return; // a room that somebody writes in is nobody's child any more
    const mayBeSecret = persona.room === 'locked' && persona.isInsider && this.model.isLocked('locked');
    const words = { mayBeSecret, secrets: this.model.secrets, plain: `word ${this.#written++} ` };
    try {
      write(client.replica, random, words, (line) => this.#note(`${persona.name} writes ${line}`));
      if (random.chance(30)) this.#push(writer);
    } catch (error) {
      if (!(error instanceof Rejection)) this.model.wrong('no-bugs', `${persona.name} writes: ${told(error)}`);
    }
  }

  #push(writer: Writer): void {
    writer.waiting++;
    const over = (): void => void writer.waiting--;
    writer.client.push().then(over, over);
  }

  /** Somebody asks for something, over a connection of its own. */
  #ask(random: Random): void {
    const open = this.#dialogue.filter((line) => line.isOpen);
    this.#dialogue.splice(0, this.#dialogue.length, ...open);
    const line = open.length > 0 && random.chance(92) ? random.pick(open) : undefined;
    if (!line) return this.#visit(random);
    this.#looksAround();
    this.#known.here = line.room;
    const frame = new Generator(random, this.#known, hints).frame();
    line.send(JSON.stringify({ ...frame, req_id: `r${++this.#asked}` }));
    if (random.chance(75)) this.#ask(random);
  }

  #visit(random: Random): void {
    const persona = random.pick(ASKERS.filter(({ caps }) => caps === CAPABILITIES || random.chance(60)));
    const rooms = this.#rooms(random);
    const room = persona.caps && rooms.includes(persona.room) && random.chance(50) ? persona.room : random.pick(rooms);
    this.#enterAs(random, persona, room);
  }

  #enterAs(random: Random, persona: Persona, room: string): void {
    if (this.#dialogue.length > 6) this.#dialogue.shift()?.close();
    if (persona.isInsider) this.#insiders.add(persona.name);
    const line = this.#dial(persona.name, room);
    const keys = this.#keysOf(persona.name);
    line.addEventListener('open', () => {
      const hello = async (): Promise<void> => {
        const ts = this.timeline.now();
        const proof = await signProof({ room, aud: AUDIENCE, ts, nonce: toHex(this.#bytes(16)) }, keys, this.#crypto);
        const token = persona.caps && (await this.#token({ ...persona, room: random.chance(97) ? room : 'open' }));
        if (token) this.#known.keep('token', token);
        line.send(
          JSON.stringify({
            type: 'hello',
            pubkey: keys.publicKey,
            proof,
            token,
            caps: { supports_reconcile: true, supports_mst: true },
            req_id: 'hello',
          }),
        );
        this.#dialogue.push(line);
      };
      hello().catch((error: unknown) => this.model.wrong('no-bugs', told(error)));
    });
  }

  /** The locked room is opened; somebody comes in who may not be there when it is locked again, and stays. */
  #openForAWhile(random: Random): void {
    if (!this.model.isLocked('locked')) return;
    const stranger = WRITERS.find(({ name }) => name === 'cyd')!;
    const after = (ms: number, act: () => void): void => void this.timeline.after(random.below(ms), act);
    this.#submit('locked', { UnlockRoom: {} });
    after(400, () => this.#enterAs(random, stranger, 'locked'));
    this.timeline.after(300, () =>
      after(400, () => this.#submit('locked', { SetRoomKey: { pubkey_hex: this.#admin.publicKey } })),
    );
  }

  /** A room gets a child just as it is, which a frame seldom names; whoever may not know what it holds looks in. */
  #branchOff(random: Random): void {
    const parent = random.chance(70) ? 'locked' : random.pick([...this.model.logs.keys()]);
    const child_room_id = random.pick(CHILDREN);
    const host = this.#hosts.of(parent);
    if (!host || parent.startsWith('~') || this.model.logs.has(child_room_id)) return;
    const stranger = random.pick(ASKERS.filter(({ isInsider }) => !isInsider));
    const isNow = host.withRoom(parent, (room) =>
      Promise.resolve({ canonical_hash: room.stateHash, frontier: room.heads.frontier }),
    );
    isNow.then(
      (parent_checkpoint) => {
        if (!this.#hosts.isUp(host)) return;
        const about = { child_purpose: 'to try something', promotion_policy_id: 'promotion-based' };
        this.#submit(parent, { CreateTopologyChild: { parent_checkpoint, child_room_id, ...about } });
        this.timeline.after(random.below(3000), () => this.#enterAs(random, stranger, child_room_id));
      },
      () => this.#note(`nobody could look into ${parent}`),
    );
  }

  /** Some of what a room was is given up for good, which takes names and positions that fit. */
  #giveUp(random: Random): void {
    const room_id = random.pick([...this.model.logs.keys()].filter((room) => !room.startsWith('~')));
    const host = this.#hosts.of(room_id);
    const all = this.model.logs.get(room_id) ?? [];
    if (!host || all.length === 0) return;
    // What is being written just now comes before or behind.
    const log = all.slice(0, host.known.get(room_id as RoomId) ?? all.length);
    if (random.chance(40))
      return this.#submit(room_id, { PruneHistory: random.chance(50) ? {} : { before: random.below(log.length) } });
    const key = random.pick(GIVEN_UP);
    const nodes = random.chance(30) ? random.shuffled(log).slice(0, 1 + random.below(log.length)) : undefined;
    this.#submit(room_id, { EraseValue: { key, ...(nodes ? { nodes } : {}) } }, host, () =>
      this.model.erased(room_id, key, nodes ?? log),
    );
  }

  /** Somebody has what a room shows proved, as it is or was. */
  #prove(random: Random): void {
    const room = random.pick([...this.model.logs.keys()].filter((name) => !name.startsWith('~')));
    const host = this.#hosts.of(room);
    const log = this.model.logs.get(room) ?? [];
    if (!host) return;
    const moment = { selector: 'seq', canonical_seq: random.below(log.length + 1) };
    const prefix = random.pick(['', 'docs/', 'docs/t', 'secret/', 'none']);
    const asked = { prefix, limit: 1 + random.below(4), ...(random.chance(60) ? { moment } : {}) };
    this.#note(`proof of ${room}: ${JSON.stringify(asked)}`);
    this.#proves(host, room as RoomId, asked).catch((error: unknown) => {
      if (!isRefusal(error) && !isOfDisk(error) && this.#hosts.isUp(host))
        this.model.wrong('no-bugs', `${JSON.stringify(asked)} of ${room}: ${told(error)}`);
    });
  }

  /** What is proved; undefined where it is refused. */
  async #proves(host: Host, room: RoomId, asked: Asked) {
    const life = this.model.lifeOf(room);
    const genesis = await host.withRoom(room, (opened) => Promise.resolve(opened.genesis.pack));
    const proved = await this.#prover.read(host, room, asked);
    if (!proved || this.model.lifeOf(room) !== life) return undefined;
    const fault =
      typeof proved === 'string' ? proved : await this.#prover.faultOf(proved, room, genesis, this.model.beginOf(room));
    if (fault !== undefined) this.model.wrong('proved-as-it-is', `${room}: ${fault}`);
    return typeof proved === 'string' ? undefined : proved;
  }

  /** Rooms that there are and, now and then, one that is none yet: whoever writes there begins it. */
  #rooms(random: Random): string[] {
    return [...ROOMS.filter((room) => this.model.logs.has(room) || random.chance(12))];
  }

  /** The operator runs a command of the host. */
  #operate(random: Random): void {
    const room_id = random.pick(this.#rooms(random));
    this.#looksAround();
    this.#known.here = room_id;
    this.#submit(room_id, new Generator(random, this.#known, hints).hostCommand(), this.#hosts.near(room_id, random));
  }

  #submit(
    room_id: string,
    command: Readonly<Record<string, object>>,
    host = this.#hosts.of(room_id),
    done = (): void => undefined,
  ): void {
    if (!host) return;
    this.#note(`operator > ${room_id}: ${JSON.stringify(command).slice(0, 240)}`);
    host.submit({ room_id, command }).then(
      (reply) => {
        done();
        this.#submitted(room_id, reply);
      },
      (error: unknown) => {
        this.#note(`operator < ${room_id}: ${told(error).slice(0, 200)}`);
        if (!isRefusal(error) && !isOfDisk(error) && this.#hosts.isUp(host))
          this.model.wrong('no-bugs', `${JSON.stringify(command)} in ${room_id}: ${told(error)}`);
      },
    );
  }

  #submitted(room: string, { events }: HostReply): void {
    for (const event of events)
      for (const name of Object.keys(event)) this.model.seen.set(name, (this.model.seen.get(name) ?? 0) + 1);
    this.#known.note(events);
    this.#note(`operator < ${room}: ${JSON.stringify(events).slice(0, 240)}`);
  }

  #disturbNetwork(random: Random): void {
    const lines = [...this.#network.lines];
    const writer = random.pick(this.#writers);
    const kind = random.below(100);
    if (kind < 30) return this.#switch(writer, !writer.uplink.isOnline);
    if (lines.length === 0) return;
    const line = random.pick(lines);
    this.#note(`${line.name}: ${kind < 60 ? 'cut' : kind < 75 ? 'stands still' : 'slow or fast'}`);
    if (kind < 60) line.cut();
    else if (kind < 75) line.standStill();
    else line.slow(kind < 88);
  }

  #switch(writer: Writer, isOnline: boolean): void {
    this.#note(`${writer.persona.name} is ${isOnline ? 'on' : 'off'}line`);
    writer.uplink.switch(isOnline);
  }

  #disturbDisk(random: Random): void {
    const { faults } = this.#disk;
    const kind = random.below(100);
    Object.assign(faults, { full: 0, failing: 0, flipped: 0, mostMs: 8 });
    if (kind < 20) faults.full = 30;
    else if (kind < 40) faults.failing = 20;
    else if (kind < 55) faults.flipped = 50;
    else if (kind < 70) faults.mostMs = 900;
    this.#note(`the disk: ${JSON.stringify(faults)}`);
  }

  /** Everything works from now on; then all that was written comes home, and everybody has the same. */
  async heal(): Promise<void> {
    this.#note('everything works again');
    Object.assign(this.#disk.faults, { full: 0, failing: 0, flipped: 0, mostMs: 8 });
    for (const line of this.#network.lines) line.slow(false);
    for (const writer of this.#writers) {
      if (writer.client.state === 'ended' && writer.persona.caps) this.#enter(writer.persona);
      this.#switch(writer, true);
    }
    this.#hosts.renew();
    this.#hosts.startAll();
    await this.#rest();
    await this.#stopTicks();
    await this.#passes(2 * 60_000);
    await this.#rest();
    if (this.model.breach) return;
    this.#wasTold();
    for (const program of this.#programs.values()) program.hasHeard();
    const before = await this.#agree();
    if (this.model.breach) return;
    this.#hosts.killAll();
    this.#hosts.startAll();
    const after = await this.#agree();
    for (const [room, answer] of before)
      if (this.model.logs.has(room) && after.get(room) !== answer)
        this.model.wrong(
          'same-after-restart',
          `${room}: ${answer.slice(0, 300)} was, ${after.get(room)?.slice(0, 300)} is`,
        );
  }

  /** Until everybody has what there is. */
  async #rest(): Promise<void> {
    const until = this.timeline.now() + 20 * 60_000;
    for (;;) {
      if (this.model.breach) return;
      this.#help();
      await settled(); // what has just begun may have something due sooner than all else
      const waiting = this.#waiting();
      if (waiting.length === 0) return;
      if (this.timeline.now() > until || !(await this.timeline.step()))
        return this.model.wrong('nothing-waits', `twenty minutes after all faults: ${waiting.slice(0, 6).join('; ')}`);
    }
  }

  async #stopTicks(): Promise<void> {
    for (const room_id of this.model.logs.keys())
      if (!room_id.startsWith('~') && !this.model.breach)
        await this.drive(this.#hostOf(room_id).submit({ room_id, command: { StopTick: {} } })).catch(
          (error: unknown) => {
            if (!(error instanceof Rejection)) this.model.wrong('no-bugs', told(error));
          },
        );
  }

  /** Time goes by, and whatever was under way arrives. */
  async #passes(ms: number): Promise<void> {
    let isOver = false;
    this.timeline.after(ms, () => (isOver = true));
    while (!isOver && !this.model.breach && (await this.timeline.step()));
  }

  #help(): void {
    this.#hosts.startAll();
    for (const host of this.#hosts.up)
      for (const room of host.quarantined.keys()) {
        this.#note(`operator resumes ${room}`);
        void host.resume(room).catch(() => undefined);
      }
  }

  #waiting(): string[] {
    const writers = this.#writers.flatMap(({ persona: { name }, client, waiting }) => {
      if (client.state === 'ended') return [];
      if (client.synced && waiting === 0) return [];
      return [
        `${name}: ${client.state}, ${hasReplica(client) ? client.unconfirmed : 'no'} nodes, ${waiting} pushes, ${client.lastError?.message ?? ''}`,
      ];
    });
    const asked = [...this.#network.lines].flatMap((line) => (line.isOpen ? this.model.unanswered(line) : []));
    const stopping = this.#hosts.isAnyStopping ? ['a host that stops'] : [];
    return [...writers, ...asked, ...stopping];
  }

  /** Everybody who is in a room has been sent what its log got meanwhile. */
  #wasTold(): void {
    for (const line of this.#network.lines) {
      const [missed] = line.isOpen ? this.model.missed(line) : [];
      if (missed !== undefined)
        this.model.wrong('told-of-all', `${line.name} in ${line.room} was never sent ${missed.slice(0, 8)}`);
    }
  }

  /** What each room is, as its host says, its log from the beginning, and all who have all of it. */
  async #agree(): Promise<ReadonlyMap<string, string>> {
    const answers = new Map<string, string>();
    for (const room of this.model.logs.keys()) {
      if (room.startsWith('~')) continue;
      await this.#agreeIn(room as RoomId, answers).catch((error: unknown) => {
        // A deletion that a host had begun is finished by the next one.
        if (this.model.logs.has(room)) this.model.wrong('no-bugs', `${room}: ${told(error)}`);
      });
    }
    return answers;
  }

  async #agreeIn(room: RoomId, answers: Map<string, string>): Promise<void> {
    const { genesis, answer } = await this.drive(
      this.#hostOf(room).withRoom(room, async (opened) => ({ genesis: opened.genesis.pack, answer: shown(opened) })),
    );
    answers.set(room, answer);
    const fresh = await createReplica({ genesis, keys: this.#admin, crypto: this.#crypto });
    for await (const { pack } of this.#disk.truth.log.read(room, 0)) {
      this.model.holds(room, pack);
      const { refused } = await fresh.receive(pack);
      if (refused.length > 0)
        this.model.wrong(
          'one-room',
          `${room}: its log holds ${refused[0]!.id}, refused by a replica: ${refused[0]!.reason}`,
        );
    }
    this.#same(room, 'its log read from the beginning', shown(fresh), answer);
    await this.#provesAll(room);
    for (const { persona, client } of this.#writers) {
      if (persona.room !== room || client.state !== 'joined') continue;
      if (persona.followsPruning || client.replica.withheld === 0)
        this.#same(room, persona.name, shown(client.replica), answer);
    }
  }

  /** All that a room shows is proved, and who watches queries has the rows that follow from it. */
  async #provesAll(room: RoomId): Promise<void> {
    const proved = await this.drive(this.#proves(this.#hostOf(room), room, { prefix: '', limit: 1000 }));
    if (!proved) {
      if (!this.model.breach) this.model.wrong('proved-as-it-is', `${room}: nothing is proved`);
      return;
    }
    const programs = [...this.#programs.values()].filter((program) => program.room === room);
    for (const projection of programs.length > 0 ? Object.keys(WATCHED) : []) {
      const { events } = await this.drive(
        this.#hostOf(room).submit({ room_id: room, command: { ReadProjection: { projection_id: projection } } }),
      );
      // Somebody else may have built it of another query.
      const { query_spec_id: spec } = { query_spec_id: '', ...events[0]?.['ProjectionReadResult'] };
      for (const program of programs) if (spec === projection) await program.hasRows(projection, proved.entries);
    }
  }

  #same(room: string, who: string, theirs: string, hosts: string): void {
    if (theirs === hosts) return;
    let at = 0;
    while (theirs[at] === hosts[at]) at++;
    const from = Math.max(0, at - 60);
    this.model.wrong(
      'one-room',
      `${room}: ${who} has …${theirs.slice(from, at + 80)}, the host …${hosts.slice(from, at + 80)}`,
    );
  }

  async end(): Promise<void> {
    for (const { client } of this.#writers) client.close();
    this.#hosts.killAll();
    await settled();
  }
}

/** What a seed makes of its hosts. */
function modeOf(seed: number): Mode {
  const random = new Random(seed ^ 0xd0e5);
  return { letsGo: random.chance(35), hosts: random.chance(25) ? 2 : 1, isCertified: random.chance(25) };
}

function hasReplica(client: RoomClient): boolean {
  try {
    return client.replica !== undefined;
  } catch {
    return false; // it has not joined yet
  }
}
