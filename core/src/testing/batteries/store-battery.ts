/**
 * What every store must do. Run it on a new adapter:
 *
 *   for (const { name, run } of storeBattery) it(name, () => run(openYourStore));
 *
 * Each case throws when the store breaks its word; it needs no test framework.
 */
import { equalBytes, toUtf8 } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import type { LogRecord } from '../../ports/store.js';
import { type BatteryCase, all, same, using } from './battery.js';
import { forkCases } from './fork-cases.js';
import { imageCases } from './image-cases.js';
import { mergeCases } from './merge-cases.js';
import { removalCases } from './removal-cases.js';

const A = parseRoomId('a') as RoomId;
const B = parseRoomId('a-b') as RoomId;

export const storeBattery: readonly BatteryCase[] = [
  {
    name: '[ST1] a log without records has head 0 and reads as nothing',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        same(await log.head(A), 0);
        same((await all(log.read(A, 0))).length, 0);
        same((await all(log.rooms())).join(), '');
      });
    },
  },
  {
    name: '[ST1] records come back in order, without gaps, with their bytes',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        let head = 0;
        for (let i = 1; i <= 300; i++) {
          const appended = await log.append(A, head, { count: i, pack: toUtf8(`pack ${i}`) });
          same('seq' in appended && appended.seq, head);
          head += i;
        }
        same(await log.head(A), head);
        const records = await all(log.read(A, 0));
        same(records.length, 300);
        records.forEach((record, index) => {
          same(record.count, index + 1);
          if (!equalBytes(record.pack, toUtf8(`pack ${index + 1}`))) throw new Error(`record ${index} differs`);
        });
        contiguous(records, 0);
      });
    },
  },
  {
    name: '[ST2] several records are appended at the head that is expected, all of them or none',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await log.append(A, 0, record(2));
        const refused = await log.appendAll(A, 1, [record(1), record(1)]);
        same('movedTo' in refused && refused.movedTo, 2);
        const appended = await log.appendAll(A, 2, [record(3), record(1), record(2)]);
        same('seq' in appended && appended.seq, 2);
        same(await log.head(A), 8);
        const records = await all(log.read(A, 0));
        same(records.map(({ count }) => count).join(), '2,3,1,2');
        contiguous(records, 0);
        await log.append(A, 8, record(1));
        same(await log.head(A), 9);
      });
    },
  },
  {
    name: '[ST1] reading from a position begins with the record that holds it',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await log.append(A, 0, record(3));
        await log.append(A, 3, record(4));
        await log.append(A, 7, record(2));
        for (const [from, seqs] of [
          [0, '0,3,7'],
          [2, '0,3,7'],
          [3, '3,7'],
          [6, '3,7'],
          [8, '7'],
          [9, ''],
        ] as const) {
          same((await all(log.read(A, from))).map(({ seq }) => seq).join(), seqs);
        }
      });
    },
  },
  {
    name: '[ST2] an append at another head changes nothing and answers where the head is',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await log.append(A, 0, record(2));
        for (const expected of [0, 1, 3]) {
          const refused = await log.append(A, expected, record(1));
          same('movedTo' in refused && refused.movedTo, 2);
        }
        same((await all(log.read(A, 0))).length, 1);
      });
    },
  },
  {
    name: '[ST2] of appends that race at one head exactly one wins',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        const results = await Promise.all(Array.from({ length: 8 }, () => log.append(A, 0, record(1))));
        same(results.filter((result) => 'seq' in result).length, 1);
        same(await log.head(A), 1);
      });
    },
  },
  {
    name: '[ST1] rooms are apart, and listed in order',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        await log.append(B, 0, record(5));
        await log.append(A, 0, record(1));
        same(await log.head(A), 1);
        same(await log.head(B), 5);
        same((await all(log.read(A, 0))).length, 1);
        same((await all(log.rooms())).join(), 'a,a-b');
      });
    },
  },
  {
    name: '[ST1] the bytes that were handed over may change afterwards',
    durable: false,
    async run(open) {
      await using(open, async ({ log }) => {
        const pack = toUtf8('before');
        await log.append(A, 0, { count: 1, pack });
        pack.fill(0);
        const [read] = await all(log.read(A, 0));
        if (!read || !equalBytes(read.pack, toUtf8('before'))) throw new Error('the store kept a reference');
      });
    },
  },
  {
    name: '[ST4] what was appended outlives the store object, the authority key too',
    durable: true,
    async run(open) {
      let seed: Uint8Array | undefined;
      await using(open, async (store) => {
        await store.log.append(A, 0, record(2));
        await store.log.append(A, 2, record(1));
        seed = await store.authoritySeed();
      });
      await using(open, async (store) => {
        same(await store.log.head(A), 3);
        contiguous(await all(store.log.read(A, 0)), 0);
        if (!seed || !equalBytes(await store.authoritySeed(), seed)) throw new Error('the authority key changed');
      });
    },
  },
  {
    name: '[ST4] a second open of a place in use is refused as locked, and harms nothing',
    durable: true,
    async run(open) {
      await using(open, async (store) => {
        await store.log.append(A, 0, record(1));
        const fault = await open().then(
          () => 'opened',
          (error: unknown) => (error instanceof Error && 'fault' in error ? error.fault : error),
        );
        same(fault, 'locked');
        await store.log.append(A, 1, record(1));
        same(await store.log.head(A), 2);
      });
    },
  },
  ...mergeCases,
  ...forkCases,
  ...removalCases,
  ...imageCases,
];

function record(count: number): { count: number; pack: Uint8Array } {
  return { count, pack: toUtf8(`${count} nodes`) };
}

function contiguous(records: readonly LogRecord[], from: number): void {
  let next = from;
  for (const { seq, count } of records) {
    same(seq, next);
    next += count;
  }
}
