/** Edits of agents whose host dies, or whose disk fails, between what is written and its answer: the call is made again with its key. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAgentDoor } from '../../doors/tools/agent.js';
import { agent } from '../../record/aggregates/agent/agent.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { operationTable } from '../table.js';
import { SHOWN_INSTEAD, agentTable } from './table.js';

const FILES = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' };

/** An agent whose calls are named by keys, and a record that takes nothing any more from one of its changes on. */
async function atWork() {
  let changes = 0;
  let mostChanges = Number.POSITIVE_INFINITY;
  const record = await openRecord(undefined, {
    folder: await tempFolder(),
    through: (room) => ({
      ...room,
      get seq() {
        return room.seq;
      },
      nodes: room.nodes,
      get: (key) => room.get(key),
      history: (from) => room.history(from),
      onCommit: (listener) => room.onCommit(listener),
      transactMany: (...given) =>
        ++changes > mostChanges ? Promise.reject(new Error('died')) : room.transactMany(...given),
    }),
  });
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, FILES);
  await record.call('repository.register', { path: user });
  const made = (await record.call('workunit.create', { goal: 'x' })) as { workUnitId: string; branchId: string };
  const { workUnitId, branchId } = made;
  const about = { agentId: 'a-1', agentType: 'worker', workUnitId, profileId: 'worker' };
  await record.change((change) => change.run(agent, 'a-1', 'spawn', about));
  const door = createAgentDoor(operationTable, record.shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
  const call = (name: string, input: Readonly<Record<string, unknown>>, key: string) =>
    door.call({ agentId: 'a-1', workUnitId, allowed: [], name, input, key });
  // Whoever changes a file has it from then on.
  for (const path of Object.keys(FILES)) {
    await call('view', { path }, `see ${path}`);
    await call('write', { path, text: FILES[path as keyof typeof FILES] }, `hold ${path}`);
  }
  const { workingDirectory: folder } = (await record.call('workspace.path', { branchId })) as {
    workingDirectory: string;
  };
  type Input = Readonly<Record<string, unknown>>;
  /** Makes the call, of which the record takes so many changes and no more. */
  const cutOff = async (name: string, input: Input, key: string, most: number): Promise<void> => {
    mostChanges = changes + most;
    expect((await call(name, input, key)).isError).toBe(true);
    mostChanges = Number.POSITIVE_INFINITY;
  };
  /** Changes of the record that a call makes. */
  const counted = async (name: string, input: Input, key: string) => {
    const before = changes;
    return { answer: await call(name, input, key), made: changes - before };
  };
  const textIn = (path: string) => readFile(join(folder, path), 'utf8').catch(() => undefined);
  return { call, cutOff, counted, textIn, folder };
}

describe('an edit that was made and not answered', () => {
  it.each([
    ['write', { path: 'a.txt', text: 'three\n', append: true }, { 'a.txt': 'one\ntwo\nthree\n' }],
    ['write', { path: 'a.txt', text: 'new\n' }, { 'a.txt': 'new\n' }],
    ['edit', { path: 'a.txt', edits: [{ old: 'two\n', new: 'two\ntwo\n' }] }, { 'a.txt': 'one\ntwo\ntwo\n' }],
    ['move', { from: 'a.txt', to: 'c.txt' }, { 'a.txt': undefined, 'c.txt': 'one\ntwo\n' }],
    ['delete', { path: 'b.txt' }, { 'b.txt': undefined }],
  ] as const)('comes to the same when it is made again: %s %o', async (name, input, wanted) => {
    const { answer, made } = await (await atWork()).counted(name, input, 'k');
    expect(answer.isError).toBe(false);
    const { call, cutOff, textIn } = await atWork();
    const isDone = async () => {
      for (const [path, text] of Object.entries(wanted)) expect(await textIn(path)).toBe(text);
    };
    for (let most = 0; most < made; most++) await cutOff(name, input, 'k', most);
    // All of it is there, and nobody knows.
    await isDone();
    expect(await call(name, input, 'k')).toEqual(answer);
    await isDone();
    // Its answer is known from now on.
    expect(await call(name, input, 'k')).toEqual(answer);
    await isDone();
  });

  it('is made of what stands there now where that was changed meanwhile, or where it is another call', async () => {
    const add = { path: 'a.txt', text: 'three\n', append: true };
    const { made } = await (await atWork()).counted('write', add, 'k');
    const { call, cutOff, textIn, folder } = await atWork();
    await cutOff('write', add, 'k', made - 1);
    expect(await textIn('a.txt')).toBe('one\ntwo\nthree\n');
    await writeFile(join(folder, 'a.txt'), 'by somebody\n');
    expect((await call('write', add, 'k')).isError).toBe(false);
    expect(await textIn('a.txt')).toBe('by somebody\nthree\n');
    await call('write', add, 'k2');
    expect(await textIn('a.txt')).toBe('by somebody\nthree\nthree\n');
  });
});
