/**
 * A rolling restart of a cluster, process by process, while everybody writes: no push is refused, nobody misses a node, nobody is sent
 * again what he has, and who is not due yet is served to the end.
 */
import { randomBytes } from 'node:crypto';
import { type RoomClient, generateKeys, keepRoom } from '@weft/core/client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Load } from '../support/load.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, known, logIsSound } from '../support/servers/served.js';

const HISTORY_BYTES = 300_000;
const ROOMS = ['plans', 'notes', 'drafts', 'ideas'];

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

/** Client that tries these processes in turn, with what each of its connections has brought. */
class Counted {
  readonly client: RoomClient;
  readonly refused: unknown[] = [];
  /** Bytes by connection. */
  readonly received: number[] = [];

  constructor(at: readonly { served: Served }[], from: number, room: string) {
    let next = from;
    const open = (): WebSocket => {
      const socket = new WebSocket(at[next++ % at.length]!.served.urlOf(room));
      const connection = this.received.push(0) - 1;
      socket.on('message', (data: Buffer | ArrayBuffer) => (this.received[connection]! += data.byteLength));
      return socket;
    };
    this.client = keepRoom({ open, keys: generateKeys() });
    onTestFinished(() => this.client.close());
    const push = this.client.push.bind(this.client);
    this.client.push = () =>
      push().catch((error: unknown) => {
        this.refused.push(error);
        throw error;
      });
  }
}

it('processes of a cluster are replaced one after the other, and the application sees none of it', async () => {
  const store = database.address(await database.database());
  const start = (): Promise<Served> => new Served(store, ['--drain-over-ms', '1500', '--drain-ms', '20000']).ready();
  const places = [{ served: await start() }, { served: await start() }];
  const serving = (): Served[] => places.map(({ served }) => served);
  await known(serving(), 2);
  const counted = ROOMS.flatMap((room) => [0, 1].map((from) => new Counted(places, from, room)));
  const clients = counted.map(({ client }) => client);
  for (const client of clients) await client.joined;
  for (const [i, client] of clients.entries())
    if (i % 2 === 0) {
      client.replica.set('history', new Uint8Array(randomBytes(HISTORY_BYTES)));
      await client.push();
    }
  const loads = ROOMS.map((_, i) => new Load(clients.slice(2 * i, 2 * i + 2)));
  for (const load of loads) await load.goesOn();
  for (const place of places) {
    const old = place.served;
    place.served = await start();
    await known([...serving(), old], 3);
    const before = counted.map(({ received }) => received.length);
    const ended = old.process.kill('SIGTERM');
    for (const load of loads) await load.goesOn();
    expect(await ended).toEqual({ code: 0, signal: null });
    await known(serving(), 2);
    // Somebody was there, or in a room that was.
    expect(counted.some(({ received }, i) => received.length > before[i]!)).toBe(true);
  }
  for (const load of loads) await load.end();
  for (const { refused, received } of counted) {
    expect(refused).toEqual([]);
    const [, ...later] = received;
    for (const bytes of later) expect(bytes).toBeLessThan(HISTORY_BYTES);
  }
  for (const room of ROOMS) await logIsSound(database, store, room);
});
