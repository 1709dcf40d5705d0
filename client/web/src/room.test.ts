import { randomBytes } from 'node:crypto';
import { defaultCrypto, fromHex, generateKeys, makeMandate, toHex } from '@weft/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memory } from './storage/memory.js';
import type { Change as RecordsChange, Storage } from './storage/records.js';
import type { Room } from './room.js';
import type { AnyRoom } from './types.js';
import { Device, World } from './testing/pages.js';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const room = () => world.host.room('room');
const authorOf = (page: Room<AnyRoom>, key: string): string | undefined => page.replica.why(key)?.author;

describe('a room in a page', () => {
  it('is typed into by two pages', async () => {
    const [one, two] = [world.open(), world.open()];
    await Promise.all([one.ready, two.ready]);
    one.text('body').insert(0, 'hello');
    one.set('title', 'plan');
    await expect.poll(() => [two.textOf('body'), two.get('title')]).toEqual(['hello', 'plan']);
    two.text('body').insert(5, ' world');
    expect([two.isDurable('body'), two.isDurable('title'), two.status.unsent]).toEqual([false, true, 0]);
    await two.sent();
    expect([two.isDurable('body'), two.status.unsent, two.lastHeard! > 0]).toEqual([true, 0, true]);
    await expect.poll(() => one.textOf('body')).toBe('hello world');
    expect(one.status).toEqual({ connection: 'joined', unsent: 0, storage: 'memory', refused: 0 });
  });

  it('writes as a person of whom it has asked a delegation once, for the key that it has made', async () => {
    const person = defaultCrypto.signer(fromHex(generateKeys().seed));
    const asked: string[] = [];
    const delegation = async (key: string): Promise<string> => {
      asked.push(key);
      return toHex(await makeMandate('delegate', { key }, person));
    };
    const storage = memory();
    for (const title of ['first', 'again']) {
      const page = world.open(storage, { delegation });
      await page.joined;
      page.set('title', title);
      await page.sent();
      const held = await room();
      expect(held.subjectAt(held.seq - 1)).toBe(person.publicKey);
      expect(held.get('title')).toBe(title);
      await expect.poll(() => asked.length).toBe(2); // another key is made ahead
      await page.close();
    }
    expect(new Set(asked).size).toBe(2);
    expect((await room()).seq).toBe(1 + 1 + 2);
  });

  it('opens without a network as a person, though another tab has the key or was killed with it', async () => {
    const person = defaultCrypto.signer(fromHex(generateKeys().seed));
    const device = new Device();
    const free = async () =>
      (await (await device.open('ws://host/room')).read('slot/')).filter(
        ([, kept]) => (kept as { state: string }).state === 'clean',
      );
    const delegation = async (key: string): Promise<string> => {
      if (!world.isOnline) throw new Error('no network');
      return toHex(await makeMandate('delegate', { key }, person));
    };
    const first = world.open(device, { delegation });
    await first.joined;
    first.set('k', 1);
    await first.sent();
    await expect.poll(free).toHaveLength(1);
    world.cut();
    await device.kill(() => 0);
    const second = world.open(device, { delegation });
    await second.ready;
    expect(second.get('k')).toBe(1);
    second.set('k', 2);
    await second.kept();
    world.isOnline = true;
    await second.sent();
    const held = await room();
    expect([held.get('k'), held.subjectAt(held.seq - 1), held.forks]).toEqual([2, person.publicKey, []]);
    await expect.poll(free).toHaveLength(1); // for the next one
  });

  it('says what to do before it is ready', () => {
    const page = world.open();
    expect([page.isReady, page.get('k'), page.textOf('t'), page.entries(''), page.items('l')]).toEqual([
      false,
      undefined,
      '',
      {},
      [],
    ]);
    expect(() => page.set('k', 1)).toThrow('await room.ready first');
  });

  it('gives the same frozen objects until they change, and the same parts after that', async () => {
    const page = world.open();
    await page.ready;
    page.set('tasks/1', { name: 'a', tags: ['x'] });
    page.set('tasks/2', { name: 'b', tags: [] });
    page.list('l').push({ a: 1 }, { b: 2 });
    const [before, items] = [page.entries('tasks/'), page.items('l')];
    expect(page.entries('tasks/')).toBe(before);
    expect(Object.isFrozen(before['tasks/1'])).toBe(true);
    page.set('tasks/2', { name: 'c', tags: [] });
    page.list('l').push({ c: 3 });
    const [after, later] = [page.entries('tasks/'), page.items('l')];
    expect(after).not.toBe(before);
    expect(after['tasks/1']).toBe(before['tasks/1']);
    expect(after['tasks/2']).toEqual({ name: 'c', tags: [] });
    expect([later[0], later.length]).toEqual([items[0], 3]);
    expect(later[0]).toBe(items[0]);
    page.set('other', 1);
    expect(page.entries('tasks/')).toBe(after);
    page.set('tasks/2', { name: 'c', tags: [] });
    expect(page.entries('tasks/')).toBe(after);
  });

  it('checks what is written by its schema, and flags what others wrote', async () => {
    const isNumber = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) =>
          typeof value === 'number' ? { value } : { issues: [{ message: 'must be a number' }] },
      },
    };
    const page = world.open(undefined, { schema: { 'n/*': isNumber } });
    await page.ready;
    expect(() => page.set('n/1', 'text')).toThrow('n/1 cannot be must be a number');
    expect(page.get('n/1')).toBeUndefined();
    page.set('n/1', 1);
    await (await room()).set('n/2', 'theirs');
    await expect.poll(() => page.get('n/2')).toBe('theirs');
    expect([page.issues('n/1'), page.issues('n/2'), page.issues('n/3')]).toEqual([[], ['must be a number'], []]);
  });

  it('takes names that every object has', async () => {
    const page = world.open();
    await page.ready;
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(page.entries('')).toEqual({});
      page.set(name, {});
      const shown = Object.entries(page.entries(''));
      expect([page.issues(name), shown]).toEqual([[], [[name, {}]]]);
      expect(shown[0]![1]).not.toBe(Object.prototype);
      page.delete(name);
    }
  });

  it('shows the others what one does at most once in a pause, and the last of it always', async () => {
    const [one, two] = [world.open(), world.open()];
    await Promise.all([one.joined, two.joined]);
    const seen: unknown[] = [];
    two.presence.onChange(() => seen.push(two.presence.others[0]?.shown));
    for (let x = 0; x < 200; x++) one.presence.update({ x });
    one.presence.update({ name: 'ann' });
    await expect.poll(() => seen.at(-1)).toEqual({ x: 199, name: 'ann' });
    expect(seen.filter((shown) => shown !== undefined).length).toBeLessThan(5);
    expect(two.presence.others).toBe(two.presence.others);
  });
});

