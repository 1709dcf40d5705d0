import { expect, it } from 'vitest';
import { tried } from './tried.js';

it('what clients were answered stands, while the server is killed, stopped and short of disk, and links are cut', async () => {
  const { violations, waiting } = await tried({}, 15_000);
  expect({ violations, waiting }).toEqual({ violations: [], waiting: [] });
});

it('a disk that forgets what it has answered is noticed', async () => {
  // Not each kill finds something that was answered and not yet on the disk.
  let found: readonly unknown[] = [];
  for (let round = 0; round < 5 && found.length === 0; round++)
    found = (await tried({ isForgetful: true }, 6000)).violations;
  expect(found).not.toEqual([]);
}, 300_000);
