import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { entering, findGroupParents, makeGroup, placesAbove } from './control-groups.js';
import { WHOLE_LIMITS } from './whole-limits.js';

it('a machine without control groups that this user may make has none', async () => {
  const base = await tempFolder();
  const [mounts, own] = [join(base, 'mounts'), join(base, 'own')];
  await writeFile(mounts, `30 23 0:26 / ${base}/none rw - cgroup2 cgroup2 rw\n31 23 0:27 / /proc rw - proc proc rw\n`);
  await writeFile(own, '0::/user.slice\n');
  expect(await findGroupParents(mounts, own)).toEqual([]);
  expect(await findGroupParents(join(base, 'absent'), own)).toEqual([]);
  // One that is there, and in which nothing can be entered: it is a folder like any other.
  await mkdir(join(base, 'none', 'user.slice'), { recursive: true });
  expect(await findGroupParents(mounts, own)).toEqual([]);
  expect(await makeGroup([], 'mark', WHOLE_LIMITS)).toBeUndefined();
});

it('a program enters its groups before it begins, with its words as they were', () => {
  const [file, argv] = entering({ entries: ['/a/cgroup.procs', '/b c/cgroup.procs'] }, [
    '/bin/echo',
    ['$HOME', '--', 'x y'],
  ]);
  expect(file).toBe('/bin/sh');
  expect(argv.slice(2)).toEqual([
    'weft',
    '/a/cgroup.procs',
    '/b c/cgroup.procs',
    '--',
    '/bin/echo',
    '$HOME',
    '--',
    'x y',
  ]);
});

it('groups of a host that has made way lie beside it, however often hosts begin in there', () => {
  const [mount, unit] = ['/sys/fs/cgroup', '/sys/fs/cgroup/weft.service'];
  expect(placesAbove(mount, '/weft.service')).toEqual([unit, mount]);
  expect(placesAbove(mount, '/weft.service/weft-host')).toEqual([unit, mount]);
  expect(placesAbove(mount, '/weft.service/weft-host/weft-host')).toEqual([unit, mount]);
  expect(placesAbove(mount, '/')).toEqual([mount]);
});
