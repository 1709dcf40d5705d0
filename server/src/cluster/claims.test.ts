import type { Membership, RoomId } from '@weft/core';
import { expect, it } from 'vitest';
import { Claims } from './claims.js';

const ROOM = 'plans' as RoomId;

/** Membership of a process `here`, whose answers come when the test says so. */
function membership(owners: Map<RoomId, string>) {
  const asked: string[] = [];
  let release: () => void = () => undefined;
  const given: Membership = {
    self: { id: 'here', address: 'here:1' },
    members: () => Promise.resolve([]),
    isStill: () => false,
    isSure: true,
    makeSure: () => Promise.resolve(),
    putOut: () => Promise.resolve(),
    heads: () => Promise.resolve(new Map()),
    claim: async (room) => {
      asked.push(`claim ${room}`);
      if (!owners.has(room)) owners.set(room, 'here');
      return owners.get(room)!;
    },
    release: async (rooms) => {
      await new Promise<void>((resolve) => (release = resolve));
      for (const room of rooms) owners.delete(room);
      asked.push(`release ${rooms.join()}`);
    },
  };
  return { given, asked, answer: () => release() };
}

it('a room is asked for once, by all who need it together, and never again while it is ours', async () => {
  const { given, asked } = membership(new Map());
  const claims = new Claims(() => given);
  expect(await Promise.all([claims.ownerOf(ROOM), claims.ownerOf(ROOM)])).toEqual(['here', 'here']);
  expect([claims.isMine(ROOM), await claims.ownerOf(ROOM), asked]).toEqual([true, 'here', ['claim plans']]);
});

it('a room of another process is asked for each time: it may be free by now', async () => {
  const owners = new Map([[ROOM, 'there']]);
  const { given } = membership(owners);
  const claims = new Claims(() => given);
  expect([await claims.ownerOf(ROOM), claims.isMine(ROOM)]).toEqual(['there', false]);
  owners.clear();
  expect([await claims.ownerOf(ROOM), claims.isMine(ROOM)]).toEqual(['here', true]);
});

it('what is not used is given up, and whoever needs it meanwhile asks when that is done', async () => {
  const { given, asked, answer } = membership(new Map());
  const claims = new Claims(() => given);
  await claims.ownerOf(ROOM);
  await claims.releaseUnused(() => true);
  expect(claims.isMine(ROOM)).toBe(true);
  const released = claims.releaseUnused(() => false);
  expect(claims.isMine(ROOM)).toBe(false);
  const needed = claims.ownerOf(ROOM);
  await Promise.resolve();
  answer();
  await released;
  expect([await needed, asked]).toEqual(['here', ['claim plans', 'release plans', 'claim plans']]);
});
