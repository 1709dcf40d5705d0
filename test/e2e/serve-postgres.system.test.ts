/** `weft serve` on a real PostgreSQL: what it says when it cannot, and what it keeps when it, or the database, is killed. */
import { type KeyPair, type RoomClient, generateKeys, keepRoom } from '@weft/core/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { LocalS3, s3Keys } from '../support/servers/local-s3.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/programs/weft-process.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

interface Asked {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function serve(store: string, { args = [], env = {} }: Asked = {}): WeftProcess {
  return new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--transport', 'ws', ...args], {
    env: { WEFT_STORE: store, ...env },
  });
}

async function addressOf(server: WeftProcess): Promise<string> {
  const [, address] = await server.line(/^ws:\/\/(\S+)$/);
  return address!;
}

function keep(address: () => string, room: string, keys: KeyPair = generateKeys()): RoomClient {
  const open = (): WebSocket => new WebSocket(`ws://${address().replace(/\/.*$/, '')}/ws/${room}`);
  const client = keepRoom({ open, keys, retry: { firstMs: 50, mostMs: 500 } });
  onTestFinished(() => client.close());
  return client;
}

/** Its one line on stderr, and its exit code. */
async function refusal(server: WeftProcess): Promise<string> {
  const { code } = await server.exited;
  return `${server.err.join('\n')} (${code})`;
}

