import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { storeOf, withRepository } from '../../testing/git/studio-repository.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

const run = promisify(execFile);

async function bench() {
  const studio = await startTestStudio();
  const folder = join(await tempFolder(), 'user');
  const it = await withRepository(studio, folder, await gitRepository(folder, { a: '1\n' }));
  const unit = async () => (await it.post('workunits', { goal: 'g' })).json as { workUnitId: string; branchId: string };
  const folderOf = async (branchId: string) =>
    ((await it.post(`branches/${branchId}/checkout`)).json as { workingDirectory: string }).workingDirectory;
  return { ...it, unit, folderOf };
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

describe('the folder of a work unit', () => {
  it('fault 26: goes when the work is over, and comes back as it was, hand edits and all', async () => {
    const { post, unit, folderOf } = await bench();
    const { workUnitId, branchId } = await unit();
    expect((await post(`cache/materialize?workUnitId=${workUnitId}`)).json).toEqual({ workUnitId, materialized: true });
    const folder = await folderOf(branchId);
    await writeFile(join(folder, 'by-hand'), 'kept');
    const evict = () => post(`cache/evict?workUnitId=${workUnitId}`);
    expect((await evict()).json).toEqual({ workUnitId, evicted: false, reason: 'the work is Created' });
    await post(`workunits/${workUnitId}/cancel`);
    expect((await evict()).json).toEqual({ workUnitId, evicted: true });
    expect(await isThere(folder)).toBe(false);
    expect((await evict()).json).toMatchObject({ evicted: false, reason: 'there is no workspace' });
    expect(await readFile(join(await folderOf(branchId), 'by-hand'), 'utf8')).toBe('kept');
  });

  it('fault 24: stays while it holds ignored files, which nothing else has, unless they may go', async () => {
    const { post, unit, folderOf } = await bench();
    const { workUnitId, branchId } = await unit();
    const folder = await folderOf(branchId);
    await mkdir(join(folder, 'out/deep'), { recursive: true });
    await mkdir(join(folder, 'sub'));
    for (const path of ['.gitignore', 'out/deep/built', 'sub/.env', '.env'])
      await writeFile(join(folder, path), '.env\nout/\n');
    await post(`workunits/${workUnitId}/cancel`);
    const evict = (more = '') => post(`cache/evict?workUnitId=${workUnitId}${more}`);
    const reason = '.env and 1 more are ignored by git and nowhere else; save what is needed, or use force';
    const ignored = ['.env', 'out/', 'sub/.env'];
    expect((await evict()).json).toEqual({ workUnitId, evicted: false, reason, ignored });
    expect((await post('cache/evict/orphaned')).json).toEqual({ evicted: 0, kept: [{ branchId, reason }] });
    expect(await readFile(join(folder, 'sub/.env'), 'utf8')).toBe('.env\nout/\n');
    const one = await unit();
    await writeFile(join(await folderOf(one.branchId), '.gitignore'), '.env\n');
    await writeFile(join(await folderOf(one.branchId), '.env'), '');
    await post(`workunits/${one.workUnitId}/cancel`);
    expect((await evict('&force=true')).json).toEqual({ workUnitId, evicted: true, ignored });
    expect((await post('cache/evict/orphaned?force=true')).json).toEqual({ evicted: 1 });
    expect(await isThere(folder)).toBe(false);
    // What builds make goes by itself, and is told.
    await mkdir(join(await folderOf(branchId), 'out'));
    await writeFile(join(folder, 'out/built'), '');
    expect((await evict()).json).toEqual({ workUnitId, evicted: true, ignored: ['out/'] });
  });

  it('fault 26: is whole or gone when it is made and taken away at once, while objects are collected', async () => {
    const { studio, post, unit, folderOf } = await bench();
    const { workUnitId, branchId } = await unit();
    await writeFile(join(await folderOf(branchId), 'by-hand'), 'kept');
    await post(`workunits/${workUnitId}/cancel`);
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all([
        post(`cache/evict?workUnitId=${workUnitId}`),
        post(`cache/materialize?workUnitId=${workUnitId}`),
        studio.call('POST', '/studio/cache/gc?mode=SweepHard', { as: 'admin' }),
        post(`cache/materialize?workUnitId=${workUnitId}`),
        post('cache/evict/orphaned'),
      ]);
      for (const { status, text } of answers) expect(status, text).toBe(200);
      const { json } = await studio.call('GET', `/studio/workspace/path?branchId=${branchId}`);
      const { workingDirectory } = json as { workingDirectory: string | null };
      if (workingDirectory !== null) expect((await readdir(workingDirectory)).sort()).toEqual(['.git', 'a', 'by-hand']);
    }
    expect(await readFile(join(await folderOf(branchId), 'by-hand'), 'utf8')).toBe('kept');
  });

  it('goes with all others whose work is over, and no other one does', async () => {
    const { post, unit, folderOf, branch } = await bench();
    const [over, active] = [await unit(), await unit()];
    await branch('own', {});
    const folders = [await folderOf(over.branchId), await folderOf(active.branchId), await folderOf('own')];
    await post(`workunits/${over.workUnitId}/cancel`);
    expect((await post('cache/evict/orphaned')).json).toEqual({ evicted: 1 });
    expect(await Promise.all(folders.map(isThere))).toEqual([false, true, true]);
  });
});

describe('objects that nothing leads to', () => {
  it('fault 26: are counted, and taken away only when that is said; what is recorded stays', async () => {
    const { studio, post, get, branch, propose } = await bench();
    await branch('one', { a: 'x\n' });
    const proposalId = await propose('one');
    const collect = async (query: string) => {
      const answer = await studio.call('POST', `/studio/cache/gc${query}`, { as: 'admin' });
      expect(answer.status).toBe(200);
      return answer.json as { mode: string; unreachable: number; removed: number };
    };
    const store = await storeOf(studio);
    const { stdout } = await run('sh', ['-c', 'echo lost | git hash-object -w --stdin'], { cwd: store });
    const lost = join(store, 'objects', stdout.slice(0, 2), stdout.trim().slice(2));
    // What is new may be part of work that is not recorded yet.
    for (const query of ['', '?mode=SweepHard']) expect(await collect(query)).toMatchObject({ unreachable: 0 });
    expect(await isThere(lost)).toBe(true);
    // What is recorded is kept though no ref leads there any more, and it is as old as what is lost.
    await run('sh', ['-c', "find objects -type f -exec touch -d '30 days ago' {} +"], { cwd: store });
    await run('sh', ['-c', "git for-each-ref --format='delete %(refname)' | git update-ref --stdin"], { cwd: store });
    for (const query of ['', '?dryRun=true', '?mode=MarkOnly'])
      expect(await collect(query)).toMatchObject({ unreachable: 1, removed: 0 });
    expect(await isThere(lost)).toBe(true);
    expect(await collect('?dryRun=false')).toMatchObject({ mode: 'SweepSoft', unreachable: 1, removed: 1 });
    expect(await isThere(lost)).toBe(false);
    expect((await get('cache/gc/runs?limit=2')).json).toMatchObject({
      count: 2,
      runs: [{ mode: 'SweepSoft' }, { mode: 'MarkOnly' }],
    });
    expect((await post(`merges/${proposalId}/restore-workspace`)).status).toBe(200);
  });
});
