/** What must be there after a process that deletes rooms was killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type RoomId, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

const script = fileURLToPath(new URL('delete-until-killed.mjs', import.meta.url));
const ROUNDS = 4;

/** Kills a process within so many ms of its third deletion; answers what was begun and what was done. */
async function deleteAndKill(folder: string, first: number, within: number) {
  const child = spawn(process.execPath, [script, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  const [begun, done] = [[] as string[], [] as string[]];
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, room = ''] = line.split(' ');
    if (what === 'deleted') done.push(room);
    if (what === 'deleting' && begun.push(room) === 3) setTimeout(() => child.kill('SIGKILL'), within);
  }
  await gone;
  return { begun, done };
}

it('[DE1] a room is deleted or whole when the process that deletes it is killed, and the next one finishes it', async () => {
  const folder = await tempFolder();
  for (let round = 0; round < ROUNDS; round++) {
    const { begun, done } = await deleteAndKill(folder, round * 100, Math.random() * 12);
    const store = levelStore(folder);
    const host = createHost({ store });
    await host.ready();
    for (const name of begun) {
      const room = name as RoomId;
      const isWhole = (await store.log.head(room)) > 0;
      if (done.includes(name)) expect(isWhole).toBe(false);
      if (isWhole)
        await host.withRoom(name, async (opened) => {
          const entries = [...opened.entries()].filter(([key]) => /^k\d$/.test(key));
          expect([name, entries.length, [...opened.entries('files')].length]).toEqual([name, 5, 1]);
        });
      else {
        await expect(host.room(name)).rejects.toMatchObject({ reason: 'room-deleted' });
        expect([await store.images.get(room), await store.log.size(room)]).toEqual([undefined, 0]);
        for await (const hash of store.blobs.linked(room)) throw new Error(`${name} still has ${hash}`);
      }
      if (isWhole) await host.submit({ room_id: name, command: { DeleteRoom: { confirm: name } } });
    }
    await host.close();
  }
});
