import { createHost } from '@weft/core';
import type { Host, Notice, Room } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { onTestFinished } from 'vitest';
import { Ledger } from '../../record/ledger/ledger.js';
import type { LedgerParts } from '../../record/ledger/ledger.js';
import { LOCAL_ROOM, WORKGROUP_ROOM } from '../../studio.js';
import { type Records, createRecords } from '../../record/views/records.js';

/** The time that every test ledger tells. */
export const TEST_TIME = '2024-05-06T07:08:09.000Z';

export interface TestLedger {
  readonly host: Host;
  readonly ledger: Ledger;
  readonly records: Records;
  readonly workgroup: Room;
  readonly local: Room;
  readonly log: Notice[];
}

/** A ledger over the rooms of a host, with a clock that stands still and ids that count. It is closed with the test. */
export async function openTestLedger(
  given?: Host,
  parts: Partial<LedgerParts> = {},
  whenDone: (close: () => Promise<void>) => void = onTestFinished,
): Promise<TestLedger> {
  const host = given ?? createHost({ store: memoryStore() });
  const [workgroup, local] = [await host.room(WORKGROUP_ROOM), await host.room(LOCAL_ROOM)];
  const records = createRecords();
  const log: Notice[] = [];
  let ids = 0;
  const ledger = await Ledger.open({
    workgroup,
    local,
    collections: Object.values(records),
    hostId: 'host-1',
    now: () => TEST_TIME,
    newId: (prefix) => `${prefix}${++ids}`,
    log: (entry) => log.push(entry),
    ...parts,
  });
  whenDone(async () => {
    ledger.close();
    if (given === undefined) await host.close();
  });
  return { host, ledger, records, workgroup, local, log };
}
