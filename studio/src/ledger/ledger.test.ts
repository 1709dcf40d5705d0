import { createHost } from '@weft/core';
import type { Entry, Host, Room } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it } from 'vitest';
import { repository } from '../aggregates/repository/repository.js';
import type { StudioLogEntry } from '../log.js';
import { tempFolder } from '../testing/temp-folder.js';
import { RepositoriesView } from '../views/repositories.js';
import { Ledger } from './ledger.js';
import type { EventRoom, View } from './ledger.js';

const ROOM = '~studio.workgroup';
const facts = { now: '2024-05-06T07:08:09.000Z' };

function register(id: string, path = `/projects/${id}`) {
  return { type: 'register', repositoryId: id, path, rootCommits: [] } as const;
}

/** The nodes of a room that hold events. */
async function nodesOf(room: Room): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of room.history()) {
    if (entry.writes.some(({ key }) => key.startsWith('studio/'))) found.push(entry);
  }
  return found;
}

async function openOn(host: Host) {
  const room = await host.room(ROOM);
  const view = new RepositoriesView();
  const log: StudioLogEntry[] = [];
  const ledger = await Ledger.open(room, [view], (entry) => log.push(entry));
  return { room, view, ledger, log };
}

describe('the ledger', () => {
  it('stores one node with one key per event, and answers the new state', async () => {
    const { room, ledger } = await openOn(createHost({ store: memoryStore() }));
    const { state, events } = await ledger.execute(repository, 'repo-1', register('repo-1'), facts);
    expect(state).toMatchObject({ status: 'registered', path: '/projects/repo-1' });
    expect((await nodesOf(room)).map(({ writes }) => writes)).toEqual([
      [{ key: 'studio/repository/repo-1/0', value: events[0] }],
    ]);
    expect(room.get('studio/repository/repo-1/0')).toEqual(events[0]);
  });

  it('resolves only when a read sees the write', async () => {
    const { view, ledger } = await openOn(createHost({ store: memoryStore() }));
    await ledger.execute(repository, 'repo-1', register('repo-1'), facts);
    expect(view.byId('repo-1')).toMatchObject({ path: '/projects/repo-1' });
  });

  it('stores nothing for a command that changes nothing', async () => {
    const { room, ledger } = await openOn(createHost({ store: memoryStore() }));
    const first = await ledger.execute(repository, 'repo-1', register('repo-1'), facts);
    const again = await ledger.execute(repository, 'repo-1', register('repo-1'), facts);
    expect(again).toEqual({ state: first.state, events: [] });
    expect(await nodesOf(room)).toHaveLength(1);
  });

  it('stores nothing for a refused command', async () => {
    const { room, ledger } = await openOn(createHost({ store: memoryStore() }));
    await ledger.execute(repository, 'repo-1', register('repo-1'), facts);
    await expect(ledger.execute(repository, 'repo-1', register('repo-1', '/elsewhere'), facts)).rejects.toMatchObject({
      reason: 'reject.repository_registered_elsewhere',
    });
    expect(await nodesOf(room)).toHaveLength(1);
  });

  it('decides commands on one stream one after the other', async () => {
    const { room, ledger } = await openOn(createHost({ store: memoryStore() }));
    const all = Array.from({ length: 20 }, () => ledger.execute(repository, 'repo-1', register('repo-1'), facts));
    const stored = (await Promise.all(all)).filter(({ events }) => events.length > 0);
    expect(stored).toHaveLength(1);
    expect(await nodesOf(room)).toHaveLength(1);
  });

  it('sees events that another writer of the room has appended', async () => {
    const { room, ledger } = await openOn(createHost({ store: memoryStore() }));
    await ledger.execute(repository, 'repo-1', register('repo-1'), facts);
    const moved = { type: 'RepositoryMoved', v: 1, repositoryId: 'repo-1', path: '/moved', movedAt: facts.now };
    await room.transact(() => ({ writes: [{ key: 'studio/repository/repo-1/1', value: moved }], result: undefined }));
    const { state } = await ledger.execute(repository, 'repo-1', register('repo-1', '/moved'), facts);
    expect(state).toMatchObject({ path: '/moved' });
  });

  it('refuses to decide on, and leaves out of views, an event of a newer version', async () => {
    const { room, view, ledger, log } = await openOn(createHost({ store: memoryStore() }));
    const future = { type: 'RepositoryRegistered', v: 2 };
    await room.transact(() => ({ writes: [{ key: 'studio/repository/repo-1/0', value: future }], result: undefined }));
    await expect(ledger.execute(repository, 'repo-1', register('repo-1'), facts)).rejects.toMatchObject({
      reason: 'reject.event_not_understood',
    });
    expect(view.all()).toEqual([]);
    expect(log).toEqual([expect.objectContaining({ level: 'error', id: 'repo-1', position: 0 })]);
  });

  it('gives the same views and goes on with the same streams after a restart', async () => {
    const folder = await tempFolder();
    const before = createHost({ store: levelStore(folder) });
    const { view, ledger } = await openOn(before);
    for (const id of ['repo-2', 'repo-1', 'merge/w1']) await ledger.execute(repository, id, register(id), facts);
    await ledger.execute(repository, 'repo-1', register('repo-1', '/moved'), {
      ...facts,
      abandonedPath: '/projects/repo-1',
    });
    const listed = view.all();
    ledger.close();
    await before.close();

    const after = createHost({ store: levelStore(folder) });
    const again = await openOn(after);
    expect(again.view.all()).toEqual(listed);
    expect(listed.map(({ path }) => path)).toEqual(['/projects/repo-2', '/moved', '/projects/merge/w1']);
    await again.ledger.execute(repository, 'repo-1', register('repo-1', '/moved'), facts);
    expect(await nodesOf(again.room)).toHaveLength(4);
    again.ledger.close();
    await after.close();
  });

  it('tells a view each event once and in order, also what is committed while it opens', async () => {
    const { room, ledger: writer } = await openOn(createHost({ store: memoryStore() }));
    const write = (id: string) => writer.execute(repository, id, register(id), facts);
    await write('before');
    let passes = 0;
    /** A room in which something is committed after its history was read, and before the reader knows that it ended. */
    const busy: EventRoom = {
      transact: (decide) => room.transact(decide),
      onCommit: (listener) => room.onCommit(listener),
      async *history(from) {
        const end = room.seq;
        for await (const entry of room.history(from)) if (entry.seq < end) yield entry;
        if (passes++ < 3) await write(`during-${passes}`);
      },
    };
    const told: string[] = [];
    const view: View = {
      aggregate: 'repository',
      fold: ({ id }) => {
        told.push(id);
        return 'folded';
      },
    };
    await Ledger.open(busy, [view], () => undefined);
    expect(told).toEqual(['before', 'during-1', 'during-2', 'during-3']);
    await write('after');
    expect(told).toEqual(['before', 'during-1', 'during-2', 'during-3', 'after']);
  });

  it('forgets old streams without forgetting what happened to them', async () => {
    const { room, ledger } = await openOn(createHost({ store: memoryStore() }));
    await ledger.execute(repository, 'first', register('first'), facts);
    await Promise.all(
      Array.from({ length: 4100 }, (_, n) => ledger.execute(repository, `r${n}`, register(`r${n}`), facts)),
    );
    await ledger.execute(repository, 'first', register('first'), facts);
    expect(await nodesOf(room)).toHaveLength(4101);
  });

  it('folds nothing more after it is closed', async () => {
    const { room, view, ledger } = await openOn(createHost({ store: memoryStore() }));
    ledger.close();
    const event = {
      type: 'RepositoryRegistered',
      v: 1,
      repositoryId: 'x',
      path: '/x',
      rootCommits: [],
      registeredAt: '',
    };
    await room.transact(() => ({ writes: [{ key: 'studio/repository/x/0', value: event }], result: undefined }));
    expect(view.all()).toEqual([]);
  });
});
