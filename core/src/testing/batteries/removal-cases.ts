/** What every store must do with logs that are removed. */
import { fromUtf8, toUtf8 } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import type { NodeLog } from '../../ports/store.js';
import { type BatteryCase, all, same, using } from './battery.js';
import { append, segment, shape } from '../log-shapes.js';

const A = parseRoomId('a') as RoomId;
const B = parseRoomId('a-b') as RoomId;
const C = parseRoomId('c') as RoomId;
const TOMBSTONE = toUtf8('here was a log');

/** Ten nodes in two segments, and a record. */
async function full(log: NodeLog): Promise<void> {
  await append(log, A, 1, 2, 3, 4);
  for (const from of [0, 6]) same(await log.merge(A, from, segment(from, from === 0 ? 6 : 4)), true);
  await append(log, A, 5);
}

async function left(log: NodeLog, room: RoomId): Promise<string> {
  const { tombstone, isBarred } = (await log.remains(room)) ?? {};
  return `${tombstone ? fromUtf8(tombstone) : 'nothing'}, ${String(isBarred)}`;
}

async function writes(log: NodeLog, room: RoomId): Promise<string> {
  const appended = await log.append(room, 0, segment(0, 1));
  return 'isBarred' in appended ? 'barred' : 'written';
}

export const removalCases: readonly BatteryCase[] = [
  {
    name: '[ST14] a log that is removed is gone with all its records and segments, and leaves its tombstone',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await full(log);
        await append(log, B, 2);
        same(await left(log, A), 'nothing, undefined');
        same(await log.remove(C, TOMBSTONE), false);
        same(await left(log, C), 'nothing, undefined');
        same(await log.remove(A, TOMBSTONE), true);
        same(await log.remove(A, toUtf8('again')), false);
        same([await log.head(A), await log.size(A), await shape(log, A), await all(log.rooms())].join('|'), '0|0||a-b');
        same(await left(log, A), 'here was a log, true');
        await log.reclaim();
        same([await shape(log, B), await left(log, A)].join('|'), '0+2|here was a log, true');
      });
    },
  },
  {
    name: '[ST14] nothing is written under a name that is barred, until it is not; what was left stays known',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await full(log);
        await append(log, B, 4);
        same(await log.merge(B, 0, segment(0, 4)), true);
        await log.remove(A, TOMBSTONE);
        const late = await log.append(A, 15, segment(15, 1));
        same('isBarred' in late, true);
        same(await writes(log, A), 'barred');
        same(await log.begin(A, [segment(0, 1)]), false);
        same(await log.fork(A, { room: B, at: 4 }, segment(4, 1)), false);
        same([await log.head(A), await all(log.forks(B))].join('|'), '0|');
        await log.unbar(A);
        await log.unbar(C);
        same([await left(log, A), await left(log, C)].join('; '), 'here was a log, false; nothing, undefined');
        same(await writes(log, A), 'written');
        same(await shape(log, A), '0+1');
        same(await log.remove(A, toUtf8('the second')), true);
        same(await left(log, A), 'the second, true');
      });
    },
  },
  {
    name: '[ST14] what was forked of a log that is removed keeps what it has, and a new log of that name is none of its origin',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await full(log);
        same(await log.fork(B, { room: A, at: 10 }, segment(10, 2)), true);
        same(await log.begin(C, [segment(0, 3)], { room: A, at: 2 }), true);
        await log.remove(A, TOMBSTONE);
        same([await shape(log, B), await shape(log, C)].join('|'), '0+6 6+4 10+2|0+3');
        const [forked, begun] = [await log.origin(B), await log.origin(C)];
        same([forked?.room, forked?.at, forked?.isShared, begun?.isShared].join(), 'a,10,false,false');
        same((await all(log.forks(A))).join(), 'a-b,c');
        await append(log, B, 1);
        same(await log.merge(B, 0, segment(0, 10)), true);
        await log.remove(B, TOMBSTONE);
        same([await all(log.forks(A)), await log.origin(B)].join('|'), 'c|');
      });
    },
  },
  {
    name: '[ST14] of a removal and an append that race, one is second',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await full(log);
        const [removed, appended] = await Promise.all([log.remove(A, TOMBSTONE), log.append(A, 15, segment(15, 2))]);
        same(removed, true);
        same([await log.head(A), await shape(log, A)].join('|'), '0|');
        same('seq' in appended || 'isBarred' in appended, true);
      });
    },
  },
  {
    name: '[ST4] a removal outlives the store object',
    durable: true,
    async run(open) {
      await using(open, async ({ log }) => {
        await full(log);
        same(await log.fork(B, { room: A, at: 6 }, segment(6, 2)), true);
        await log.remove(A, TOMBSTONE);
      });
      await using(open, async ({ log }) => {
        same(await left(log, A), 'here was a log, true');
        same([await writes(log, A), await shape(log, B)].join('|'), 'barred|0+6 6+2');
        same((await log.origin(B))?.isShared, false);
        await log.unbar(A);
      });
      await using(open, async ({ log }) => {
        same(await left(log, A), 'here was a log, false');
        same(await writes(log, A), 'written');
      });
    },
  },
];