describe('a room on a device', () => {
  it('opens before there is a network, is edited offline, and sends it when there is one', async () => {
    const device = memory();
    const first = world.open(device);
    await first.ready;
    first.text('body').insert(0, 'before');
    await first.sent();
    await first.close();
    world.cut();
    const second = world.open(device);
    await second.ready;
    expect([second.textOf('body'), second.isReady, second.status.connection]).not.toContain('joined');
    second.text('body').insert(6, ', offline');
    await second.kept();
    expect(second.status.unsent).toBe(1);
    await second.close();
    const third = world.open(device);
    await third.ready;
    expect([third.textOf('body'), third.status.unsent, third.status.storage]).toEqual(['before, offline', 1, 'kept']);
    await third.close();
    world.isOnline = true;
    const fourth = world.open(device);
    await fourth.joined;
    await fourth.sent();
    expect((await room()).text('body')).toBe('before, offline');
    expect(
      new Set([first, second, third, fourth].map((page) => page.replica.why('body', { in: 'text', at: 0 })?.author))
        .size,
    ).toBe(1);
  });

  it('tells other tabs what is written without a network, and all of it arrives once', async () => {
    const device = memory();
    const first = world.open(device);
    await first.joined;
    first.set('begun', true);
    await first.sent();
    world.cut();
    const tabs = [first, world.open(device)];
    await Promise.all(tabs.map((tab) => tab.ready));
    const [, second] = tabs as [Room<AnyRoom>, Room<AnyRoom>];
    for (let i = 0; i < 50; i++) (i % 2 ? first : second).text('body').insert(0, 'x');
    for (const tab of tabs) await expect.poll(() => tab.textOf('body')).toHaveLength(50);
    const third = world.open(device);
    await third.ready;
    await expect.poll(() => third.textOf('body')).toHaveLength(50);
    world.isOnline = true;
    const server = await room();
    await expect.poll(() => server.text('body'), { timeout: 5000 }).toHaveLength(50);
    for (const tab of [...tabs, third]) await expect.poll(() => tab.status.unsent, { timeout: 5000 }).toBe(0);
    expect(server.forks).toEqual([]);
  });

  it('waits for what another tab has not sent yet where it has written on top of that', async () => {
    const device = memory();
    const [first, second] = [world.open(device), world.open(device)];
    await Promise.all([first.joined, second.joined]);
    first.network.isOff = true;
    await expect.poll(() => first.status.connection).not.toBe('joined');
    first.set('below', 1);
    await expect.poll(() => second.get('below')).toBe(1);
    second.set('on top', 2);
    const refused = new Promise<void>((resolve) => {
      const { early } = second.replica.exchange;
      second.replica.exchange.early = () => (early?.(), resolve());
    });
    const sent = second.sent();
    await refused;
    expect((await room()).get('on top')).toBeUndefined();
    first.network.isOff = false;
    await sent;
    expect([(await room()).get('below'), (await room()).get('on top')]).toEqual([1, 2]);
  });

  it('gives each tab a key of its own, and the same keys again later', async () => {
    const device = memory();
    const authors: string[][] = [];
    for (let round = 0; round < 2; round++) {
      const tabs = [world.open(device), world.open(device), world.open(device)];
      await Promise.all(tabs.map((tab) => tab.joined));
      for (const [i, tab] of tabs.entries()) tab.set(`tab/${i}`, round);
      await Promise.all(tabs.map((tab) => tab.sent()));
      authors.push(tabs.map((tab, i) => authorOf(tab, `tab/${i}`)!).sort());
      await Promise.all(tabs.map((tab) => tab.close()));
    }
    expect(new Set(authors[0]).size).toBe(3);
    expect(authors[1]).toEqual(authors[0]);
    expect((await room()).forks).toEqual([]);
  });

  it('sends what a killed tab has left, under the key of that tab, and never writes with it again', async () => {
    const device = new Device();
    const first = world.open(device);
    await first.ready;
    first.set('a', 1);
    await first.sent();
    world.cut();
    first.set('b', 2);
    await first.kept();
    const author = authorOf(first, 'a');
    await device.kill(() => 0);
    world.isOnline = true;
    const second = world.open(device);
    await second.ready;
    expect([second.get('a'), second.get('b')]).toEqual([1, 2]);
    await expect.poll(async () => (await room()).get('b')).toBe(2);
    second.set('c', 3);
    await second.sent();
    expect(authorOf(second, 'b')).toBe(author);
    expect(authorOf(second, 'c')).not.toBe(author);
    expect((await room()).forks).toEqual([]);
  });

  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'never forks an author nor loses what was acknowledged, whatever is killed and lost, schedule %s',
    async (seed) => {
      let state = seed + 1;
      const below = (bound: number): number => (state = (state * 48_271) % 2_147_483_647) % bound;
      const device = new Device();
      const acknowledged = new Map<string, number>();
      let next = 0;
      for (let life = 0; life < 5; life++) {
        world.isOnline = below(3) > 0 || life === 0;
        const tabs = Array.from({ length: 1 + below(3) }, () => world.open(device));
        if (world.isOnline) await Promise.all(tabs.map((tab) => tab.ready));
        const open = tabs.filter((tab) => tab.isReady);
        for (let i = below(8); i > 0 && open.length > 0; i--) {
          const tab = open[below(open.length)]!;
          const value = next++;
          tab.set(`k/${value}`, value);
          if (below(3) === 0) await tab.kept();
          if (world.isOnline && below(2) === 0) {
            await tab.sent();
            acknowledged.set(`k/${value}`, value);
          }
        }
        if (below(3) === 0) await Promise.all(tabs.map((tab) => tab.close()));
        else {
          await device.kill((unsynced) => below(unsynced + 1));
          for (const tab of tabs) void tab.close();
        }
      }
      const server = await room();
      expect(server.forks).toEqual([]);
      for (const [key, value] of acknowledged) expect(server.get(key)).toBe(value);
      world.isOnline = true;
      const last = world.open(device);
      await last.joined;
      for (const [key, value] of acknowledged) expect(last.get(key)).toBe(value);
      await last.sent();
      expect(server.forks).toEqual([]);
    },
  );

  it('gives its key back where it is closed at any moment before it was joined', async () => {
    const device = new Device();
    const slots = async () => (await (await device.open('ws://host/room')).read('slot/')).map(([, kept]) => kept);
    for (const isOnline of [false, true]) {
      world.isOnline = isOnline;
      for (let turns = 0; turns < 40; turns++) {
        const page = world.open(device);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        await page.close();
        await expect(page.joined).rejects.toThrow(/closed/);
        expect(page.status.connection).toBe('ended');
      }
    }
    expect(await slots()).toMatchObject([{ state: 'clean' }]);
    const page = world.open(device);
    await page.joined;
    page.set('k', 1);
    expect(await slots()).toMatchObject([{ state: 'unclean', keys: { publicKey: authorOf(page, 'k') } }]);
  });

  it('has ended where it could not be opened', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const page = world.open(memory(), { delegation: () => Promise.reject(new Error('nobody is there')) });
    const told = new Promise<void>((resolve) => page.onStatus(resolve));
    await expect(page.ready).rejects.toThrow('nobody is there');
    await told;
    expect(page.status.connection).toBe('ended');
  });

  it('goes on beside what it cannot read, as another build has stored it, and sends what else is there', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const device = new Device();
    const [newer, other] = [world.open(device), world.open(device)];
    await Promise.all([newer.joined, other.joined]);
    world.cut();
    newer.set('newer', 1);
    other.set('other', 1);
    await Promise.all([newer.close(), other.close()]);
    const records = await device.open('ws://host/room');
    const [[state, saved]] = (await records.read('state/000001')) as [[string, Uint8Array]];
    const unknown = saved.with(1, 0xff);
    await records.write({ put: [[state, unknown]] }, true);
    for (const [open, isOnline] of [false, true, true].entries()) {
      world.isOnline = isOnline;
      const page = world.open(device);
      await (isOnline ? page.joined : page.ready);
      expect([page.get('other'), page.status.storage]).toEqual([1, 'kept']);
      page.set('open', open);
      if (isOnline) await page.sent();
      await page.close();
    }
    expect((await room()).get('other')).toBe(1);
    expect((await room()).forks).toEqual([]);
    expect(await records.read('state/000001')).toEqual([[state, unknown]]);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it('goes on in memory when the device takes nothing, and says so', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const device = filling();
    const page = world.open(device);
    await page.joined;
    await page.kept();
    expect(page.status.storage).toBe('kept');
    device.isFull = true;
    page.set('k', 1);
    await page.sent();
    expect([page.status.storage, (await room()).get('k'), warned.mock.calls.length]).toEqual(['memory', 1, 1]);
    const other = world.open({ open: () => Promise.reject(new DOMException('private', 'SecurityError')) });
    await other.joined;
    other.set('k', 2);
    await other.sent();
    expect([other.status.storage, (await room()).get('k')]).toEqual(['memory', 2]);
  });

  it('sends what a tab has left that could not store its end, though the device takes nothing', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const device = filling();
    const [left, stays] = [world.open(device), world.open(device)];
    await Promise.all([left.joined, stays.joined]);
    world.cut();
    left.set('left', 1);
    await left.kept();
    device.isFull = true;
    await left.close();
    world.isOnline = true;
    await expect.poll(async () => (await room()).get('left')).toBe(1);
    expect((await room()).forks).toEqual([]);
  });

  it('keeps nobody from sending what a tab has left, where it is opened while the device takes nothing', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const device = filling();
    const [left, stays] = [world.open(device), world.open(device)];
    await Promise.all([left.joined, stays.joined]);
    world.cut();
    left.set('left', 1);
    await left.kept();
    device.isFull = true;
    await left.close();
    world.open(device);
    await expect.poll(() => warned.mock.calls.length).toBe(2); // neither is kept
    world.isOnline = true;
    await expect.poll(async () => (await room()).get('left')).toBe(1);
  });
});

