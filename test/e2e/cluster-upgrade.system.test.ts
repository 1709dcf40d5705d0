/** A cluster of an earlier version is brought to this one without a pause: its processes are replaced one after the other, under load. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EarlierWeft } from '../support/programs/earlier-weft.js';
import { NatsServer } from '../support/servers/nats.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Load } from '../support/load.js';
import { Served, keep, known, logIsSound } from '../support/servers/served.js';

/** What people run before this version: the newest commit of before processes asked each other for their words. */
const EARLIER = '544d9e49a945307771651e511242e514322d14a4';

let database: PostgresServer;
let earlier: EarlierWeft;
beforeAll(async () => {
  earlier = await EarlierWeft.at(EARLIER);
  database = await PostgresServer.start();
}, 120_000);
afterAll(async () => {
  await database.stop();
  await earlier.remove();
});

it.each(['TCP', 'NATS'])(
  'over %s two versions serve one room, and each process is replaced by a new one, and by an old one again',
  async (bus) => {
    const nats = bus === 'NATS' ? await NatsServer.start() : undefined;
    try {
      const env: Record<string, string> = nats ? { WEFT_BUS: nats.address, WEFT_BUS_PASSWORD: nats.password } : {};
      const store = database.address(await database.database());
      const old = (): Promise<Served> => new Served(store, [], env, earlier.command).ready();
      const now = (): Promise<Served> => new Served(store, [], env).ready();
      const served = [await old(), await old()];
      await known(served, 2);
      const rooms = ['plans', 'notes', 'drafts'];
      const clients = rooms.flatMap((room) => [keep(served, room), keep([...served].reverse(), room)]);
      await Promise.all(clients.map(({ joined }) => joined));
      const loads = rooms.map((_, i) => new Load(clients.slice(2 * i, 2 * i + 2)));
      const goesOn = async (): Promise<void> => {
        for (const load of loads) await load.goesOn();
      };
      await goesOn();
      // Forward, half of the way back, and forward again: an upgrade that people think better of.
      for (const [place, next] of [
        [0, now],
        [1, now],
        [0, old],
        [0, now],
      ] as const) {
        const leaving = served[place]!;
        served[place] = await next();
        await goesOn();
        expect(await leaving.process.kill('SIGTERM')).toMatchObject({ code: 0 });
        // Clients have the address of the one that has gone.
        leaving.said = served[place].said;
        await known(served, 2);
        await goesOn();
      }
      for (const load of loads) await load.end();
      for (const room of rooms) await logIsSound(database, store, room);
      for (const { process } of served) expect(process.hasEnded).toBe(false);
    } finally {
      await nats?.kill();
    }
  },
  180_000,
);
