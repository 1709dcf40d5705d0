/** Rights in a cluster: what a room's log has behind a policy, and once somebody is shut out, whichever process he writes at. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomId, decodePack, toHex } from '@weft/core';
import { type Token, generateKeys } from '@weft/core/client';
import { postgresStore } from '@weft/core/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from '../support/load.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { cluster, keep, logIsSound } from '../support/servers/served.js';
import { tempFolder } from '../support/temp-folder.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

const POLICY_KEY = '\0policy';

interface Logged {
  readonly author: string;
  readonly keys: readonly string[];
}

/** The log of a room, as the database has it while it is served. */
async function logOf(address: string, room: string): Promise<Logged[]> {
  const store = postgresStore(address, { isReader: true });
  await store.open();
  try {
    const all: Logged[] = [];
    for await (const { pack } of store.log.read(room as RoomId, 0))
      for (const { author, ops } of decodePack(pack).nodes)
        all.push({ author: toHex(author), keys: ops.flatMap((op) => ('key' in op ? [op.key] : [])) });
    return all;
  } finally {
    await store.close();
  }
}

it('behind a policy nothing stands that it forbids, and of who is shut out nothing comes once that is answered, wherever he writes', async () => {
  const admin = join(await tempFolder(), 'admin.key');
  await writeFile(admin, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const { store, served } = await cluster(database, 3, { WEFT_ADMIN_KEY: admin });
  const enter = async (at: number, room: string, caps: readonly string[] = []) => {
    const keys = generateKeys();
    const { answer } = await served[(at + 1) % 3]!.ask(`/rooms/${room}/token`, { peer: keys.publicKey, caps });
    const client = keep([served[at]!], room, keys, answer as unknown as Token);
    await client.joined;
    return { client, peer: keys.publicKey };
  };
  const crowd = async (room: string) => {
    const members = [await enter(0, room), await enter(1, room), await enter(2, room)];
    await Promise.all(members.map(({ client }) => new Load([client]).goesOn()));
    return { members, peers: new Set(members.map(({ peer }) => peer)) };
  };

  // Under load, so that nodes are on their way from all three when the policy is decided.
  const ruled = await crowd('ruled');
  const owner = await enter(1, 'ruled', ['policy.admin']);
  const set = { type: 'set-policy', default: 'allow', rules: [{ path_glob: '0/**', can_write: [owner.peer] }] };
  expect(await owner.client.request(set)).toMatchObject({ type: 'policy-set' });
  owner.client.replica.set('after', true);
  await owner.client.push();
  for (const { client } of ruled.members) client.close();
  const log = await logOf(store, 'ruled');
  const at = log.findIndex(({ keys }) => keys.includes(POLICY_KEY));
  expect(at).toBeGreaterThan(0);
  const forbidden = (nodes: readonly Logged[]): Logged[] =>
    nodes.filter(({ author, keys }) => ruled.peers.has(author) && keys.some((key) => key.startsWith('0/')));
  expect(forbidden(log.slice(0, at)).length).toBeGreaterThan(0);
  expect(forbidden(log.slice(at))).toEqual([]);
  expect(log.slice(at).flatMap(({ keys }) => keys)).toContain('after');

  const plans = await crowd('plans');
  for (const [i, { client, peer }] of plans.members.entries()) {
    expect((await served[(i + 1) % 3]!.ask('/rooms/plans/revoke', { peer })).status).toBe(200);
    const had = (await logOf(store, 'plans')).length;
    expect(await client.closed).toMatchObject({ code: 1008 });
    const other = keep([served[i]!], 'plans');
    await other.joined;
    other.replica.set('later', i);
    await other.push();
    const later = (await logOf(store, 'plans')).slice(had);
    expect(later.filter(({ author }) => author === peer)).toEqual([]);
    expect(later.flatMap(({ keys }) => keys)).toContain('later');
  }

  const strangers = served.map((each) => {
    const keys = generateKeys();
    return { client: keep([each], 'notes', keys), peer: keys.publicKey };
  });
  for (const { client } of strangers) await client.joined;
  await Promise.all(strangers.map(({ client }) => new Load([client]).goesOn()));
  expect((await served[1]!.ask('/rooms/notes/lock', {})).status).toBe(200);
  const had = (await logOf(store, 'notes')).length;
  for (const { client } of strangers) expect(await client.closed).toMatchObject({ code: 1008 });
  const members = await crowd('notes');
  const later = (await logOf(store, 'notes')).slice(had);
  expect(new Set(later.map(({ author }) => author))).toEqual(members.peers);
  for (const { client } of members.members) client.close();
  for (const room of ['ruled', 'plans', 'notes']) await logIsSound(database, store, room);
});
