import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { followHeads } from './heads.js';

async function written(count: number) {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const room = await host.room('plans');
  for (let n = 0; n < count; n++) await room.set('n', n);
  return room;
}

it('a log that is shorter than it has been is refused, and the file that knows is named', async () => {
  const path = join(await tempFolder(), 'new', 'heads.json');
  const room = await written(2);
  const heads = await followHeads(path, { room });
  for (let n = 0; n < 20; n++) await room.set('n', n);
  await heads.close();
  const { seq } = room;
  await expect(followHeads(path, { room: await written(20) })).rejects.toThrow(
    new RegExp(`room ends after .* had ${seq}: .* damaged.*delete .*heads.json`),
  );
  for (const longer of [room, await written(30)]) await (await followHeads(path, { room: longer })).close();
});

it('nothing is known from a file that was cut off, or of a room that is new', async () => {
  const path = join(await tempFolder(), 'heads.json');
  const room = await written(3);
  await (await followHeads(path, { room })).close();
  await writeFile(path, (await readFile(path, 'utf8')).slice(0, 5));
  const short = await written(1);
  await (await followHeads(path, { room: short })).close();
  await (await followHeads(path, { room: short, other: room })).close();
});
