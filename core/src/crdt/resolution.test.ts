import { expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { ENTRY_KINDS } from './value-tree/entry-order.js';
import { join, open, push } from '../testing/open-rooms.js';

/** A room with keys of every kind, some of them empty by now, and two kinds under one key. */
async function written() {
  const room = await open(memoryStore());
  const replica = await join(room);
  replica.set('a', 1);
  replica.setBlob('b', 'ab'.repeat(32));
  replica.set('c', 2);
  replica.delete('c');
  replica.text('d').insert(0, 'words');
  replica.set('d', 3);
  replica.list('e').push('x', 2);
  replica.text('f').insert(0, 'gone');
  replica.text('f').delete(0, 4);
  replica.list('g').push('gone');
  replica.list('g').delete(0);
  await push(replica, room);
  return { room };
}

it('a document is resolved key by key, each kind by itself, and of registers it is told who made them so', async () => {
  const { room } = await written();
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const told = [...room.past.present.winners()].map(({ key, kind, bytes, winner }) => [key, kind, [...bytes], winner]);
  // Its name is that of its author before that of its node.
  const nodeOf = (key: string) => room.past.present.winningWrite(key)?.name.slice(64);
  expect(told).toEqual([
    ['a', 'register', [...encodeValue(1)], nodeOf('a')],
    ['b', 'blob', Array.from({ length: 32 }, () => 0xab), nodeOf('b')],
    ['c', 'deleted', [], expect.stringMatching(/^[0-9a-f]{64}$/)],
    ['d', 'register', [...encodeValue(3)], nodeOf('d')],
    ['d', 'text', [...utf8('words')], undefined],
    ['e', 'list', [...encodeValue(['x', 2])], undefined],
    ['f', 'text', [], undefined],
    ['g', 'list', [...encodeValue([])], undefined],
  ]);
  const live = told.filter(([, kind]) => kind !== 'deleted').map(([key, kind]) => [key, kind]);
  expect([...room.past.present.resolution()].map(({ key, kind }) => [key, kind])).toEqual(live);
});

it('[VR1] a text or list is shown once something was in it, also when nothing is any more, and none is where nothing was', async () => {
  const { room } = await written();
  const shown = (key: string) => ENTRY_KINDS.map((_, kind) => room.past.present.shown(key, kind)?.form);
  expect(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(shown)).toEqual([
    ['bytes', undefined, undefined],
    ['blob', undefined, undefined],
    [undefined, undefined, undefined],
    ['bytes', 'text', undefined],
    [undefined, undefined, 'list'],
    [undefined, 'text', undefined],
    [undefined, undefined, 'list'],
    [undefined, undefined, undefined],
  ]);
});
