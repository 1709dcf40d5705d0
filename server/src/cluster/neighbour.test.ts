/** Whoever needs another process waits a while for it, and not for one that is no member any more. */
import { expect, it } from 'vitest';
import { AnyLink, type Bus, NobodyThere } from './bus.js';
import { Neighbour } from './neighbour.js';

const limits = { frameBytes: 1000, hostInboxBytes: 1000 };

function neighbourOver(dial: Bus['dial'], onGone = (): Promise<void> => Promise.resolve()): Neighbour {
  const bus: Bus = {
    address: 'here:1',
    open: () => Promise.resolve(),
    dial,
    isGone: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  };
  const none = (): void => undefined;
  return new Neighbour({ id: 'other', address: 'there:1' }, { bus, limits, onGone, onKnown: none, onLost: none });
}

/** What became of it by now, though nothing but turns has gone by. */
async function soon(promise: Promise<unknown>): Promise<unknown> {
  let said: unknown = 'waits';
  void promise.then((value) => (said = value));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return said;
}

it('whoever waits for a process that does not answer hears at once that it is put out', async () => {
  const neighbour = neighbourOver(() => new Promise(() => undefined));
  const reached = Promise.all(Array.from({ length: 20 }, () => neighbour.reach()));
  expect(await soon(reached)).toBe('waits');
  neighbour.end();
  expect(await soon(reached)).toEqual(Array.from({ length: 20 }, () => undefined));
  expect(await soon(neighbour.reach())).toBeUndefined();
});

/** Link that ends when it is told to. */
class TestLink extends AnyLink {
  postMessage(): void {}

  end(): void {
    this.over();
  }
}

it('where nobody listens any more he waits until it is put out, which is done at once', async () => {
  const link = new TestLink();
  let [putOut, gone] = [(): void => undefined, 0];
  const out = new Promise<void>((resolve) => (putOut = resolve));
  const neighbour = neighbourOver(
    () => (link.isOver ? Promise.reject(new NobodyThere('nobody')) : Promise.resolve(link)),
    () => {
      gone++;
      return out;
    },
  );
  expect(await neighbour.reach()).toMatchObject({ link });
  link.end();
  const reached = neighbour.reach();
  expect(await soon(reached)).toBe('waits');
  expect(gone).toBe(1);
  neighbour.end();
  putOut();
  expect(await soon(reached)).toBeUndefined();
});

it('one that was never reached is not put out because nobody listens where it is: who wants it waits for the looks', async () => {
  let gone = 0;
  const neighbour = neighbourOver(
    () => Promise.reject(new NobodyThere('nobody')),
    () => Promise.resolve(void gone++),
  );
  const reached = neighbour.reach();
  expect(await soon(reached)).toBe('waits');
  expect(gone).toBe(0);
  neighbour.end();
  expect(await soon(reached)).toBeUndefined();
});

it('one that may only have lost its way is not put out at once: who wants it waits, and goes on when it is back', async () => {
  const links = [new TestLink(), new TestLink()];
  let [isThere, gone] = [true, 0];
  const neighbour = neighbourOver(
    () => (isThere ? Promise.resolve(links.shift()!) : Promise.reject(new NobodyThere('nobody', true))),
    () => Promise.resolve(void gone++),
  );
  const first = await neighbour.reach();
  isThere = false;
  first!.link.end();
  const reached = neighbour.reach();
  expect(await soon(reached)).toBe('waits');
  isThere = true;
  await neighbour.dial();
  expect(await soon(reached)).toMatchObject({ link: neighbour.open!.link });
  expect([gone, neighbour.open === first]).toEqual([0, false]);
});
