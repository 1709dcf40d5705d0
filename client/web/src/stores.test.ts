import { afterEach, beforeEach, expect, it } from 'vitest';
import { entriesStore, othersStore, statusStore, undoStore, valueStore } from './stores.js';
import { World } from './testing/pages.js';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

it('a store that was subscribed to before its room was ready tells of what comes, and of nothing else', async () => {
  const page = world.open();
  const store = valueStore(page, 'title');
  const seen: unknown[] = [];
  const end = store.subscribe(() => seen.push(store.get()));
  expect(store.get()).toBe(undefined);
  await page.ready;
  const server = await world.host.room('room');
  await server.set('title', 'one');
  await expect.poll(() => seen).toEqual(['one']);
  await server.set('title', 'two');
  await expect.poll(() => seen).toEqual(['one', 'two']);
  page.set('title', 'two');
  page.set('other', 1);
  expect(seen).toEqual(['one', 'two']);
  end();
  page.set('title', 'three');
  expect(seen).toEqual(['one', 'two']);
});

it('a store that was left before its room was ready is never told', async () => {
  const page = world.open();
  let told = 0;
  valueStore(page, 'title').subscribe(() => told++)();
  await page.ready;
  page.set('title', 'one');
  expect(told).toBe(0);
});

it('stores of entries, others and status are the same object until something of them changes', async () => {
  const [one, two] = [world.open(), world.open()];
  await Promise.all([one.joined, two.joined]);
  const [entries, others, status] = [entriesStore(one, 'a/'), othersStore(one), statusStore(one)];
  one.set('a/1', 1);
  const before = entries.get();
  one.set('b/1', 1);
  expect([entries.get(), others.get(), status.get()]).toEqual([before, others.get(), status.get()]);
  expect(entries.get()).toBe(before);
  let told = 0;
  const end = others.subscribe(() => told++);
  two.presence.show({ at: 1 });
  await expect.poll(() => others.get().map(({ shown }) => shown)).toEqual([{ at: 1 }]);
  expect(told).toBeGreaterThan(0);
  end();
});

it('a store of undo says what can be taken back, from its first subscriber to its last', async () => {
  const page = world.open();
  await page.ready;
  const store = undoStore(page, { keys: ['title', 'body'], mergeMs: 0 });
  page.set('title', 'before');
  expect(store.get()).toMatchObject({ canUndo: false, canRedo: false });
  const states: string[] = [];
  const ends = [0, 1].map(() =>
    store.subscribe(() => states.push(`${Number(store.get().canUndo)}${Number(store.get().canRedo)}`)),
  );
  page.set('title', 'after');
  expect(states).toEqual(['10', '10']);
  ends[0]!();
  expect(store.get().undo()).toBe(true);
  expect([page.get('title'), states.at(-1)]).toEqual(['before', '01']);
  expect(store.get().redo()).toBe(true);
  expect([page.get('title'), states.at(-1)]).toEqual(['after', '10']);
  ends[1]!();
  expect(store.get()).toMatchObject({ canUndo: false, canRedo: false });
  expect(store.get().undo()).toBe(false);
});
