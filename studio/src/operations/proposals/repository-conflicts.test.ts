import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Played, answerOf, fakeServer, vendors } from '../../testing/models/fake-vendor.js';
import { git } from '../../testing/git/git-repository.js';
import { SECRET } from '../../testing/models/provider-battery.js';
import { type StudioRepository, studioWith } from '../../testing/git/studio-repository.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

interface Row {
  readonly conflictId: string;
  readonly path: string;
}

/** Two branches that have changed the same; the second cannot land. */
async function inConflict(one: Record<string, string>, two: Record<string, string>, before: Record<string, string>) {
  const it = await studioWith(before);
  await it.branch('one', one);
  await it.branch('two', two);
  const [first, second] = [await it.approved('one'), await it.approved('two')];
  await it.post(`merges/${first}/apply`);
  expect((await it.post(`merges/${second}/apply`)).status).toBe(409);
  return { ...it, first, second, rows: await rowsOf(it) };
}

async function rowsOf({ get, repositoryId }: StudioRepository): Promise<Row[]> {
  return ((await get(`conflicts?repositoryId=${repositoryId}`)).json as { conflicts: Row[] }).conflicts;
}

describe('files in conflict', () => {
  it('are listed, read and dismissed', async () => {
    const { get, post, rows, first, second, repositoryId } = await inConflict({ a: 'x\n' }, { a: 'y\n' }, { a: '1\n' });
    const [row] = rows;
    const shown = { repositoryId, path: 'a', opIdA: first, opIdB: second };
    expect((await get('conflicts')).json).toMatchObject({ repositoryId, count: 1, conflicts: [shown] });
    const one = (await get(`conflicts/${row?.conflictId}`)).json as Record<string, string>;
    expect(one).toMatchObject({ ...shown, status: 'Open' });
    expect(new Set([one['oldBlobId'], one['blobIdA'], one['blobIdB']]).size).toBe(3);
    expect((await post(`conflicts/${row?.conflictId}/dismiss`)).json).toMatchObject({ status: 'Dismissed' });
    for (const verb of ['', '/dismiss', '/resolve'])
      expect(await (verb === '' ? get('conflicts/none') : post(`conflicts/none${verb}`))).toMatchObject(
        refused(404, 'reject.conflict_not_found'),
      );
  });

  it('are said to be for a program of the user, which is never run, and end as a person says', async () => {
    const lines = (first: string, last: string) => `${first}\n2\n3\n4\n${last}\n`;
    const it = await studioWith({ a: lines('1', '5'), '.gitattributes': 'a merge=own\n' });
    const mark = join(it.folder, '..', 'mark');
    await git(it.folder, 'config', 'merge.own.driver', `touch ${mark}`);
    await it.branch('one', { a: lines('one', '5') });
    await it.branch('two', { a: lines('1', 'two') });
    const [first, second] = [await it.approved('one'), await it.approved('two')];
    expect((await it.post(`merges/${first}/apply`)).json).toMatchObject({ status: 'Merged' });
    expect((await it.post(`merges/${second}/apply`)).json).toMatchObject({
      code: 'reject.merge_conflict',
      details: { conflicts: [{ path: 'a', kind: 'driver' }] },
    });
    const [row] = await rowsOf(it);
    expect((await it.post(`conflicts/${row?.conflictId}/resolve?strategy=threeway`)).json).toMatchObject({
      details: { reasons: [matching(/a program of its own/)] },
    });
    const made = { content: lines('one', 'two') };
    expect((await it.post(`conflicts/${row?.conflictId}/resolve?strategy=human`, made)).json).toMatchObject({
      landedProposalId: matching(/^MP-/),
    });
    expect(await readFile(join(it.folder, 'a'), 'utf8')).toBe(lines('one', 'two'));
    // Without the program git merges it as a text, and so does the studio.
    await git(it.folder, 'config', '--unset', 'merge.own.driver');
    await it.branch('three', { a: lines('three', 'two') });
    await it.branch('four', { a: lines('one', 'four') });
    for (const id of [await it.approved('three'), await it.approved('four')])
      expect((await it.post(`merges/${id}/apply`)).json).toMatchObject({ status: 'Merged' });
    await expect(access(mark)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('land with the last of them: line by line, by their structure, or as a person says', async () => {
    const before = { a: '1\n', 'p.json': '{\n  "v": 1\n}\n' };
    const one = { a: 'x\n', 'p.json': '{\n  "v": 1,\n  "one": 1\n}\n' };
    const two = { a: 'y\n', 'p.json': '{\n  "v": 1,\n  "two": 2\n}\n', c: 'new\n' };
    const { get, post, rows, second, folder } = await inConflict(one, two, before);
    const [text, json] = ['a', 'p.json'].map((path) => rows.find((row) => row.path === path)!.conflictId);
    expect(await post(`conflicts/${text}/resolve`)).toMatchObject({
      status: 422,
      json: {
        code: 'reject.conflict_unresolved',
        details: {
          success: false,
          requeueLosingWorkUnit: false,
          reasons: [/threeway/, /ast/, /llm/, /human/].map(matching),
        },
      },
    });
    expect((await post(`conflicts/${json}/resolve`)).json).toMatchObject({
      success: true,
      strategy: 'ast',
      landedProposalId: null,
      conflict: { status: 'Resolved' },
    });
    const ended = await post(`conflicts/${text}/resolve?strategy=human`, { content: 'x and y\n' });
    expect(ended.json).toMatchObject({ strategy: 'human', landedProposalId: expect.stringMatching(/^MP-/) as string });
    const read = (path: string) => readFile(join(folder, path), 'utf8');
    expect([await read('a'), await read('c')]).toEqual(['x and y\n', 'new\n']);
    expect(JSON.parse(await read('p.json'))).toEqual({ v: 1, one: 1, two: 2 });
    expect((await get(`merges/${second}`)).json).toMatchObject({ status: 'Superseded' });
    expect(await post(`conflicts/${text}/resolve`)).toMatchObject(refused(409, 'reject.wrong_state'));
  });

  it('are no conflict any more when the target has changed, and the proposal lands as it is', async () => {
    const { post, branch, approved, rows, second, folder } = await inConflict({ a: 'x\n' }, { a: 'y\n' }, { a: '1\n' });
    await branch('three', { a: '1\n' });
    await post(`merges/${await approved('three')}/apply`);
    const resolved = await post(`conflicts/${rows[0]?.conflictId}/resolve?strategy=threeway`);
    expect(resolved.json).toMatchObject({ strategy: 'threeway', landedProposalId: second });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('y\n');
  });

  it('are brought together by the model that is named, or it says why not', async () => {
    const { post, rows, folder, studio } = await inConflict({ a: 'x\n' }, { a: 'y\n' }, { a: '1\n' });
    const path = `conflicts/${rows[0]?.conflictId}/resolve`;
    const [vendor] = vendors;
    const says = (content: string | null): Played => ({ text: JSON.stringify({ content }) });
    const played: Played[] = [says(null), 'no-right', says('x and y\n')];
    const server = await fakeServer(played.map((one) => answerOf(vendor, one)));
    const asked = { provider: 'anthropic', model: 'm', baseUrl: server.url };
    const model = { ...asked, apiKey: SECRET };
    // What is said of a model is of no use where none is asked.
    for (const said of [{ model: 'm' }, { apiKey: SECRET }])
      expect(await post(path, said)).toMatchObject(refused(400, 'reject.invalid_input'));
    for (const why of ['the model sees no way', 'llm: ']) {
      const refusal = await post(`${path}?strategy=llm`, model);
      expect(refusal).toMatchObject({
        status: 422,
        json: { details: { success: false, reasons: [matching(RegExp(why))] } },
      });
      expect(refusal.text).not.toContain(SECRET);
    }
    expect(await post(path, { provider: 'somebody' })).toMatchObject(refused(400, 'reject.invalid_input'));
    await post('credentials', { credentialRef: 'of-ann', apiKey: `${SECRET}-2` });
    const resolved = await post(path, { ...asked, credentialRef: 'of-ann' });
    expect(server.headers.map((one) => one.authorization)).toEqual(
      [SECRET, SECRET, `${SECRET}-2`].map((key) => `Bearer ${key}`),
    );
    expect(resolved.json).toMatchObject({ strategy: 'llm', landedProposalId: matching(/^MP-/) });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('x and y\n');
    for (const version of ['1', 'x', 'y']) expect(server.asked[2]).toContain(`>\\n${version}\\n`);
    expect(JSON.stringify(studio.log)).not.toContain(SECRET);
  });

  it('that nothing brings together are worked on anew, once, where that is wanted', async () => {
    const it = await studioWith({ a: '1\n' });
    await it.post('options', { allowAutoRequeue: true });
    const unit = (await it.post('workunits', { goal: 'write y' })).json as { workUnitId: string; branchId: string };
    await it.post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content: 'y\n' }] });
    await it.branch('one', { a: 'x\n' });
    const [first, second] = [await it.approved('one'), await it.approved('-', 'main', { workUnitId: unit.workUnitId })];
    const landed = (await it.post(`merges/${first}/apply`)).json as { resultCommit: string };
    await it.post(`merges/${second}/apply`);
    const [row] = await rowsOf(it);
    const ask = async () => {
      const { json } = await it.post(`conflicts/${row?.conflictId}/resolve`);
      return (json as { details: { requeuedWorkUnitId: string } }).details.requeuedWorkUnitId;
    };
    const again = await ask();
    expect(await ask()).toBe(again);
    expect((await it.get(`workunits/${again}`)).json).toMatchObject({ goal: 'write y', status: 'Queued' });
    const { branchId } = (await it.get(`workunits/${again}`)).json as { branchId: string };
    await it.post(`branches/${branchId}/checkout`);
    expect((await it.get(`branches/${branchId}/status`)).json).toMatchObject({ headCheckpoint: landed.resultCommit });
  });
});

function matching(pattern: RegExp): string {
  return expect.stringMatching(pattern) as string;
}
