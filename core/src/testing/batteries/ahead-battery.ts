/**
 * What every store that reads ahead must do: what it has read says what the store says when it is asked for one by one. Run it like
 * `storeBattery`.
 */
import { equalBytes, toUtf8 } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import type { ReadAhead, Store } from '../../ports/store.js';
import { append, segment } from '../log-shapes.js';
import { type BatteryCase, all, same, using } from './battery.js';

const room = (name: string): RoomId => parseRoomId(name) as RoomId;
const [NONE, SHORT, MERGED, IMAGED, LONG] = [room('none'), room('short'), room('merged'), room('imaged'), room('long')];
const [WEIGHTY, MANY, CHILD] = [room('weighty'), room('many'), room('child')];
const [REMOVED, FREED] = [room('removed'), room('freed')];
/** More than comes with what is read ahead. */
const [MUCH, MANY_RECORDS] = [600_000, 300];

async function fill({ log, images }: Store): Promise<void> {
  await append(log, SHORT, 1, 2, 3);
  await append(log, MERGED, 1, 2, 3, 4);
  for (const from of [0, 3]) same(await log.merge(MERGED, from, segment(from, 3)), true);
  await append(log, IMAGED, 5, 1);
  await images.put(IMAGED, [toUtf8('an image '), toUtf8('in pieces')]);
  for (let seq = 0; seq < 4; seq++) await log.append(LONG, seq, { count: 1, pack: new Uint8Array(100_000).fill(seq) });
  await log.append(WEIGHTY, 0, { count: 1, pack: new Uint8Array(MUCH).fill(7) });
  await images.put(WEIGHTY, [new Uint8Array(MUCH).fill(8)]);
  await log.begin(
    MANY,
    Array.from({ length: MANY_RECORDS }, (_, i) => ({ count: 1, pack: toUtf8(`pack ${i}`) })),
  );
  same(await log.fork(CHILD, { room: MERGED, at: 6 }, segment(6, 2)), true);
  for (const room of [REMOVED, FREED]) {
    await append(log, room, 2);
    same(await log.remove(room, toUtf8(`tombstone of ${room}`)), true);
  }
  await log.unbar(FREED);
}

async function readAhead(store: Store, asked: RoomId): Promise<ReadAhead> {
  const ahead = await store.readAhead?.(asked);
  if (!ahead) throw new Error(`nothing was read ahead of room ${asked}`);
  return ahead;
}

/** All that is said of a room, from each position on. */
async function saidOf(room: RoomId, { log, images }: ReadAhead): Promise<string> {
  const head = await log.head(room);
  const [origin, remains, image] = [await log.origin(room), await log.remains(room), await images.get(room)];
  const said: unknown[] = [
    head,
    origin,
    remains?.isBarred,
    remains && String(remains.tombstone),
    image && String(image),
  ];
  for (let from = 0; from <= head; from += head > 20 ? 50 : 1) {
    const records = await all(log.read(room, from));
    said.push(records.map(({ seq, count, pack }) => [seq, count, pack.length, pack[0], pack.at(-1)]));
  }
  return JSON.stringify(said);
}

export const aheadBattery: readonly BatteryCase[] = [
  {
    name: '[ST1] what is read ahead of rooms says what their logs and images say, however long they are',
    durable: false,
    async run(open) {
      await using(open, async (store) => {
        await fill(store);
        const rooms = [NONE, SHORT, MERGED, IMAGED, LONG, WEIGHTY, MANY, CHILD, REMOVED, FREED];
        const ahead = await Promise.all(rooms.map((room) => store.readAhead!(room)));
        for (const [i, room] of rooms.entries()) same(await saidOf(room, ahead[i] ?? store), await saidOf(room, store));
        // An image that is long, or lies elsewhere, is not among what was read.
        same(
          ahead.map((each, i) => each !== undefined || rooms[i] === IMAGED || rooms[i] === WEIGHTY).includes(false),
          false,
        );
      });
    },
  },
  {
    name: '[ST1] what was read ahead stays as it was, is given with bytes of its own, and knows of one room alone',
    durable: false,
    async run(open) {
      await using(open, async (store) => {
        const { log, images } = store;
        await append(log, SHORT, 1, 2);
        await images.put(SHORT, [toUtf8('before')]);
        const ahead = await readAhead(store, SHORT);
        await log.append(SHORT, 3, segment(3, 1));
        await log.append(MERGED, 0, segment(0, 2));
        await images.put(SHORT, [toUtf8('after')]);
        same(await ahead.log.head(SHORT), 3);
        same((await all(ahead.log.read(SHORT, 0))).map(({ seq, count }) => `${seq}+${count}`).join(' '), '0+1 1+2');
        const image = await ahead.images.get(SHORT);
        if (!image || !equalBytes(image, toUtf8('before'))) throw new Error('the image is another one than before');
        same(await ahead.log.head(MERGED), 2);
        same((await all(ahead.log.read(MERGED, 0))).length, 1);
        await ahead.images.remove(SHORT);
        same(await images.get(SHORT), undefined);
      });
    },
  },
];
