import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';

const script = fileURLToPath(new URL('append-until-killed.mjs', import.meta.url));
const ROOMS = 3;

let folder = '';
const children: ChildProcess[] = [];
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'weft-processes-'))));
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  await rm(folder, { recursive: true });
});

function start(): { child: ChildProcess; lines: AsyncIterableIterator<string> } {
  const child = spawn(process.execPath, [script, folder, String(ROOMS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  if (!child.stdout) throw new Error('no stdout');
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const nextLine = async (lines: AsyncIterator<string>): Promise<string> => String((await lines.next()).value);

/** Position of the last answered append, by room. */
type Acked = Map<string, number>;

/** Kills the child after so many answers, and reads to the end what it had still said. */
async function runAndKill(answers: number, acked: Acked): Promise<void> {
  const { child, lines } = start();
  expect(await nextLine(lines)).toBe('open');
  let seen = 0;
  for await (const line of lines) {
    const [room = '', seq] = line.split(' ');
    acked.set(room, Number(seq));
    if (++seen === answers) child.kill('SIGKILL');
  }
  await kill(child);
}

describe('the level store', () => {
  it('[ST4] refuses a second process as locked, and takes it once the first is gone', async () => {
    const first = start();
    expect(await nextLine(first.lines)).toBe('open');
    expect(await nextLine(start().lines)).toBe('refused locked');
    const here = levelStore(folder);
    await expect(here.open()).rejects.toMatchObject({
      fault: 'locked',
      message: expect.stringContaining(
        `in use by another Weft process (${first.child.pid}); stop it or choose another folder`,
      ),
    });
    await kill(first.child);
    const after = start();
    expect(await nextLine(after.lines)).toBe('open');
  });

  it('[ST4] holds every answered append after the process was killed in the middle of others [fault 30]', async () => {
    const acked: Acked = new Map();
    for (let round = 0; round < 5; round++) {
      const answers = 5 + Math.floor(Math.random() * 60);
      await runAndKill(answers, acked);
      const store = levelStore(folder);
      await store.open();
      try {
        for (const [name, last] of acked) await expectRecords(store, name, last, answers);
      } finally {
        await store.close();
      }
    }
    expect([...acked.keys()].sort()).toEqual(['room-0', 'room-1', 'room-2']);
  });
});

async function expectRecords(
  store: ReturnType<typeof levelStore>,
  name: string,
  last: number,
  answers: number,
): Promise<void> {
  const room = parseRoomId(name);
  if (!room) throw new Error(`${name} is not a room id`);
  let next = 0;
  for await (const { seq, count, pack } of store.log.read(room, 0)) {
    expect([seq, count, Buffer.from(pack).toString()]).toEqual([next, 1, `${name} ${next} ${'.'.repeat(next % 3000)}`]);
    next++;
  }
  expect(next, `killed after ${answers} answers`).toBeGreaterThan(last);
}
