/** What every store must do with images of rooms. */
import { equalBytes, toUtf8 } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import type { Images } from '../../ports/store.js';
import { type BatteryCase, same, using } from './battery.js';

const A = parseRoomId('a') as RoomId;
const B = parseRoomId('A') as RoomId;

export const imageCases: readonly BatteryCase[] = [
  {
    name: '[ST9] an image is its pieces in order, and the next one takes its place',
    durable: false,
    async run(open) {
      await using(open, async ({ images }) => {
        same(await images.get(A), undefined);
        await images.put(A, [toUtf8('one'), new Uint8Array(), toUtf8(' and two')]);
        await holds(images, A, toUtf8('one and two'));
        await images.put(A, [toUtf8('three')]);
        await holds(images, A, toUtf8('three'));
        await images.put(A, []);
        await holds(images, A, new Uint8Array());
      });
    },
  },
  {
    name: '[ST9] images of rooms are apart, and removed one by one',
    durable: false,
    async run(open) {
      await using(open, async ({ images }) => {
        await images.put(A, [toUtf8('of a')]);
        await images.remove(B);
        await images.put(B, [toUtf8('of b')]);
        await images.remove(A);
        same(await images.get(A), undefined);
        await holds(images, B, toUtf8('of b'));
      });
    },
  },
  {
    name: '[ST9] the bytes that were handed over or given may change afterwards',
    durable: false,
    async run(open) {
      await using(open, async ({ images }) => {
        const piece = toUtf8('before');
        await images.put(A, [piece]);
        piece.fill(0);
        (await images.get(A))?.fill(0);
        await holds(images, A, toUtf8('before'));
      });
    },
  },
  {
    name: '[ST9] of images that are put at once the last one asked for stays, and who reads meanwhile reads a whole one',
    durable: false,
    async run(open) {
      await using(open, async ({ images }) => {
        // Each smaller than the one before, so that it could be faster.
        const half = (number: number): Uint8Array => new Uint8Array(600_000 - 100_000 * number).fill(number);
        const puts = Array.from({ length: 6 }, (_, i) => images.put(A, [half(i), half(i)]));
        for (let read = 0; read < 20; read++) {
          const found = await images.get(A);
          if (found) same(found.length === 2 * half(found[0] ?? 0).length && new Set(found).size === 1, true);
        }
        await Promise.all(puts);
        same((await images.get(A))?.[0], 5);
      });
    },
  },
  {
    name: '[ST9] an image outlives the store object, and its removal too',
    durable: true,
    async run(open) {
      await using(open, async ({ images }) => {
        await images.put(A, [toUtf8('of a')]);
        await images.put(B, [toUtf8('of b')]);
        await images.remove(B);
      });
      await using(open, async ({ images }) => {
        await holds(images, A, toUtf8('of a'));
        same(await images.get(B), undefined);
      });
    },
  },
];

async function holds(images: Images, room: RoomId, expected: Uint8Array): Promise<void> {
  const found = await images.get(room);
  if (!found || !equalBytes(found, expected)) throw new Error(`room ${room} does not have the image that was put`);
}
