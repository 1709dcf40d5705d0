/** A process that takes in and writes archives until it is killed, and what must be there afterwards. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { type Host, type Room, createHost, createReplica, generateKeys, parseBlobHash, parseRoomId } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import { tempFolder } from '../support/temp-folder.js';

const script = fileURLToPath(new URL('import-until-killed.mjs', import.meta.url));
const BLOBS = 6;

interface Place {
  readonly folder: string;
  readonly root: string;
}

const hostOf = ({ folder, root }: Place) => {
  const store = levelStore(folder);
  return { store, host: createHost({ store, archives: { stores: { file: folderArchives(root) } } }) };
};

const ask = async (host: Host, room_id: string, command: string, payload: object): Promise<string> => {
  const { events } = await host.submit({ room_id, command: { [command]: payload } });
  return Object.keys(events[0]!)[0]!;
};

/** A room with nodes and blobs, so many of the nodes large, and its archive. */
async function prepare(place: Place, large: number): Promise<void> {
  const { store, host } = hostOf(place);
  const room = await host.room('all');
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  for (let i = 0; i < 1000; i++) replica.set(`k${i}`, `value ${i}`);
  for (let i = 0; i < large; i++) replica.set(`large ${i}`, new Uint8Array(randomBytes(250_000)));
  expect((await room.admit((await replica.seal())!, { from: 'peer' })).refused).toEqual([]);
  for (let i = 0; i < BLOBS; i++) {
    const bytes = randomBytes(200_000);
    const hash = parseBlobHash(createHash('sha256').update(bytes).digest('hex'))!;
    await store.blobs.put(hash, Readable.from([bytes]), bytes.length);
    await store.blobs.link(room.id, hash);
  }
  expect(await ask(host, 'all', 'ExportArchive', { archive_ref: 'file://all.weft' })).toBe('ArchiveExported');
  await host.close();
}

/** Kills the process within so many ms after it has begun with its second import. Answers all rooms that it has begun. */
async function runAndKill(
  { folder, root }: Place,
  first: number,
  within: number,
): Promise<{ begun: string[]; done: Set<string> }> {
  const child = spawn(process.execPath, [script, folder, root, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  const [begun, done] = [[] as string[], new Set<string>()];
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, name = ''] = line.split(' ');
    if (what === 'imported') done.add(name);
    if (what === 'importing' && begun.push(name) === 2) setTimeout(() => child.kill('SIGKILL'), Math.random() * within);
  }
  await gone;
  return { begun, done };
}

const valuesOf = (room: Room): string[] =>
  [...room.resolution()].map(({ key, bytes }) => `${key} ${Buffer.from(bytes).toString('hex')}`);

export async function expectAllOrNothing(kill: {
  readonly rounds: number;
  readonly within: number;
  readonly large: number;
}): Promise<void> {
  const { rounds, within, large } = kill;
  const base = await tempFolder();
  const place = { folder: join(base, 'data'), root: join(base, 'archives') };
  await prepare(place, large);
  const [begun, done] = [new Set<string>(), new Set<string>()];
  for (let round = 0; round < rounds; round++) {
    const ran = await runAndKill(place, round * 100, within);
    for (const room of ran.begun) begun.add(room);
    for (const room of ran.done) done.add(room);
  }
  const { store, host } = hostOf(place);
  const all = valuesOf(await host.room('all'));
  for (const name of begun) {
    const room = await host.room(name);
    if (done.has(name)) expect(room.seq).toBeGreaterThan(0);
    if (room.seq === 0) continue;
    expect(valuesOf(room)).toEqual(all);
    let linked = 0;
    for await (const hash of store.blobs.linked(parseRoomId(name)!)) linked += (await store.blobs.size(hash)) ? 1 : 0;
    expect(linked).toBe(BLOBS);
  }
  for (const number of [0, 1, 2]) {
    const name = `made-${number}.weft`;
    if (!(await stat(join(place.root, name)).catch(() => undefined))) continue;
    const asked = { archive_ref: `file://${name}`, mode: 'full_integrity' };
    expect(await ask(host, 'all', 'ValidateArchive', asked)).toBe('ArchiveValidated');
  }
  await host.close();
  expect(begun.size, 'no kill came in the middle of an import').toBeGreaterThan(done.size);
}
