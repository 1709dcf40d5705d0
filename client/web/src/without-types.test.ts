/** What a page without types may get wrong: refused at once, in words that say what to do, where it would have no effect. */
import { createUndo as ofReplica, richText } from '@weft/core/bindings';
import { expect, it, onTestFinished } from 'vitest';
import { type OpenOptions, Room } from './room.js';
import { World } from './testing/pages.js';
import { createUndo } from './undo.js';

async function page() {
  const world = new World();
  onTestFinished(() => world.end());
  const room = world.open();
  await room.joined;
  return room;
}

/** Takes any arguments, as JavaScript does. */
type Loose = (...args: readonly unknown[]) => unknown;
const openRoom = (name: string, options: OpenOptions) => new Room(name, options);
const loose = (call: (...args: never) => unknown): Loose => call as Loose;

it('is told that an observer names a key or a prefix', async () => {
  const room = await page();
  const observe = loose((observed: string, listener: () => void) => room.observe(observed, listener));
  for (const observed of [{ key: 'title' }, {}, { prefix: 1 }, null, undefined, 7, ['title']])
    expect(() => observe(observed, () => undefined)).toThrow("is a key ('title'), or all that begin alike ({ prefix:");
  const told: unknown[] = [];
  room.observe('title', () => told.push('key'));
  room.observe({ prefix: 'ti' }, () => told.push('prefix'));
  room.set('title', 'plan');
  expect(told).toEqual(['key', 'prefix']);
});

it('is told that a listener is a function, whatever it would listen to', async () => {
  const room = await page();
  const { replica, client, presence } = room;
  const undo = createUndo(room, { keys: ['title'] });
  const places: Readonly<Record<string, (listener: () => void) => unknown>> = {
    'room.observe': (listener) => room.observe('title', listener),
    'room.onStatus': (listener) => room.onStatus(listener),
    'replica.observe': (listener) => replica.observe({ prefix: '' }, listener),
    'replica.onRefused': (listener) => replica.onRefused(listener),
    'client.onChange': (listener) => client.onChange(listener),
    'client.onState': (listener) => client.onState(listener),
    'client.onRefused': (listener) => client.onRefused(listener),
    'client.onPeers': (listener) => client.onPeers(listener),
    'client.onPresence': (listener) => client.onPresence(listener),
    'client.onNotice': (listener) => client.onNotice(listener),
    'presence.onChange': (listener) => presence.onChange(listener),
    'undo.onAdded': (listener) => undo.onAdded(listener),
    'undo.onPopped': (listener) => undo.onPopped(listener),
  };
  for (const [place, listen] of Object.entries(places))
    for (const listener of [undefined, null, 'show', {}, Promise.resolve()])
      expect(() => loose(listen)(listener), place).toThrow('a listener is a function');
});

it('is told that an undo takes names as an array', async () => {
  const room = await page();
  for (const options of [{ keys: 'body' }, {}, { keys: new Set(['body']) }, { keys: ['body'], origins: 'me' }]) {
    expect(() => loose(createUndo)(room, options)).toThrow("{ keys: ['body'] }");
    expect(() => loose(ofReplica)(room.replica, options)).toThrow("{ keys: ['body'] }");
  }
});

it('is told how a mark expands', async () => {
  const room = await page();
  room.text('body').insert(0, 'hello');
  const text = richText(room.replica, 'body');
  const mark = loose((...args: Parameters<typeof text.mark>) => text.mark(...args));
  expect(() => mark(0, 5, 'bold', true, { expand: 'befor' })).toThrow('after, before, both, none, not befor');
  expect(text.spans()).toEqual([{ text: 'hello', marks: {} }]);
});

it('is told which option openRoom does not have, and that it needs an address', () => {
  expect(() => loose(openRoom)('plan', { url: 'ws://127.0.0.1:1', store: {} })).toThrow(
    /^openRoom has no option store: it takes url, token, .*storage, /,
  );
  expect(() => loose(openRoom)('plan', { url: 'ws://127.0.0.1:1', toString: 1 })).toThrow('no option toString');
  for (const options of [undefined, {}, { url: new URL('ws://127.0.0.1:1') }])
    expect(() => loose(openRoom)('plan', options)).toThrow("openRoom needs { url: 'wss://…' }");
});
