/** What every store must do with logs that begin with another room's. */
import type { RoomId } from '../../codec/bytes/room-id.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import type { NodeLog } from '../../ports/store.js';
import { type BatteryCase, all, same, using } from './battery.js';
import { append, segment, shape } from '../log-shapes.js';

const A = parseRoomId('a') as RoomId;
const B = parseRoomId('a-b') as RoomId;
const C = parseRoomId('c') as RoomId;
const D = parseRoomId('d') as RoomId;

/** Ten nodes in two segments. */
async function parent(log: NodeLog): Promise<void> {
  await append(log, A, 1, 2, 3, 4);
  for (const from of [0, 6]) same(await log.merge(A, from, segment(from, from === 0 ? 6 : 4)), true);
}

const fork = (log: NodeLog, room: RoomId, of: RoomId, at: number): Promise<boolean> =>
  log.fork(room, { room: of, at }, segment(at, 2));

export const forkCases: readonly BatteryCase[] = [
  {
    name: '[ST12] a forked log has what it shares and its own record, and each goes on by itself',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        same(await log.origin(A), undefined);
        same(await fork(log, B, A, 10), true);
        same(await shape(log, B), '0+6 6+4 10+2');
        same(await log.head(B), 12);
        const origin = await log.origin(B);
        same([origin?.room, origin?.at].join(), 'a,10');
        await append(log, B, 3);
        await append(log, A, 1);
        same([await shape(log, A), await shape(log, B)].join(), '0+6 6+4 10+1,0+6 6+4 10+2 12+3');
        same((await all(log.rooms())).join(), 'a,a-b');
        same(await fork(log, C, A, 6), true);
        same([await all(log.forks(A)), await all(log.forks(B))].join(), 'a-b,c,');
      });
    },
  },
  {
    name: '[ST12] a log is forked where a segment ends, also before the last one, and where none ends not at all',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        await append(log, A, 5);
        for (const at of [0, 5, 7, 15, 16]) same(await fork(log, B, A, at), false);
        same(await fork(log, B, C, 10), false);
        same([await log.head(B), await log.origin(B)].join(), '0,');
        same(await fork(log, B, A, 6), true);
        same(await shape(log, B), '0+6 6+2');
      });
    },
  },
  {
    name: '[ST12] a room that has a log is not forked into',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        await append(log, B, 1);
        same(await fork(log, B, A, 10), false);
        same(await fork(log, C, A, 10), true);
        same(await fork(log, C, A, 6), false);
        same([await shape(log, B), await shape(log, C)].join(), '0+1,0+6 6+4 10+2');
      });
    },
  },
  {
    name: '[ST12] nothing is forked onto a name that is occupied, by whomever, before the last one gives it up',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        const [one, two] = [await log.occupy(B), await log.occupy(B)];
        same(await fork(log, B, A, 10), false);
        one();
        one();
        same(await fork(log, B, A, 10), false);
        same([await log.head(B), await log.origin(B), await all(log.forks(A))].join(), '0,,');
        same(await fork(log, C, A, 10), true);
        two();
        same(await fork(log, B, A, 10), true);
        await append(log, C, 1);
        await log.occupy(C); // it keeps nobody from what is there
        await append(log, C, 1);
        same(await shape(log, C), '0+6 6+4 10+2 12+1 13+1');
      });
    },
  },
  {
    name: '[ST12] a log is begun with records, whole or not at all, and may say what it was forked from',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        const records = [segment(0, 3), segment(3, 2)];
        const leave = await log.occupy(B);
        same(await log.begin(B, records, { room: A, at: 3 }), false);
        same([await log.head(B), await log.origin(B)].join(), '0,');
        leave();
        same(await log.begin(A, records), false);
        same(await log.begin(B, records, { room: A, at: 3 }), true);
        same(await log.begin(C, records), true);
        same(await log.begin(C, records), false);
        const [shared, unshared] = [await log.fork(D, { room: A, at: 6 }, segment(6, 2)), await log.origin(B)];
        same([shared, unshared?.room, unshared?.at, unshared?.isShared].join(), 'true,a,3,false');
        same((await log.origin(D))?.isShared, true);
        same([await log.origin(C), await all(log.forks(A))].join(), ',a-b,d');
        await append(log, B, 1);
        same(await log.merge(B, 0, segment(0, 3)), true);
        same([await shape(log, B), await shape(log, C)].join(), '0+3 3+2 5+1,0+3 3+2');
        same(await log.head(B), 6);
      });
    },
  },
  {
    name: '[ST12] a name is occupied before or after a fork, never in the middle of one',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        const occupied = log.occupy(B).then(() => log.head(B));
        const [isForked, head] = await Promise.all([fork(log, B, A, 10), occupied]);
        same(head, isForked ? 12 : 0);
        const forked = fork(log, C, A, 10);
        const later = await log.occupy(C).then(() => log.head(C));
        same(later, (await forked) ? 12 : 0);
      });
    },
  },
  {
    name: '[ST12] what a log has merged away stays for those that share it',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        same(await fork(log, B, A, 10), true);
        same(await log.merge(B, 0, segment(0, 12)), true);
        same(await fork(log, C, B, 12), true);
        same(await log.merge(A, 0, segment(0, 10)), true);
        same([await shape(log, A), await shape(log, B), await shape(log, C)].join(), '0+10,0+12,0+12 12+2');
        const origin = await log.origin(B);
        same([origin?.room, origin?.at].join(), 'a,10');
      });
    },
  },
  {
    name: '[ST4] forks outlive the store object',
    durable: true,
    async run(open) {
      await using(open, async ({ log }) => {
        await parent(log);
        same(await fork(log, B, A, 6), true);
        same(await log.begin(D, [segment(0, 3)], { room: A, at: 2 }), true);
      });
      await using(open, async ({ log }) => {
        const begun = await log.origin(D);
        same([await shape(log, D), begun?.room, begun?.at, begun?.isShared].join(), '0+3,a,2,false');
        const origin = await log.origin(B);
        same([await shape(log, B), await log.head(B), origin?.room, origin?.at].join(), '0+6 6+2,8,a,6');
        same((await all(log.forks(A))).join(), 'a-b,d');
        await append(log, B, 1);
        same(await fork(log, B, A, 10), false);
      });
    },
  },
];
