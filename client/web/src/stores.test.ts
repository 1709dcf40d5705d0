import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  conflictsStore,
  entriesStore,
  othersStore,
  refusedStore,
  statusStore,
  undoStore,
  valueStore,
} from './stores.js';
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

it('a store of conflicts tells what several have written at once, also where what is shown stays, until it is settled', async () => {
  const pages = [world.open(), world.open()];
  await Promise.all(pages.map((page) => page.joined));
  const stores = pages.map((page) => conflictsStore(page, 'title'));
  const told = [0, 0];
  stores.forEach((store, i) => store.subscribe(() => told[i]!++));
  expect(stores.map((store) => store.get())).toEqual([[], []]);
  world.cut();
  pages.forEach((page, i) => page.set('title', `by ${i}`));
  expect(stores.map((store) => store.get())).toEqual([[], []]);
  world.isOnline = true;
  for (const store of stores) await expect.poll(() => store.get().length).toBe(2);
  const [seen, other] = stores.map((store) => store.get());
  expect(seen).toEqual(other);
  expect(stores[0]!.get()).toBe(seen);
  expect(seen!.map(({ value }) => value).sort()).toEqual(['by 0', 'by 1']);
  expect(seen![0]!.value).toBe(pages[0]!.get('title'));
  expect(told).toEqual([1, 1]);
  pages[1]!.set('title', 'both');
  for (const store of stores) await expect.poll(() => store.get()).toEqual([]);
  expect(told).toEqual([2, 2]);
});

it('a store of refusals is told of each, and tries it again or discards it', async () => {
  const page = world.open();
  await page.joined;
  const store = refusedStore(page);
  let told = 0;
  const end = store.subscribe(() => told++);
  const allow = (canWrite?: readonly string[]): Promise<unknown> => {
    const rules = canWrite ? [{ path_glob: 'mine', can_write: canWrite }] : [];
    return world.host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules } } });
  };
  await allow([]);
  page.set('mine', 'new');
  await expect.poll(() => store.get().held.length).toBe(1);
  expect([told, page.get('mine')]).toEqual([1, undefined]);
  expect(store.get()).toBe(store.get());
  const [held] = store.get().held;
  expect(held).toMatchObject({ reason: 'policy-changed', edits: [{ kind: 'set', key: 'mine', value: 'new' }] });
  await allow();
  const server = await world.host.room('room');
  await expect.poll(() => page.replica.frontier).toEqual(server.heads.frontier);
  await store.get().retry(held!);
  await page.sent();
  expect([server.get('mine'), store.get().held, told]).toEqual(['new', [], 2]);
  end();
});
