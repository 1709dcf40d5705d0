/** What every store must do with segments. Packs name their nodes, so that what is read tells each node once. */
import { fromUtf8, toUtf8 } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import type { Segment } from '../../ports/store.js';
import { type BatteryCase, all, same, using } from './battery.js';
import { append, names, nodes, segment, shape } from '../log-shapes.js';

const A = parseRoomId('a') as RoomId;
const B = parseRoomId('b') as RoomId;
const C = parseRoomId('c') as RoomId;

export const mergeCases: readonly BatteryCase[] = [
  {
    name: '[ST6] a merge puts a segment in the place of records, and the log goes on',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await append(log, A, 3, 1, 2, 5);
        same(await log.merge(A, 0, segment(0, 6)), true);
        same(await shape(log, A), '0+6 6+5');
        same(await log.head(A), 11);
        await append(log, A, 4);
        for (const [from, expected] of [
          [5, '0+6 6+5 11+4'],
          [6, '6+5 11+4'],
          [12, '11+4'],
          [15, ''],
        ] as const) {
          same(await shape(log, A, from), expected);
        }
        same(await log.merge(A, 6, segment(6, 9)), true);
        same(await shape(log, A), '0+6 6+9');
        same(await shape(log, A, 6), '6+9');
      });
    },
  },
  {
    name: '[ST6] a log of segments alone has its head, takes appends and is listed in order',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        for (const room of [B, A, C]) await append(log, room, 2, 3);
        for (const room of [A, C]) same(await log.merge(room, 0, segment(0, 5)), true);
        same((await all(log.rooms())).join(), 'a,b,c');
        same(await log.head(A), 5);
        const moved = await log.append(A, 0, segment(0, 1));
        same('movedTo' in moved && moved.movedTo, 5);
        await append(log, A, 1);
        same(await shape(log, A), '0+5 5+1');
      });
    },
  },
  {
    name: '[ST6] segments are merged into larger ones, with records behind them or without',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await append(log, A, 2, 2, 2, 2, 2, 2, 2);
        for (const from of [0, 2, 4, 6, 8]) same(await log.merge(A, from, segment(from, 2)), true);
        same(await log.merge(A, 2, segment(2, 4)), true);
        same(await log.merge(A, 8, segment(8, 2)), true);
        same(await shape(log, A), '0+2 2+4 6+2 8+2 10+2 12+2');
        same(await log.merge(A, 6, segment(6, 6)), true);
        same(await shape(log, A), '0+2 2+4 6+6 12+2');
        same(await log.merge(A, 2, segment(2, 4)), true);
        same(await log.merge(A, 0, segment(0, 14)), true);
        same(await shape(log, A), '0+14');
      });
    },
  },
  {
    name: '[ST6] a merge that does not fit the records changes nothing',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await append(log, A, 2, 3, 4);
        const refused = async (cases: readonly (readonly [number, number])[]): Promise<void> => {
          const before = await shape(log, A);
          for (const [from, count] of cases) {
            if (await log.merge(A, from, segment(from, count))) throw new Error(`took ${count} nodes from ${from}`);
          }
          same(await shape(log, A), before);
        };
        // Not a beginning of the log, not where a record ends, beyond the head, no nodes.
        await refused([[2, 3], [1, 4], [0, 1], [0, 4], [0, 10], [9, 1], [9, 0], [0, 0], [-2, 4]]); // oxfmt-ignore
        same(await log.merge(A, 0, segment(0, 2)), true);
        same(await log.merge(A, 2, segment(2, 3)), true);
        await refused([[1, 4], [0, 3], [2, 4], [3, 2], [5, 5], [6, 3], [0, 8], [5, 0], [2, 0]]); // oxfmt-ignore
        same(await log.merge(B, 0, segment(0, 1)), false);
        same((await all(log.rooms())).join(), 'a');
      });
    },
  },
  {
    name: '[ST6] a merge by whoever knows less of the log, or more, than it has by now changes nothing',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await append(log, A, 2, 3, 4);
        const before = await shape(log, A);
        for (const head of [0, 5, 10]) same(await log.merge(A, 0, segment(0, 5), head), false);
        same(await shape(log, A), before);
        same(await log.merge(A, 0, segment(0, 5), 9), true);
        same(await log.merge(A, 0, segment(0, 9), 5), false);
        same(await log.merge(A, 0, segment(0, 9), 9), true);
        same(await log.merge(B, 0, segment(0, 1), 0), false);
      });
    },
  },
  {
    name: '[ST6] who reads while records and segments are merged reads every node once, in order',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await append(log, A, ...Array.from({ length: 40 }, () => 3));
        for (let from = 0; from < 60; from += 15) same(await log.merge(A, from, segment(from, 15)), true);
        for (const [from, count] of [
          [60, 30],
          [0, 30],
          [30, 60],
          [0, 120],
        ] as const) {
          const reader = log.read(A, 0)[Symbol.asyncIterator]();
          const parts: Segment[] = [];
          const first = await reader.next();
          if (!first.done) parts.push(first.value);
          same(await log.merge(A, from, segment(from, count)), true);
          for (let next = await reader.next(); !next.done; next = await reader.next()) parts.push(next.value);
          same(parts.map(({ pack }) => fromUtf8(pack)).join(), names(0, 120));
        }
      });
    },
  },
  {
    name: '[ST6] appends, merges and readers of one room do not hinder each other',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        const appends = append(log, A, ...Array.from({ length: 60 }, () => 2));
        const merges = (async () => {
          for (let from = 0; from < 120;) {
            const head = await log.head(A);
            if (head > from) same(await log.merge(A, from, segment(from, head - from)), true);
            if (head > 0) same(await log.merge(A, 0, segment(0, head)), true);
            from = head;
            same((await nodes(log, A)).startsWith(names(0, head)), true);
          }
        })();
        await Promise.all([appends, merges]);
        same(await shape(log, A), '0+120');
      });
    },
  },
  {
    name: '[ST6] the bytes of a segment that were handed over may change afterwards',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await append(log, A, 1, 1);
        const merged = segment(0, 2);
        await log.merge(A, 0, merged);
        merged.pack.fill(0);
        same(await shape(log, A), '0+2');
      });
    },
  },
  {
    name: '[ST7] a segment of two rooms stays for the one when the other has merged it away',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        for (const room of [A, B]) {
          await append(log, room, 1, 1, 1);
          same(await log.merge(room, 0, segment(0, 2)), true);
        }
        same(await log.merge(A, 0, segment(0, 3)), true);
        same(await shape(log, B), '0+2 2+1');
        same(await log.merge(B, 0, segment(0, 3)), true);
        same([await shape(log, A), await shape(log, B)].join(), '0+3,0+3');
      });
    },
  },
  {
    name: '[ST7] a segment that one room has twice stays for the second place',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        const twin = { count: 1, pack: toUtf8('twin') };
        for (const seq of [0, 1, 2]) await log.append(A, seq, twin);
        for (const seq of [0, 1]) same(await log.merge(A, seq, twin), true);
        same(await log.merge(A, 0, { count: 1, pack: toUtf8('other') }), true);
        same((await all(log.read(A, 0))).map(({ pack }) => fromUtf8(pack)).join(), 'other,twin,twin');
      });
    },
  },
  {
    name: '[ST7] rooms that merge a shared segment away and take it at once lose nothing',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        const rooms = [A, B];
        const packs = ['these bytes', 'those bytes'].map(toUtf8);
        for (const room of rooms) await append(log, room, 1);
        for (let round = 0; round < 10; round++) {
          const packOf = (i: number): Uint8Array => packs[(round + i) % 2] as Uint8Array;
          const merged = rooms.map((room, i) => log.merge(room, 0, { count: 1, pack: packOf(i) }));
          same((await Promise.all(merged)).every(Boolean), true);
          for (const [i, room] of rooms.entries()) same(await nodes(log, room), fromUtf8(packOf(i)));
        }
      });
    },
  },
  {
    name: '[ST7] the size of a log is that of its packs, shared ones included',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        same(await log.size(A), 0);
        for (const room of [A, B]) {
          await append(log, room, 2, 3);
          same(await log.size(room), names(0, 2).length + names(2, 3).length);
          same(await log.merge(room, 0, segment(0, 2)), true);
          await append(log, room, 1);
          same(await log.size(room), names(0, 2).length + names(2, 3).length + names(5, 1).length);
        }
        same(await log.merge(A, 0, segment(0, 6)), true);
        same(await log.size(A), names(0, 6).length);
      });
    },
  },
  {
    name: '[ST4] what was merged outlives the store object, and merges go on',
    durable: true,
    async run(open) {
      await using(open, async ({ log }) => {
        await append(log, A, 1, 2, 3, 4);
        await append(log, B, 6);
        for (const room of [A, B]) same(await log.merge(room, 0, segment(0, 6)), true);
      });
      await using(open, async ({ log }) => {
        same((await all(log.rooms())).join(), 'a,b');
        same([await log.head(A), await log.head(B)].join(), '10,6');
        same(await log.merge(A, 0, segment(0, 10)), true);
        same([await shape(log, A), await shape(log, B)].join(), '0+10,0+6');
        await append(log, B, 1);
      });
      await using(open, async ({ log }) => same(await shape(log, B), '0+6 6+1'));
    },
  },
];
