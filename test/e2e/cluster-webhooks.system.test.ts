/** Webhooks of rooms in a database: told by one process of several, and by another one when that is killed. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';
import { type Served, cluster, keep, known } from '../support/servers/served.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { weftJson } from '../support/programs/weft-run.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

interface Told {
  readonly seq: number;
  readonly node: string;
}

interface Notice {
  readonly room: string;
  readonly from?: number;
  readonly nodes?: readonly Told[];
  readonly deleted?: true;
}

/** Notes all that is told, and takes two of three requests; some of the others it reads and says nothing to. */
async function unsteadyReceiver() {
  const told: Notice[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      told.push(JSON.parse(text) as Notice);
      if (++asked % 6 === 0) response.destroy();
      else if (asked % 6 === 3) response.writeHead(500).end();
      else response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Each room is told of from its first node on, without a gap, and a node has one number however often it is told. */
function inOrder(told: readonly Notice[], room: string): number {
  const nodes = new Map<number, string>();
  for (const notice of told) {
    if (notice.room !== room || !notice.nodes) continue;
    expect(notice.from).toBeLessThanOrEqual(nodes.size);
    for (const { seq, node } of notice.nodes) {
      expect(nodes.get(seq) ?? node).toBe(node);
      nodes.set(seq, node);
    }
  }
  return nodes.size;
}

async function head(store: string, room: string): Promise<number> {
  const name = new URL(store).pathname.slice(1);
  const [row] = await database.ask<{ head: string }>(`SELECT head FROM weft.room WHERE room = '${room}'`, name);
  return Number(row?.head);
}

/** The process that tells webhooks, by what the database says of it. */
async function courierAmong(store: string, served: readonly Served[]): Promise<Served> {
  const name = new URL(store).pathname.slice(1);
  const ask = () =>
    database.ask<{ holder: string }>(
      `SELECT holder FROM weft.owner JOIN weft.lease ON process = name WHERE room = '~webhooks'`,
      name,
    );
  await expect.poll(async () => (await ask()).length).toBe(1);
  const [row] = await ask();
  return served.find(({ process: { pid } }) => row?.holder.startsWith(`process ${pid} `))!;
}

it('one of them tells all that any of them has written, and when it is killed another one goes on: no gap, in order', async () => {
  const { store, served } = await cluster(database, 3);
  const { told, url } = await unsteadyReceiver();
  const { answer } = await served[2]!.ask('/webhooks/add', { url, rooms: 'plans-*' });
  expect(answer).toMatchObject({ url, secret: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  const rooms = ['plans-1', 'plans-2', 'plans-3', 'other'];
  const clients = rooms.map((room, i) => keep([...served.slice(i % 3), ...served.slice(0, i % 3)], room));
  await Promise.all(clients.map(({ joined }) => joined));
  const write = async (life: number): Promise<void> => {
    for (let n = 0; n < 10; n++)
      for (const client of clients) {
        client.replica.set(`k${n}`, life);
        // What a death has refused goes with the next push.
        await client.push().catch(() => undefined);
      }
  };
  await write(0);
  const alive = [...served];
  for (let life = 1; life < 3; life++) {
    const courier = await courierAmong(store, alive);
    expect(courier).toBeDefined();
    const writing = write(life);
    await courier.process.kill('SIGKILL');
    alive.splice(alive.indexOf(courier), 1);
    for (const each of served) if (!alive.includes(each)) each.said = alive[0]!.said;
    await writing;
    await write(life + 10);
    await known(alive, alive.length);
  }
  for (const client of clients) {
    client.replica.set('last', true);
    await client.push();
  }
  for (const room of rooms.slice(0, 3))
    await expect.poll(async () => (await head(store, room)) - inOrder(told, room), { timeout: 60_000 }).toBe(0);
  expect(told.some(({ room }) => room === 'other')).toBe(false);
  const last = alive[0]!;
  const list = await last.ask('/webhooks/list', {});
  expect(list.answer).toMatchObject({ webhooks: [{ id: (answer as { id: string }).id, url, rooms: 'plans-*' }] });
});

it('a process that has a database alone keeps them there, and words are said to it while none serves', async () => {
  const store = database.address(await database.database());
  const { told, url } = await unsteadyReceiver();
  const first = new WeftProcess(['serve', '--listen', '127.0.0.1:0'], { env: { WEFT_STORE: store } });
  await first.line(/^ws:/);
  await first.kill('SIGTERM');
  const added = await weftJson('webhook', 'add', '--url', url, '--rooms', '*', '--store', store);
  for (let life = 0; life < 2; life++) {
    const server = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--json'], { env: { WEFT_STORE: store } });
    const [line] = await server.line(/^\{"url".*$/);
    const at = { urlOf: (room: string) => (JSON.parse(line) as { url: string }).url.replace('<room>', room) };
    const client = keep([at as Served], 'plans');
    await client.joined;
    client.replica.set(`life ${life}`, true);
    await client.push();
    client.close();
    await server.kill(life === 0 ? 'SIGKILL' : 'SIGTERM');
  }
  const server = new WeftProcess(['serve', '--listen', '127.0.0.1:0'], { env: { WEFT_STORE: store } });
  await server.line(/^ws:/);
  await expect.poll(async () => (await head(store, 'plans')) - inOrder(told, 'plans'), { timeout: 60_000 }).toBe(0);
  await server.kill('SIGTERM');
  const { webhooks } = (await weftJson('webhook', 'list', '--store', store)) as { webhooks: { id: string }[] };
  expect(webhooks).toMatchObject([{ id: (added as { id: string }).id }]);
});
