import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { parseRoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { tempFolder } from '../support/temp-folder.js';

const run = promisify(execFile);
const script = fileURLToPath(new URL('append-through-faults.mjs', import.meta.url));
/** Appends that are answered behind each fault. */
const BEHIND = 30;

it('[ST4] what is answered behind a write for which there was no space is there after a kill [fault 39]', async () => {
  const folder = await tempFolder();
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let kept = 0;
  const until = async (isWanted: (line: string) => boolean): Promise<void> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the process has ended');
      if (value.startsWith('kept ')) kept = Number(value.slice('kept '.length));
      if (isWanted(value)) return;
    }
  };
  const limitFiles = (bytes: string) => run('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]);
  for (let fault = 0; fault < 3; fault++) {
    const before = kept;
    await until(() => kept >= before + BEHIND);
    // No file may grow beyond where it is by a few appends: the one that meets the limit is written in part.
    await limitFiles('8192');
    await until((line) => line.startsWith('refused'));
    await limitFiles('unlimited');
  }
  const before = kept;
  await until(() => kept >= before + BEHIND);
  child.kill('SIGKILL');
  await gone;

  const store = levelStore(folder);
  await store.open();
  const room = parseRoomId('room')!;
  const heads: number[] = [];
  for await (const { seq } of store.log.read(room, 0)) heads.push(seq);
  await store.close();
  expect(heads.length).toBeGreaterThanOrEqual(kept);
  expect(heads).toEqual(heads.map((_, place) => place));
});
