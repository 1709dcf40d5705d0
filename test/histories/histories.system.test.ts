import { expect, it } from 'vitest';
import { tried } from './tried.js';

it('what clients were answered stands, while the server is killed, stopped and short of disk, and links are cut', async () => {
  const { violations, waiting } = await tried({}, 15_000);
  expect({ violations, waiting }).toEqual({ violations: [], waiting: [] });
});

it('a disk that forgets what it has answered is noticed', async () => {
  const { violations } = await tried({ isForgetful: true }, 6000);
  expect(violations).not.toEqual([]);
});
