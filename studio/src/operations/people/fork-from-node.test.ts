/** Forks of a work unit at an event of it: they begin with the files that it had then. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../testing/git/git-repository.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
}

/** Unit whose file says `one`, then `two`, with the event after each; and how to fork it. */
async function example() {
  const wall = new ManualClock(Date.parse('2030-01-01T00:00:00Z'));
  const studio = await startTestStudio(undefined, { wall });
  const path = join(await tempFolder(), 'user');
  await gitRepository(path, { a: 'zero\n' });
  const post = async <Result>(route: string, body: object): Promise<Result> => {
    const { status, text, json } = await studio.call('POST', `/studio/${route}`, { body });
    expect([route, status], text).toEqual([route, 200]);
    return json as Result;
  };
  const { repositoryId } = await post<{ repositoryId: string }>('repositories', { path });
  const unit = await post<Unit>('workunits', { goal: 'build it', repositoryId });
  const events = async (): Promise<string[]> => {
    const route = `/studio/replay/timeline/${encodeURIComponent(unit.branchId)}`;
    return ((await studio.call('GET', route)).json as { eventId: string }[]).map(({ eventId }) => eventId);
  };
  /** Writes, and answers the unit's newest event then. */
  const write = async (content: string): Promise<string> => {
    wall.jump(10_000);
    await post(`branches/${encodeURIComponent(unit.branchId)}/resync-files`, { files: [{ path: 'a', content }] });
    wall.jump(10_000);
    await post('tasks', { workUnitId: unit.workUnitId, title: 'do', description: 'it' });
    return (await events()).at(-1)!;
  };
  const first = (await events())[0]!;
  const one = await write('one\n');
  const two = await write('two\n');
  wall.jump(10_000);
  const fork = (body: object) =>
    studio.call('POST', '/studio/steering/fork-from-node', { body: { workUnitId: unit.workUnitId, ...body } });
  const forked = async (body: object): Promise<string> => {
    const { newWorkUnitId } = (await fork(body)).json as { newWorkUnitId: string };
    const { json } = await studio.call('GET', `/studio/workunits/${newWorkUnitId}`);
    const query = `branchId=${encodeURIComponent((json as Unit).branchId)}&path=a`;
    return ((await studio.call('GET', `/studio/workspace/read?${query}`)).json as { content: string }).content;
  };
  const other = await post<Unit>('workunits', { goal: 'other', repositoryId });
  const all = (await studio.call('GET', '/studio/replay/timeline')).json as { eventId: string }[];
  return { first, one, two, fork, forked, other, newest: all.at(-1)!.eventId };
}

describe('a fork from a node', () => {
  it('begins with the files that the unit had then', async () => {
    const { first, one, two, forked } = await example();
    expect(await forked({ nodeId: first })).toBe('zero\n');
    expect(await forked({ nodeId: one })).toBe('one\n');
    expect(await forked({ nodeId: two })).toBe('two\n');
    expect(await forked({})).toBe('two\n');
  });

  it('is refused where the node is no event of the unit', async () => {
    const { fork, newest, one } = await example();
    for (const nodeId of ['none', 'ev-0', 'ev-999999', newest])
      expect(await fork({ nodeId }), nodeId).toMatchObject({ status: 404, json: { code: 'reject.event_not_found' } });
    expect(await fork({ nodeId: one, proposalId: 'MP-1' })).toMatchObject({
      status: 400,
      json: { code: 'reject.invalid_input', details: [{ field: 'nodeId' }] },
    });
  });
});
