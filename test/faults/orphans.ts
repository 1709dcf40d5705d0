/** Nodes whose parents never come. */
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Op, fromHex } from '@weft/core';
import { expect } from 'vitest';
import { join, keysOf, nodeOf, openRoom, packSealed, reasons, sealed } from '../laws/support.js';

const MIB = 1024 * 1024;
const set = (key: string, value: Uint8Array): Op => ({ kind: 'set', key, value });

/** Memory outside the heap that is still in use. It is given back on other threads, once nothing refers to it. */
async function usedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return process.memoryUsage().arrayBuffers;
}

/** `mayGrow`: mebibytes that a room may hold of them; not weighed when absent. */
export async function orphans(mayGrow?: number): Promise<void> {
  const room = await openRoom();
  const patient = await join(room, 2);
  const push = (pack: Uint8Array, session: string) => room.admit(pack, { from: session, session });
  patient.set('first', 1);
  const parent = await sealed(patient);
  patient.set('second', 2);
  expect(reasons(await push(await sealed(patient), 'patient'))).toEqual(['missing-parent']);

  const flooder = keysOf(1);
  const value = new Uint8Array([0xc6, 0, 15, 0, 0, ...new Uint8Array(15 * 65_536)]); // bin 32
  const before = await usedBytes();
  for (let i = 0; i < 80; i++) {
    const parents = [new Uint8Array(randomBytes(32))];
    const author = fromHex(flooder.publicKey);
    const orphan = nodeOf({ room: fromHex(room.genesis.id), author, parents, ops: [set('k', value)] });
    expect(reasons(await push(await packSealed([orphan], [[0, flooder]]), 'flooder'))).toEqual(['missing-parent']);
  }
  if (mayGrow !== undefined) expect((await usedBytes()) - before).toBeLessThan(mayGrow * MIB);
  expect(room.seq).toBe(0);

  expect(reasons(await push(parent, 'patient'))).toEqual([]);
  await room.settled();
  expect([room.get('first'), room.get('second')]).toEqual([1, 2]);
}