/** Storage that takes what it is given until it is full. */
function filling(): Storage & { isFull: boolean } {
  const inner = memory();
  const device = {
    isFull: false,
    open: async (name: string) => {
      const records = await inner.open(name);
      const write = records.write.bind(records);
      return Object.assign(records, {
        write: ({ put = [], remove }: RecordsChange, isStrict: boolean) =>
          device.isFull && put.length > 0
            ? Promise.reject(new DOMException('full', 'QuotaExceededError'))
            : write({ put, ...(remove ? { remove } : {}) }, isStrict),
      });
    },
  };
  return device;
}

describe('refused edits', () => {
  it.each([
    ['closed', 'goes on with its key'],
    ['closed', 'has another'],
    ['killed', 'delivers it'],
    ['killed', 'does not'],
  ])('of a %s tab do not hold up what a tab wrote on top of them that %s', async (end, who) => {
    const device = new Device();
    const first = world.open(device);
    await first.joined;
    first.set('mine', 'old');
    await first.sent();
    world.cut();
    first.set('mine', 'new');
    first.set('free', 'first');
    first.text('body').insert(0, 'first');
    if (end === 'closed') await first.close();
    else await first.kept().then(() => device.kill(() => 0));
    const tabs = [world.open(device), world.open(device)];
    await Promise.all(tabs.map((tab) => tab.ready));
    const server = await room();
    const rules = [{ path_glob: 'mine', can_write: [] }];
    await world.host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules } } });
    const writer = tabs[who === 'goes on with its key' || who === 'delivers it' ? 0 : 1]!;
    expect([writer.get('mine'), writer.get('free'), writer.textOf('body')]).toEqual(['new', 'first', 'first']);
    writer.set('top', 'written offline');
    writer.text('body').insert(5, ', then I');
    await writer.kept();
    world.isOnline = true;
    await Promise.all(tabs.map((tab) => tab.joined));
    await expect.poll(() => server.get('top'), { timeout: 5000 }).toBe('written offline');
    await expect.poll(() => writer.status.unsent).toBe(0);
    expect([server.get('mine'), server.get('free')]).toEqual(['old', 'first']);
    // What stood on the refused was written anew: where two have written, either may come first.
    if (who === 'goes on with its key') expect(server.text('body')).toBe('first, then I');
    else expect(['first, then I', ', then Ifirst']).toContain(server.text('body'));
    for (const tab of tabs) await expect.poll(() => tab.replica.frontier).toEqual(server.heads.frontier);
    expect(tabs.flatMap(({ refused }) => refused)).toMatchObject([{ edits: [{ kind: 'set', key: 'mine' }] }]);
    expect(server.forks).toEqual([]);
  });

  it('stay with their reason over a restart, until they are tried again or discarded', async () => {
    const device = memory();
    const page = world.open(device);
    await page.joined;
    page.set('mine', 'old');
    await page.sent();
    const server = await room();
    const rules = [{ path_glob: 'mine', can_write: [] }];
    await world.host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules } } });
    page.set('mine', 'new');
    page.set('free', 1);
    await expect.poll(() => page.refused.length).toBe(1);
    expect([page.get('mine'), server.get('mine')]).toEqual(['old', 'old']);
    await expect.poll(() => server.get('free')).toBe(1);
    await page.close();
    const again = world.open(device);
    await again.joined;
    const [held] = again.refused;
    expect(held).toMatchObject({
      reason: 'policy-changed',
      edits: [{ kind: 'set', key: 'mine', value: 'new', old: 'old' }],
    });
    expect(again.status.refused).toBe(1);
    await world.host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules: [] } } });
    await expect.poll(() => again.replica.frontier).toEqual(server.heads.frontier);
    await again.retry(held!);
    await again.sent();
    expect([server.get('mine'), again.refused, again.status.refused]).toEqual(['new', [], 0]);
  });
});

