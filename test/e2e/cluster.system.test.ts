/** Several `weft serve` on one PostgreSQL: real processes, each reached by clients of its own, killed and stopped under load. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Token, generateKeys } from '@weft/core/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { Load } from '../support/load.js';
import { NatsServer } from '../support/servers/nats.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, cluster, keep, known, logIsSound } from '../support/servers/served.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

describe('several processes on one database', () => {
  it('serve one room together: edits, presence, who is there, and frames for one peer', async () => {
    const { store, served } = await cluster(database, 3);
    const keys = served.map(() => generateKeys());
    const clients = served.map((each, i) => keep([each], 'plans', keys[i]));
    await Promise.all(clients.map(({ joined }) => joined));
    for (const [i, { replica }] of clients.entries()) replica.set(`by/${i}`, i);
    const load = new Load(clients);
    await load.goesOn();
    await load.end();
    for (const { replica } of clients) expect([0, 1, 2].map((i) => replica.get(`by/${i}`))).toEqual([0, 1, 2]);
    await logIsSound(database, store, 'plans');
    // One of them has the room, and the others hand their peers' frames on to it.
    const forwarded = await Promise.all(served.map((each) => each.metric('cluster_forwarded')));
    expect(forwarded.toSorted()).toEqual([0, 1, 1]);

    const sockets = await Promise.all(served.map((each) => Frames.enter(each.urlOf('plans'))));
    const [first, , last] = sockets as [Frames, Frames, Frames];
    first.send({ type: 'presence', data: { at: 'line 7' } });
    expect(await last.next('presence')).toMatchObject({ data: { at: 'line 7' }, from: first.pubkey });
    const late = await Frames.enter(served[1]!.urlOf('plans'));
    expect(await late.next('presence')).toMatchObject({ data: { at: 'line 7' } });
    last.send({ type: 'webrtc-offer', to: first.pubkey, sdp: { type: 'offer', sdp: 'v=0' } });
    expect(await first.next('webrtc-offer')).toMatchObject({ from: last.pubkey, sdp: { sdp: 'v=0' } });
    const { answer } = await served[2]!.ask('/rooms/plans/peers', {});
    expect(answer['peers']).toHaveLength(clients.length + sockets.length + 1);
  });

  it('do what an operator says to any of them, at once and everywhere', async () => {
    const { served } = await cluster(database, 3);
    const [one, two, three] = served as [Served, Served, Served];
    const inside = keep([one], 'plans');
    await inside.joined;
    inside.replica.set('title', 'Road map');
    await inside.push();
    // Rooms that are shut by one are shut for those who come to another one, and are opened again likewise.
    expect((await two.ask('/rooms/plans/quarantine', { reason: 'looked into' })).status).toBe(200);
    for (const each of served)
      expect(await Frames.refusal(each.urlOf('plans'))).toMatchObject({ code: 'room-quarantined' });
    expect((await three.ask('/rooms/plans/resume', {})).status).toBe(200);
    for (const each of served) await Frames.enter(each.urlOf('plans'));
    // A child is forked by a process that does not have the parent, and merged again by a third one.
    expect((await three.ask('/rooms/plans/fork', { child: 'draft', merges: true })).status).toBe(200);
    const drafting = keep([two], 'draft');
    await drafting.joined;
    drafting.replica.set('title', 'Road map, again');
    await drafting.push();
    const reading = keep([three], 'plans');
    await reading.joined;
    expect((await three.ask('/rooms/plans/promote', { child: 'draft' })).status).toBe(200);
    await expect.poll(() => reading.replica.get('title')).toBe('Road map, again');
    // Deleted by one, it is gone for whoever is there by another one.
    const socket = await Frames.enter(two.urlOf('plans'));
    expect((await one.ask('/rooms/plans/delete', { confirm: 'plans' })).status).toBe(200);
    expect(await socket.ended).toMatch(/^1008/);
    expect(await Frames.refusal(three.urlOf('plans'))).toMatchObject({ code: 'room-deleted' });
  });

  it('lock a room and revoke a token for peers of every process, whoever of them is told', async () => {
    const admin = join(await tempFolder(), 'admin.key');
    await writeFile(admin, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    const { served } = await cluster(database, 3, { WEFT_ADMIN_KEY: admin });
    const urls = served.map((each) => each.urlOf('plans'));
    const guests: Frames[] = [];
    for (const url of urls) guests.push(await Frames.enter(url));
    // By each of them in turn: at least two have not got the room.
    expect((await served[1]!.ask('/rooms/plans/lock', {})).status).toBe(200);
    for (const { ended } of guests) expect(await ended).toMatch(/^1008/);
    for (const url of urls) expect(await Frames.refusal(url)).toMatchObject({ code: 'auth', msg: 'auth: room locked' });
    const members = await Promise.all(
      served.map(async (each) => {
        const keys = generateKeys();
        const { answer } = await served[2]!.ask('/rooms/plans/token', { peer: keys.publicKey });
        const client = keep([each], 'plans', keys, answer as unknown as Token);
        await client.joined;
        return { client, peer: keys.publicKey };
      }),
    );
    for (const [i, { client, peer }] of members.entries()) {
      const told = served[(i + 1) % served.length]!;
      expect((await told.ask('/rooms/plans/revoke', { peer })).status).toBe(200);
      expect(await client.closed).toMatchObject({ code: 1008 });
    }
    expect((await served[0]!.ask('/rooms/plans/unlock', {})).status).toBe(200);
    for (const url of urls) await Frames.enter(url);
  });

  it('serve clients of Yjs together, which find their document at another one when theirs is killed', async () => {
    const { served } = await cluster(database, 2, { WEFT_YJS: 'on' });
    const clients = served.map((each) => new YjsClient(each.said!.url));
    const [one, other] = clients as [YjsClient, YjsClient];
    for (const { provider } of clients) await expect.poll(() => provider.synced).toBe(true);
    one.text.insert(0, 'hello');
    await expect.poll(() => other.text.toString()).toBe('hello');
    other.text.insert(5, ' world');
    await expect.poll(() => one.text.toString()).toBe('hello world');
    one.provider.awareness.setLocalState({ name: 'Ada' });
    const names = (): unknown[] => [...other.provider.awareness.getStates().values()].map((state) => state['name']);
    await expect.poll(names).toContain('Ada');
    // Whichever has the room, one of the two deaths is that of its owner; the other's client goes on.
    await served[0]!.process.kill('SIGKILL');
    const late = new YjsClient(served[1]!.said!.url);
    await expect.poll(() => late.text.toString(), { timeout: 60_000 }).toBe('hello world');
    late.text.insert(11, '!');
    await expect.poll(() => other.text.toString(), { timeout: 60_000 }).toBe('hello world!');
  });

  it('lose nothing when one is killed under load: its peers and its rooms go on at the others', async () => {
    const { store, served } = await cluster(database, 3);
    const rooms = ['plans', 'notes', 'drafts'];
    const clients = rooms.flatMap((room, i) =>
      [0, 1].map((j) => keep([...served.slice((i + j) % 3), ...served.slice(0, (i + j) % 3)], room)),
    );
    await Promise.all(clients.map(({ joined }) => joined));
    const load = rooms.map((_, i) => new Load(clients.slice(2 * i, 2 * i + 2)));
    for (const each of load) await each.goesOn();
    const [first, second, third] = served as [Served, Served, Served];
    await first.process.kill('SIGKILL');
    for (const each of load) await each.goesOn();
    await known([second, third], 2);
    const fresh = await new Served(store).ready();
    await known([second, third, fresh], 3);
    // The kept addresses lead to the new one.
    first.said = fresh.said;
    await second.process.kill('SIGTERM');
    for (const each of load) await each.goesOn();
    for (const each of load) await each.end();
    for (const room of rooms) await logIsSound(database, store, room);
  });

  it('write nothing after they were stopped for longer than their lease, and end', async () => {
    const { store, served } = await cluster(database, 2);
    const [first, second] = served as [Served, Served];
    const own = keep([first], 'plans');
    await own.joined;
    const other = keep([second], 'plans');
    await other.joined;
    own.replica.set('title', 'first');
    await own.push();
    await expect.poll(() => other.replica.get('title')).toBe('first');
    first.process.signal('SIGSTOP');
    own.replica.set('stale', 'from before');
    void own.push().catch(() => undefined);
    other.replica.set('title', 'second');
    // Its room is the other's once its lease is over.
    await expect
      .poll(
        () =>
          other.push().then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true);
    first.process.signal('SIGCONT');
    expect(await first.process.exited).toMatchObject({ code: 1 });
    expect(first.process.err.join('\n')).toContain('was shared on without this process');
    const reader = keep([second], 'plans');
    await reader.joined;
    await expect.poll(() => reader.replica.get('title')).toBe('second');
    await logIsSound(database, store, 'plans');
  });

  it('wait for a database that restarts, and lose neither each other nor what was acknowledged', async () => {
    const { store, served } = await cluster(database, 2);
    const clients = served.map((each) => keep([each], 'plans'));
    await Promise.all(clients.map(({ joined }) => joined));
    const load = new Load(clients);
    await load.goesOn();
    await database.crash();
    await database.up();
    await load.goesOn();
    await load.end();
    await known(served, 2);
    for (const each of served) expect(each.process.hasEnded).toBe(false);
    await logIsSound(database, store, 'plans');
  });

  it('go on over NATS, and when it is killed and back, with all that was acknowledged', async () => {
    const nats = await NatsServer.start();
    onTestFinished(() => nats.kill());
    const { store, served } = await cluster(database, 2, { WEFT_BUS: nats.address, WEFT_BUS_PASSWORD: nats.password });
    const clients = served.map((each) => keep([each], 'plans'));
    await Promise.all(clients.map(({ joined }) => joined));
    const load = new Load(clients);
    await load.goesOn();
    await nats.kill();
    for (const each of served) await expect.poll(() => each.metric('cluster_unreachable')).toBe(1);
    await nats.up();
    await known(served, 2);
    await load.goesOn();
    await served[0]!.process.kill('SIGKILL');
    await load.endFor(clients[1]!);
    await logIsSound(database, store, 'plans');
  });

  it('are refused beside one that has the database alone, and the other way round', async () => {
    const { store, served } = await cluster(database, 1);
    const alone = new WeftProcess(['serve', '--listen', '127.0.0.1:0'], { env: { WEFT_STORE: store } });
    expect(await alone.exited).toMatchObject({ code: 1 });
    expect(alone.err.join('\n')).toMatch(/in use by process \d+ .*--cluster-addr or --bus: stop the other one first/);
    await served[0]!.process.kill('SIGTERM');
    const now = new WeftProcess(['serve', '--listen', '127.0.0.1:0'], { env: { WEFT_STORE: store } });
    await now.line(/^ws:/);
    const late = new Served(store);
    expect(await late.process.exited).toMatchObject({ code: 1 });
    expect(late.process.err.join('\n')).toMatch(/in use by process \d+ .*with --cluster-addr/);
  });

  it('need a database', async () => {
    const store = database.address(await database.database());
    const refused = async (place: string, ...args: readonly string[]): Promise<string> => {
      const { process } = new Served(place, args);
      const { code } = await process.exited;
      return `${process.err.join('\n')} (${code})`;
    };
    expect(await refused(await tempFolder())).toMatch(
      /--cluster-addr: several processes share a database alone.* \(2\)$/,
    );
    expect(await refused('memory')).toMatch(/--cluster-addr: several processes share a database alone.* \(2\)$/);
    expect(await refused(store, '--bus', 'nats://127.0.0.1:4222')).toMatch(/leave one of the two out \(2\)$/);
  });
});

/** A client of Yjs as it is. */
class YjsClient {
  readonly provider: WebsocketProvider;
  readonly text: Y.Text;