describe('weft serve on a database', () => {
  it('keeps what was pushed over a restart, and never shows the password', async () => {
    const store = database.address(await database.database());
    let server = serve(store, { args: ['--log-level', 'debug'] });
    let at = await addressOf(server);
    const client = keep(() => at, 'plans');
    await client.joined;
    client.replica.set('title', 'Road map');
    await client.push();
    await server.kill('SIGTERM');
    const said = [...server.out, ...server.err];
    server = serve(store, { args: ['--log-level', 'debug'] });
    at = await addressOf(server);
    const other = keep(() => at, 'plans');
    await other.joined;
    await expect.poll(() => other.replica.get('title')).toBe('Road map');
    said.push(...server.out, ...server.err);
    expect(said.join('\n')).toContain('postgres://weft:***@127.0.0.1');
    expect(said.join('\n')).not.toContain(database.password);
  });

  it('loads its client, which a data folder does without', async () => {
    const counting = `import { createRequire } from 'node:module';
      process.on('exit', () => {
        const files = Object.keys(createRequire('file:///here').cache).filter((path) => path.includes('/pg/lib/'));
        console.error('files of the client: ' + files.length);
      });`;
    const command = [
      process.execPath,
      '--import',
      `data:text/javascript,${encodeURIComponent(counting)}`,
      BIN,
    ] as const;
    const filesFor = async (store: string): Promise<number> => {
      const args = ['serve', '--listen', '127.0.0.1:0', '--transport', 'ws'];
      const server = new WeftProcess(args, { command: [...command], env: { WEFT_STORE: store } });
      await addressOf(server);
      await server.kill('SIGTERM');
      const [, files] = await server.line(/^files of the client: (\d+)$/, server.err);
      return Number(files);
    };
    expect(await filesFor(await tempFolder())).toBe(0);
    expect(await filesFor(database.address(await database.database()))).toBeGreaterThan(0);
  });

  it('takes the password from PGPASSWORD', async () => {
    const store = database.address(await database.database(), 'weft');
    const server = serve(store, { env: { PGPASSWORD: database.password } });
    await addressOf(server);
  });

  it('refuses what it cannot use, in one line that says what to do', async () => {
    const name = await database.database();
    await database.ask(`CREATE ROLE guest LOGIN PASSWORD 'guest'`);
    await database.ask(`REVOKE CREATE ON DATABASE ${name} FROM PUBLIC`);
    const cases: [string, RegExp][] = [
      [database.address(name, 'weft:wrong'), /does not let the user weft in .*check its name and password \(1\)$/],
      [database.address(name, 'weft'), /wants a password of weft and there is none; set PGPASSWORD \(1\)$/],
      [database.address('nowhere'), /there is no database nowhere .*createdb.* \(1\)$/],
      [database.address(name, 'guest:guest'), /the user guest lacks rights .*GRANT CREATE ON DATABASE .* \(1\)$/],
      [
        'postgres://weft:sec:ret@127.0.0.1:1/x',
        /x at 127\.0\.0\.1:1 does not answer .*start it, or correct the address \(1\)$/,
      ],
      ['postgres://weft:sec ret@[/x', /WEFT_STORE: must be an address such as postgres:.* \(2\)$/],
    ];
    const answers = await Promise.all(cases.map(([store]) => refusal(serve(store))));
    for (const [i, [, said]] of cases.entries()) {
      expect(answers[i]).toMatch(said);
      expect(answers[i]).not.toMatch(/wrong|sec:?\s?ret|\n/);
    }
  });

  it('refuses tables of another version, and weft migrate says so too', async () => {
    const name = await database.database();
    const store = database.address(name);
    const first = serve(store);
    await addressOf(first);
    await first.kill('SIGTERM');
    const migrate = (): WeftProcess => new WeftProcess(['migrate', '--dry-run'], { env: { WEFT_STORE: store } });
    const told = migrate();
    expect((await told.exited).code).toBe(0);
    expect(told.out.join()).toMatch(/format 3, .*nothing to do/);
    await database.ask('UPDATE weft.version SET version = 99', name);
    for (const command of [serve(store), migrate()])
      expect(await refusal(command)).toMatch(/written by a newer Weft \(version 99 .*use that version \(1\)$/);
  });

  it('refuses a database that may lose what it acknowledges', async () => {
    const careless = await PostgresServer.start({ settings: { synchronous_commit: 'off' } });
    onTestFinished(() => careless.stop());
    expect(await refusal(serve(careless.address()))).toMatch(/set synchronous_commit = on in postgresql\.conf \(1\)$/);
  });

  it('refuses a second process at once, and gives the database to it as soon as the first has died', async () => {
    const store = database.address(await database.database());
    const first = serve(store);
    const at = await addressOf(first);
    const client = keep(() => at, 'plans');
    await client.joined;
    client.replica.set('title', 'first');
    await client.push();
    expect(await refusal(serve(store))).toMatch(/in use by process \d+ on .* stop the other one first \(1\)$/);
    await first.kill('SIGKILL');
    const second = serve(store);
    const now = await addressOf(second);
    const other = keep(() => now, 'plans');
    await other.joined;
    await expect.poll(() => other.replica.get('title')).toBe('first');
  });

  it('writes nothing after it was stopped for longer than its lease, and says why', async () => {
    const store = database.address(await database.database());
    const first = serve(store);
    const at = await addressOf(first);
    const client = keep(() => at, 'plans');
    await client.joined;
    client.replica.set('title', 'first');
    await client.push();
    first.signal('SIGSTOP');
    const second = serve(store);
    const now = await addressOf(second);
    const other = keep(() => now, 'plans');
    await other.joined;
    other.replica.set('title', 'second');
    await other.push();
    first.signal('SIGCONT');
    client.replica.set('title', 'stale');
    const pushed = client.push().then(
      () => 'kept',
      () => 'refused',
    );
    await first.line(/was taken by another Weft process while this one did not answer/, first.err);
    expect(await first.exited).toMatchObject({ code: 1 });
    await second.kill('SIGTERM');
    const third = serve(store);
    const then = await addressOf(third);
    const reader = keep(() => then, 'plans');
    await reader.joined;
    await expect.poll(() => reader.replica.get('title')).toBe('second');
    client.close();
    expect(await pushed).toBe('refused');
  });

  it('keeps what has not changed for long in a cold store, and does not start without', async () => {
    const store = database.address(await database.database());
    const { url } = await LocalS3.start();
    const env = {
      WEFT_ADMIN_TOKEN: 'the-token-of-the-server',
      WEFT_COLD_STORE: `s3://blobs/cold?endpoint=${url}`,
      WEFT_COLD_ACCESS_KEY: s3Keys.accessKey,
      WEFT_COLD_SECRET_KEY: s3Keys.secretKey,
      WEFT_COLD_AFTER_DAYS: '0',
    };
    const args = ['--admin-addr', '127.0.0.1:0', '--json'];
    let server = serve(store, { args, env });
    const [said] = await server.line(/^\{"url".*$/);
    const { url: peers, admin } = JSON.parse(said) as { url: string; admin: string };
    const client = keep(() => new URL(peers.replace('<room>', 'x')).host, 'plans');
    await client.joined;
    client.replica.set('title', 'Road map');
    await client.push();
    const compacted = await fetch(`${admin}/v1/rooms/plans/compact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.WEFT_ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(compacted.status).toBe(200);
    client.close();
    await server.kill('SIGTERM');
    // Looks when it starts: what was written meanwhile is old enough here.
    server = serve(store, { env });
    await server.line(/moved to the cold store/, server.err);
    const at = await addressOf(server);
    const reader = keep(() => at, 'plans');
    await reader.joined;
    expect(reader.replica.get('title')).toBe('Road map');
    reader.close();
    await server.kill('SIGTERM');
    const run = async (words: readonly string[], own: Readonly<Record<string, string>>): Promise<string> => {
      const command = new WeftProcess(words, { env: { WEFT_STORE: store, ...own } });
      const { code } = await command.exited;
      return `${[...command.out, ...command.err].join('\n')} (${code})`;
    };
    expect(await refusal(serve(store))).toMatch(/lies in a cold store: name it, with --cold-store \(1\)$/);
    expect(await run(['cold'], env)).toMatch(/^[1-9]\d* objects in the cold store, \d+ bytes \(0\)$/);
    expect(await run(['doctor'], env)).toMatch(/nothing is wrong \(0\)$/);
    expect(await run(['cold', '--back'], env)).toMatch(/brought back, .*\n0 objects in the cold store, 0 bytes \(0\)$/);
    server = serve(store);
    const then = await addressOf(server);
    const last = keep(() => then, 'plans');
    await last.joined;
    expect(last.replica.get('title')).toBe('Road map');
  });

  it('names what needs a folder', async () => {
    const store = database.address(await database.database());
    const env = { WEFT_STORE: store };
    for (const args of [
      ['backup', await tempFolder()],
      ['restore', await tempFolder()],
    ]) {
      const command = new WeftProcess(args, { env });
      expect(await refusal(command)).toMatch(
        /needs a data folder: name one with --store, not postgres:.*\*\*\*.* \(2\)$/,
      );
    }
    expect(await refusal(new WeftProcess(['room', 'watch', 'plans'], { env }))).toMatch(/--admin-addr \(2\)$/);
    const listed = new WeftProcess(['room', 'list', '--json'], { env });
    expect((await listed.exited).code).toBe(0);
    expect(listed.out).toEqual(['[]']);
  });

  it('loses nothing that was acknowledged when the database or the server is killed under load, and goes on', async () => {
    const store = database.address(await database.database());
    let server = serve(store);
    let at = await addressOf(server);
    const rooms = ['plans', 'notes', 'drafts'];
    const clients = rooms.flatMap((room) => [keep(() => at, room), keep(() => at, room)]);
    await Promise.all(clients.map(({ joined }) => joined));
    /** What each client was told is durable. */
    const durable = clients.map(() => new Set<string>());
    let isOver = false;
    const writing = clients.map(async (client, who) => {
      for (let round = 0; !isOver; round++) {
        client.replica.set(`${who}/${round}`, round);
        // A push that a failure has refused is sent again with the next one.
        const isKept = await client.push().then(
          () => true,
          () => false,
        );
        if (isKept) durable[who]!.add(`${who}/${round}`);
      }
    });
    const acked = (): number => durable.reduce((sum, { size }) => sum + size, 0);
    const goesOn = async (): Promise<void> => {
      const before = acked();
      await expect.poll(acked).toBeGreaterThan(before + 20);
    };
    for (let round = 0; round < 2; round++) {
      await goesOn();
      await database.crash();
      await database.up();
      await goesOn();
      await server.kill('SIGKILL');
      server = serve(store);
      at = await addressOf(server);
    }
    await goesOn();
    isOver = true;
    await Promise.all(writing);
    await server.kill('SIGTERM');
    server = serve(store);
    at = await addressOf(server);
    for (const [i, room] of rooms.entries()) {
      const reader = keep(() => at, room);
      await reader.joined;
      const kept = [...durable[2 * i]!, ...durable[2 * i + 1]!];
      await expect.poll(() => kept.filter((key) => reader.replica.get(key) === undefined)).toEqual([]);
    }
  });
});