describe('a room whose history the server has given up', () => {
  it('takes as much less on the device, and is what it was when it is opened again', async () => {
    const storage = memory();
    const page = world.open(storage);
    await page.joined;
    for (let written = 0; written < 20; written++) {
      page.set('k', randomBytes(500).toString('base64'));
      await page.sent();
    }
    page.text('body').insert(0, 'stays');
    await page.sent();
    await page.kept();
    const [held, before] = [page.get('k'), await bytesIn(storage)];
    await world.host.submit({ room_id: 'room', command: { PruneHistory: {} } });
    await expect.poll(() => page.replica.withheld).toBe(19);
    await page.sent();
    await page.close();
    expect(before - (await bytesIn(storage))).toBeGreaterThan(19 * 500);

    world.isOnline = false;
    const again = world.open(storage);
    await again.ready;
    expect([again.get('k'), again.textOf('body'), again.replica.withheld]).toEqual([held, 'stays', 19]);
  });

  it('is not sent again to a page that comes again with what it has kept', async () => {
    const writer = world.open();
    await writer.joined;
    for (let written = 0; written < 20; written++) {
      writer.set('k', written);
      writer.text('body').insert(0, randomBytes(100).toString('base64'));
      await writer.sent();
      writer.set('k', -written);
      await writer.sent();
    }
    await world.host.submit({ room_id: 'room', command: { PruneHistory: {} } });
    await expect.poll(() => writer.replica.withheld).toBeGreaterThan(0);
    const { withheld } = writer.replica;

    const storage = memory();
    const sentTo = async (): Promise<number> => {
      const page = world.open(storage);
      let bytes = 0;
      page.onSocket = (socket) =>
        socket.addEventListener('message', ({ data }) => void (bytes += (data as string | Uint8Array).length));
      await page.joined;
      expect([page.get('k'), page.replica.withheld]).toEqual([-19, withheld]);
      await page.close();
      return bytes;
    };
    expect(await sentTo()).toBeGreaterThan(20 * 100);
    expect(await sentTo()).toBeLessThan(20 * 100);
  });
});

/** Bytes of rooms that a storage has. */
async function bytesIn(storage: Storage): Promise<number> {
  const records = await storage.open('ws://host/room');
  const all = [...(await records.read('state/')), ...(await records.read('row/'))];
  return all.reduce((sum, [, value]) => sum + (value as Uint8Array).length, 0);
}
