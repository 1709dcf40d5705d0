import { type Host, type RoomClient, connectRoom, createHost, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { inProcessSocket } from '@weft/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ShoppingList } from './shopping-list.js';

let host: Host;

beforeEach(() => {
  host = createHost({ store: memoryStore() });
});

afterEach(() => host.close());

function join(): Promise<RoomClient> {
  return connectRoom({ socket: inProcessSocket(host, 'groceries'), keys: generateKeys() });
}

function changed(client: RoomClient): Promise<void> {
  return new Promise((resolve) => {
    const stop = client.onChange(() => {
      stop();
      resolve();
    });
  });
}

it('what one person adds, the others see', async () => {
  const [ann, ben] = [await join(), await join()];
  const heard = changed(ben);
  await new ShoppingList(ann).add('bread', 2);
  await heard;
  expect(new ShoppingList(ben).items).toEqual(['bread']);
});

it('who comes later finds everything, removed items excepted', async () => {
  const list = new ShoppingList(await join());
  await list.add('milk');
  await list.add('bread');
  await list.remove('milk');
  expect(new ShoppingList(await join()).items).toEqual(['bread']);
});

it('the application that hosts the room reads it directly', async () => {
  await new ShoppingList(await join()).add('tea');
  const room = await host.room('groceries');
  expect(room.get('list/tea')).toEqual({ count: 1 });
});
