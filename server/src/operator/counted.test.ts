import { createHost } from '@weft/core';
import { backUp, levelStore } from '@weft/core/level';
import { expect, it } from 'vitest';
import { join } from 'node:path';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { check } from './check.js';
import { gc } from './gc.js';
import { Performing } from './perform.js';
import { roomList } from './rooms.js';

it('rooms of the host itself are checked and copied, and counted nowhere', async () => {
  const folder = await tempFolder();
  const store = levelStore(join(folder, 'data'));
  const host = createHost({ store });
  for (const room of ['plans', '~host']) await (await host.room(room)).set('a', 1);
  const performing = new Performing({ host, store, archives: {} });
  const asking = { signal: new AbortController().signal, progress: () => undefined };
  expect(await performing.perform(roomList, {}, asking)).toHaveLength(1);
  expect(await performing.perform(check, { blobs: false }, asking)).toEqual({ rooms: 1, blobs: 0, problems: [] });
  expect(await performing.perform(gc, { delete: false, grace_ms: 0 }, asking)).toMatchObject({ rooms: 1 });
  expect(await backUp(store, join(folder, 'copy'))).toMatchObject({ rooms: 1, damaged: [] });
  await host.close();
  const copy = createHost({ store: levelStore(join(folder, 'copy')) });
  expect((await copy.room('~host')).get('a')).toBe(1);
  await copy.close();
});
