import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectRefusal, post, read } from '../../testing/doors/calls.js';
import { writeFiles } from '../../testing/git/git-repository.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

async function begun() {
  const studio = await startTestStudio();
  const user = join(await tempFolder(), 'user');
  await mkdir(user);
  await writeFiles(user, { a: '1\n2\n3\n', b: '1\n' });
  const text = (name: string) => readFile(join(user, name), 'utf8');
  return { ...(await withRepository(studio, user, '')), studio, user, text };
}

describe('a folder that is no git repository', () => {
  it('is worked on as any other; what is written there by hand is part of it at once, and stays', async () => {
    const { studio, user, text, branch, approved } = await begun();
    await branch('fix', { b: '2\n' });
    await writeFiles(user, { a: '1\n2\nby hand\n', new: 'by hand' });
    expect(await post(studio, `/merges/${await approved('fix')}/apply`)).toMatchObject({ status: 'Merged' });
    expect([await text('a'), await text('b'), await text('new')]).toEqual(['1\n2\nby hand\n', '2\n', 'by hand']);
    expect(await read(studio, '/workspace/read?branchId=main&path=new')).toMatchObject({ content: 'by hand' });
    await rm(join(user, 'new'));
    await branch('other', { a: '1\n2\nother\n' }, 'main');
    await writeFile(join(user, 'a'), '1\n2\nagain\n');
    await expectRefusal(studio, ['POST', `/merges/${await approved('other')}/apply`], 409, 'merge_conflict');
    expect(await text('a')).toBe('1\n2\nagain\n');
    expect(await read(studio, '/workspace/read?branchId=main&path=new')).toMatchObject({ exists: false });
  });

  it('is gone back to a state that was good, and its history is kept where the studio keeps its own', async () => {
    const { studio, user, text } = await begun();
    const { stateId } = await post<{ stateId: string }>(studio, '/state/markKnownGood', {
      branchId: 'main',
      description: 'as it was',
    });
    await writeFile(join(user, 'a'), 'worse\n');
    await post(studio, '/replay/rollback/main', { knownGoodStateId: stateId });
    expect(await text('a')).toBe('1\n2\n3\n');
    expect((await readdir(user)).sort()).toEqual(['.git', 'a', 'b']);
    expect(await readdir(join(studio.branches, 'kept'))).toHaveLength(1);
  });
});
