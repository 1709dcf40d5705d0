/** The record and its operations without a listener: a real ledger on real rooms, of which the law of looks is watched. */
import { createHost } from '@weft/core';
import type { Host, Notice, Room } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, onTestFinished } from 'vitest';
import type { Change } from '../../record/ledger/change.js';
import { type EventRoom, Ledger } from '../../record/ledger/ledger.js';
import type { Caller } from '../../operations/kernel/caller.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import { type Clock, wallClock } from '../../clock.js';
import { call } from '../../doors/entry/call.js';
import { operationTable } from '../../operations/table.js';
import { LOCAL_ROOM, WORKGROUP_ROOM, hostIdOf } from '../../studio.js';
import { type Records, createRecords } from '../../record/views/records.js';
import { takeUpAgain } from '../../rules/queue/restart.js';
import { sessionOf } from '../../rules/goals/session-of.js';
import { watchLooks } from '../work/laws-of-work.js';
import { expectDeclared } from './declared.js';
import { testShared } from './test-shared.js';

export interface OpenRecord {
  readonly host: Host;
  readonly ledger: Ledger;
  readonly records: Records;
  readonly log: Notice[];
  readonly shared: OperationParts;
  /** Runs an operation as a person would. */
  call(id: string, input: object): Promise<unknown>;
  change<T>(work: (change: Change) => T): Promise<T>;
  close(): void;
}

const person: Caller = { name: 'ann', kind: 'person', scope: 'admin', internal: true };

export interface OpenOptions {
  readonly folder?: string | undefined;
  /** What its ids begin with, where several hosts write to one workgroup. */
  readonly name?: string | undefined;
  readonly wall?: Clock;
  /** What the ledger is given in place of a room. */
  readonly through?: (room: Room) => EventRoom;
  /** What calls share with those of another. Default: all of it is made anew. */
  readonly parts?: Partial<OperationParts>;
}

/** Opened again on the same host, it is as after a restart. */
export async function openRecord(
  given?: Host,
  { folder, name = '', wall = wallClock, through = (room) => room, parts }: OpenOptions = {},
): Promise<OpenRecord> {
  const host = given ?? createHost({ store: memoryStore() });
  if (!given) onTestFinished(() => host.close());
  const records = createRecords();
  const entries: Notice[] = [];
  const log = (entry: Notice): void => void entries.push(entry);
  let count = 0;
  let run = 0;
  const now = (): string => new Date(wall.now()).toISOString();
  // Ids that a failing run shows the same way every time.
  const newId = (prefix: string): string => `${prefix}${name}${run}-${(count += 1)}`;
  const ledger = await Ledger.open({
    workgroup: through(await host.room(WORKGROUP_ROOM)),
    local: through(await host.room(LOCAL_ROOM)),
    hostId: await hostIdOf(await host.room(LOCAL_ROOM)),
    collections: Object.values(records),
    log,
    now,
    newId,
    sessionOf: (workUnitId, change) => sessionOf(change, records, workUnitId),
  });
  run = ledger.feed.last;
  const unlooked = watchLooks(ledger, records);
  onTestFinished(() => expect(unlooked()).toBeUndefined());
  await takeUpAgain(ledger, records);
  const workgroup = await host.room(WORKGROUP_ROOM);
  const opened = { ledger, records, workgroup, log: entries, ...(folder === undefined ? {} : { folder }) };
  const shared = await testShared(opened, { newId, now, ...parts });
  return {
    host,
    ledger,
    records,
    shared,
    log: entries,
    async call(id, input) {
      const operation = operationTable.find((one) => one.id === id);
      if (!operation) throw new Error(`no operation is called ${id}`);
      try {
        return (await call(shared, operation, { caller: person, about: {}, bind: () => ({ ...input }) })).data;
      } finally {
        expectDeclared(entries);
      }
    },
    change: (work) => ledger.change('ann', work),
    close: () => ledger.close(),
  };
}
