/** Rooms, pushes and chains of a size that is real. */
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it } from 'vitest';
import { admit, join, reasons, sealed } from '../laws/support.js';
import { tempFolder } from '../support/temp-folder.js';
import { manyHeads } from './many-heads.js';
import { offlinePush } from './offline-push.js';
import { canWeigh } from './resident-memory.js';
import { transports } from './serving.js';
import { slowJoin } from './slow-join.js';

describe.runIf(canWeigh).each(transports)('over %s', (transport) => {
  it('slow joiners of a room of 40 MiB get all of it while others write, and are not held in memory', () =>
    slowJoin(transport, { joiners: 8, mebibytes: 40, mayGrow: 240, pauseMs: 1000 }));

  // Whoever gives no sign of life is cut after two minutes; pings wait behind what is being read.
  it('fault 9: a peer that reads for minutes, and answers pings as late, is not taken for dead', () =>
    slowJoin(transport, { joiners: 1, mebibytes: 34, mayGrow: 240, pauseMs: 5000 }));
});

it('fault 21: 10,000 heads are welcomed, joined and forgotten again', () => manyHeads(10_000));

it('260,000 nodes that were typed offline are taken in one push, as fast as the limits let it', () =>
  offlinePush(260_000));

it('fault 22: one chain of a million nodes is judged, stored, read again and sent', async () => {
  const folder = await tempFolder();
  const host = createHost({ store: levelStore(folder) });
  const room = await host.room('room');
  const writer = await join(room, 1);
  for (let i = 0; i < 1_000_000; i++) writer.set(`k${i % 1000}`, i);
  expect(reasons(await admit(room, await sealed(writer)))).toEqual([]);
  await host.close();

  const again = createHost({ store: levelStore(folder) });
  const reopened = await again.room('room');
  expect([reopened.seq, reopened.stateHash]).toEqual([1_000_001, writer.stateHash]);
  const reader = await join(reopened, 2);
  for (const pack of reopened.packs()) expect(reasons(await reader.receive(pack))).toEqual([]);
  expect([reader.stateHash, reader.frontier]).toEqual([writer.stateHash, writer.frontier]);
  await again.close();
});
