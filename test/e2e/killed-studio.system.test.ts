/** The studio as a program, killed at any moment while it is asked for changes, and started again. */
import { appendFile, readFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const ROUNDS = 4;

interface Unit {
  readonly workUnitId: string;
}

class Program {
  readonly #folder: string;
  #process: WeftProcess | undefined;
  #url = '';
  #token = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<void> {
    this.#process = new WeftProcess(['studio', '--listen', '127.0.0.1:0', '--store', this.#folder]);
    [this.#url] = await this.#process.line(/^http:\S+$/);
    const tokens = await readFile(join(this.#folder, 'studio.tokens.json'), 'utf8');
    this.#token = (JSON.parse(tokens) as { admin: string }).admin;
  }

  async kill(): Promise<void> {
    await this.#process?.kill('SIGKILL');
  }

  async ask<Result>(method: string, path: string, body?: object): Promise<Result> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const asked = await fetch(this.#url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (asked.status !== 200) throw new Error(await asked.text());
    return (await asked.json()) as Result;
  }

  /** Asks for units, each with its goal, until the program ends; answers those that it was told of. */
  async writeUntilItEnds(): Promise<string[]> {
    const told: string[] = [];
    const write = async (): Promise<void> => {
      for (;;) told.push((await this.ask<Unit>('POST', '/workunits', { goal: 'x' })).workUnitId);
    };
    await Promise.allSettled([write(), write(), write()]);
    return told;
  }

  /** Invariant: every unit has its goal, and every goal its unit; answers the units. */
  async whole(): Promise<string[]> {
    const units = (await this.ask<Unit[]>('GET', '/workunits')).map(({ workUnitId }) => workUnitId);
    const { goals } = await this.ask<{ goals: Unit[] }>('GET', '/goals');
    expect(goals.map(({ workUnitId }) => workUnitId)).toEqual(units);
    return units;
  }
}

it('studio fault 1: whatever it answered is there, whole, and nothing is there in part', async () => {
  const program = new Program(await tempFolder());
  const answered: string[] = [];
  let before: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await program.start();
    const now = await program.whole();
    expect(now.slice(0, before.length)).toEqual(before);
    expect(now).toEqual(expect.arrayContaining(answered));
    before = now;
    const written = program.writeUntilItEnds();
    // Each round ends after another number of answers.
    while ((await program.ask<Unit[]>('GET', '/workunits')).length < before.length + 3 + round * 7);
    await program.kill();
    answered.push(...(await written));
  }
  await program.start();
  expect(await program.whole()).toEqual(expect.arrayContaining(answered));
  expect(answered.length).toBeGreaterThan(ROUNDS);
});

/** Newest log file of the store: what came last is in it. */
async function newestLog(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const logs = files.filter((file) => file.isFile() && file.name.endsWith('.log'));
  const paths = logs.map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return paths[sizes.indexOf(Math.max(...sizes))]!;
}

async function writtenAndKilled(program: Program): Promise<{ readonly before: string[]; readonly answered: string[] }> {
  await program.start();
  const written = program.writeUntilItEnds();
  let before: Unit[] = [];
  while (before.length < 20) before = await program.ask('GET', '/workunits');
  await program.kill();
  return { before: before.map(({ workUnitId }) => workUnitId), answered: await written };
}

it('studio fault 2: a log that is torn in what nobody was told of is whole up to there', async () => {
  const folder = await tempFolder();
  const program = new Program(folder);
  const { before, answered } = await writtenAndKilled(program);
  const log = await newestLog(folder);
  // Torn write: the machine stopped in the middle of one more.
  await appendFile(log, (await readFile(log)).subarray(0, 40));
  await program.start();
  const now = await program.whole();
  expect(now.slice(0, before.length)).toEqual(before);
  expect(now).toEqual(expect.arrayContaining(answered));
});

it('studio fault 2: a log that has lost what was answered is told, and is what it was up to there', async () => {
  const folder = await tempFolder();
  const program = new Program(folder);
  const { before } = await writtenAndKilled(program);
  const log = await newestLog(folder);
  await truncate(log, Math.floor((await stat(log)).size * 0.6));
  await expect(program.start()).rejects.toThrow(/damaged.*Restore a backup.*delete .*heads\.json/);
  await rm(join(folder, 'studio', 'heads.json'));
  await program.start();
  const now = await program.whole();
  expect(now.length).toBeGreaterThan(0);
  const shorter = Math.min(now.length, before.length);
  expect(now.slice(0, shorter)).toEqual(before.slice(0, shorter));
});
