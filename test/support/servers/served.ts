/** `weft serve` several times on one database, as real processes, and clients that come to any of them. */
import { type KeyPair, type RoomClient, type Token, generateKeys, keepRoom } from '@weft/core/client';
import { expect, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { PostgresServer } from './postgres.js';
import { WeftProcess } from '../programs/weft-process.js';

const TOKEN = 'the-token-of-the-cluster';

export class Served {
  readonly process: WeftProcess;
  /** Addresses that it has said; undefined until then. */
  said: { readonly url: string; readonly admin: string; readonly metrics: string } | undefined;

  constructor(
    store: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    command?: readonly [string, ...string[]],
  ) {
    const own = 'WEFT_BUS' in env ? [] : ['--cluster-addr'];
    const addresses = ['--listen', '--admin-addr', '--metrics-addr', ...own].flatMap((name) => [name, '127.0.0.1:0']);
    this.process = new WeftProcess(['serve', ...addresses, '--transport', 'ws', '--json', ...args], {
      env: { WEFT_STORE: store, WEFT_ADMIN_TOKEN: TOKEN, ...env },
      ...(command ? { command } : {}),
    });
  }

  async ready(): Promise<this> {
    const [line] = await this.process.line(/^\{"url".*$/);
    this.said = JSON.parse(line) as { url: string; admin: string; metrics: string };
    return this;
  }

  urlOf(room: string): string {
    return this.said!.url.replace('<room>', room);
  }

  async ask(
    path: string,
    body: object,
  ): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }> {
    const response = await fetch(`${this.said!.admin}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
  }

  async readiness(): Promise<string> {
    const response = await fetch(`${this.said!.admin}/readyz`);
    return `${response.status} ${await response.text()}`;
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(this.said!.metrics)).text();
    return Number(new RegExp(`^weft_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }
}

/** Processes on a database of their own, which know each other. */
export async function cluster(
  database: PostgresServer,
  size: number,
  env: Readonly<Record<string, string>> = {},
): Promise<{ store: string; served: Served[] }> {
  const store = database.address(await database.database());
  const served = await Promise.all(Array.from({ length: size }, () => new Served(store, [], env).ready()));
  await known(served, size);
  return { store, served };
}

/** Waits until they all know and reach each other. */
export async function known(served: readonly Served[], size: number): Promise<void> {
  for (const each of served) {
    await expect.poll(() => each.metric('cluster_processes')).toBe(size);
    await expect.poll(() => each.metric('cluster_unreachable')).toBe(0);
  }
}

/** Client that tries these processes in turn, from the first on, whenever it connects. */
export function keep(at: readonly Served[], room: string, keys: KeyPair = generateKeys(), token?: Token): RoomClient {
  let next = 0;
  const open = (): WebSocket => new WebSocket(at[next++ % at.length]!.urlOf(room));
  const proved = token && { token, room, audience: new URL(at[0]!.urlOf(room)).host };
  const client = keepRoom({ open, keys, retry: { firstMs: 50, mostMs: 500 }, ...proved });
  onTestFinished(() => client.close());
  return client;
}

/** Waits until what the client has written is kept, however often it has to be pushed. */
export async function kept(client: RoomClient): Promise<void> {
  const isKept = (): Promise<boolean> =>
    client.push().then(
      () => true,
      () => false,
    );
  await expect.poll(isKept, { timeout: 60_000 }).toBe(true);
}

/** Every node of the log once, by what the database holds: positions follow each other, and none has two records. */
export async function logIsSound(database: PostgresServer, store: string, room: string): Promise<void> {
  const name = new URL(store).pathname.slice(1);
  const rows = await database.ask<{ seq: string; count: string }>(
    `SELECT seq, count FROM weft.part WHERE room = '${room}' UNION ALL
     SELECT seq, count FROM weft.record WHERE room = '${room}'
       AND seq >= (SELECT coalesce(max(seq + count), 0) FROM weft.part WHERE room = '${room}') ORDER BY seq`,
    name,
  );
  let next = 0;
  for (const { seq, count } of rows) {
    expect(Number(seq)).toBe(next);
    next = Number(seq) + Number(count);
  }
  const [head] = await database.ask<{ head: string }>(`SELECT head FROM weft.room WHERE room = '${room}'`, name);
  expect(Number(head?.head)).toBe(next);
}