  constructor(url: string) {
    const doc = new Y.Doc();
    this.text = doc.getText('text');
    this.provider = new WebsocketProvider(url.replace('/ws/<room>', '/yjs'), 'notes', doc, {
      WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
      disableBc: true,
      maxBackoffTime: 200,
    });
    onTestFinished(() => this.provider.destroy());
  }
}

/** A peer by its bare frames. */
class Frames {
  readonly pubkey = generateKeys().publicKey;
  readonly #socket: WebSocket;
  readonly #heard: Record<string, unknown>[] = [];
  readonly ended: Promise<string>;

  private constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on('message', (data) => this.#heard.push(JSON.parse(String(data)) as Record<string, unknown>));
    this.ended = new Promise((resolve) => this.#socket.once('close', (code, why) => resolve(`${code} ${String(why)}`)));
    onTestFinished(() => this.#socket.terminate());
  }

  static async enter(url: string): Promise<Frames> {
    const peer = await Frames.#say(url);
    await peer.next('welcome');
    return peer;
  }

  static async refusal(url: string): Promise<Record<string, unknown>> {
    return (await Frames.#say(url)).next('error');
  }

  static async #say(url: string): Promise<Frames> {
    const peer = new Frames(url);
    await new Promise((resolve, reject) => peer.#socket.once('open', resolve).once('error', reject));
    peer.send({ type: 'hello', pubkey: peer.pubkey });
    return peer;
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  async next(type: string): Promise<Record<string, unknown>> {
    await expect.poll(() => this.#heard.some((frame) => frame['type'] === type), { timeout: 60_000 }).toBe(true);
    return this.#heard.find((frame) => frame['type'] === type)!;
  }
}
