import { expect, it } from 'vitest';
import { Order } from './order.js';

/** Frames by name, begun in the order that is noted; those that wait end when they are told to. */
function ordered(waits: readonly string[]) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const order = new Order((frame) => {
    begun.push(String(frame));
    return waits.includes(String(frame)) ? new Promise((resolve) => ends.set(String(frame), resolve)) : undefined;
  });
  return { order, begun, end: (frame: string) => ends.get(frame)!() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('begins what came behind one that waits when that is over, in order', async () => {
  const { order, begun, end } = ordered(['a', 'c']);
  expect(order.isFree).toBe(true);
  for (const frame of ['a', 'b', 'c', 'd']) order.take(frame);
  await turn();
  expect([begun, order.isFree]).toEqual([['a'], false]);
  end('a');
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
  order.take('e');
  end('c');
  await order.settled();
  expect([begun, order.isFree]).toEqual([['a', 'b', 'c', 'd', 'e'], true]);
});

it('is settled when the last push is answered', async () => {
  const { order } = ordered([]);
  expect(order.pushed).toBeUndefined();
  order.pushBegins();
  order.pushBegins();
  let settled = false;
  void order.settled().then(() => (settled = true));
  order.pushEnds();
  await turn();
  expect([settled, order.pushed === undefined]).toEqual([false, false]);
  order.pushEnds();
  await turn();
  expect([settled, order.pushed]).toEqual([true, undefined]);
});
