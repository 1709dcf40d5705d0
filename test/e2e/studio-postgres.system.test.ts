/**
 * A studio whose record is in PostgreSQL, with another one on standby: whichever ends, dies or hangs, the other goes on with all that
 * was answered, and one that wakes up again writes nothing and ends.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

interface Unit {
  readonly workUnitId: string;
}

class Studio {
  readonly process: WeftProcess;
  readonly #folder: string;

  constructor(store: string, folder: string, ...args: readonly string[]) {
    this.#folder = folder;
    const options = ['--listen', '127.0.0.1:0', '--folder', folder, '--standby', ...args];
    this.process = new WeftProcess(['studio', ...options], { env: { WEFT_STORE: store } });
  }

  async waits(): Promise<this> {
    await this.process.line(/on standby/, this.process.err);
    return this;
  }

  async ask<Result>(method: string, path: string, body?: object): Promise<Result> {
    const [url] = await this.process.line(/^http:\S+$/);
    const { admin } = JSON.parse(await readFile(join(this.#folder, 'studio.tokens.json'), 'utf8')) as { admin: string };
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    const asked = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (asked.status !== 200) throw new Error(await asked.text());
    return (await asked.json()) as Result;
  }

  async units(): Promise<string[]> {
    return (await this.ask<Unit[]>('GET', '/workunits')).map(({ workUnitId }) => workUnitId);
  }

  /** Asks for units until it ends or `most` are answered; answers those. */
  async write(most: number): Promise<string[]> {
    const told: string[] = [];
    try {
      while (told.length < most) told.push((await this.ask<Unit>('POST', '/workunits', { goal: 'x' })).workUnitId);
    } catch {
      // It has ended.
    }
    return told;
  }
}

describe('a studio on PostgreSQL', () => {
  it('is gone on with by the one on standby when it is killed, with all that was answered and nothing twice', async () => {
    const [store, folder] = [database.address(await database.database()), join(await tempFolder(), 'studio')];
    const first = new Studio(store, folder);
    const answered = await first.write(3);
    const second = await new Studio(store, folder).waits();
    const writing = first.write(Number.POSITIVE_INFINITY);
    await expect.poll(async () => (await first.units()).length, { timeout: 60_000 }).toBeGreaterThan(8);
    await first.process.kill('SIGKILL');
    answered.push(...(await writing));
    const units = await second.units();
    expect(units).toEqual(expect.arrayContaining(answered));
    expect(new Set(units).size).toBe(units.length);
    // At most the one that was asked for when it died is there and was not answered.
    expect(units.length - answered.length).toBeLessThanOrEqual(1);
    const { goals } = await second.ask<{ goals: Unit[] }>('GET', '/goals');
    expect(goals.map(({ workUnitId }) => workUnitId)).toEqual(units);
    expect(await second.write(1)).toHaveLength(1);
  });

  it('writes nothing after it was stopped for longer than its lease, and ends', async () => {
    const [store, folder] = [database.address(await database.database()), join(await tempFolder(), 'studio')];
    const first = new Studio(store, folder);
    const answered = await first.write(3);
    const second = await new Studio(store, folder).waits();
    first.process.signal('SIGSTOP');
    answered.push(...(await second.write(2)));
    expect(answered).toHaveLength(5);
    first.process.signal('SIGCONT');
    expect(await first.process.exited).toMatchObject({ code: 1 });
    expect(first.process.err.join('\n')).toMatch(/has lost its lease, and ends/);
    expect((await second.units()).toSorted()).toEqual(answered.toSorted());
    // Stopped in order, it is followed at once.
    const third = await new Studio(store, folder).waits();
    await second.process.kill('SIGTERM');
    expect((await third.units()).toSorted()).toEqual(answered.toSorted());
  });

  it('on standby ends when it is told to, and is refused where it makes no sense', async () => {
    const [store, folder] = [database.address(await database.database()), join(await tempFolder(), 'studio')];
    const first = new Studio(store, folder);
    await first.units();
    const second = await new Studio(store, folder).waits();
    await second.process.kill('SIGTERM');
    const refused = async (...args: readonly string[]): Promise<string> => {
      const command = new WeftProcess(args, { env: { WEFT_STORE: store } });
      const { code } = await command.exited;
      return `${command.err.join('\n')} (${code})`;
    };
    expect(await refused('studio')).toMatch(/needs a folder beside a database.*--folder \(2\)$/);
    expect(await refused('up', '--folder', folder, '--cluster-addr', '127.0.0.1:0')).toMatch(
      /has its database alone: leave out --cluster-addr.* \(2\)$/,
    );
    expect(await refused('studio', '--folder', folder)).toMatch(/is in use by process .* \(1\)$/);
    const own = await tempFolder();
    expect(await refused('studio', '--store', own, '--standby')).toMatch(/--standby is for a database.* \(2\)$/);
    expect(await refused('studio', '--store', own, '--folder', folder)).toMatch(/--folder is for a database.* \(2\)$/);
  });
});
