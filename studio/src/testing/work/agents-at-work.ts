/** A record whose goals are worked on by scripted agents, without a listener. */
import type { Host, Notice } from '@weft/core';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { onTestFinished } from 'vitest';
import { createAgentDoor } from '../../doors/tools/agent.js';
import { chooseFrom } from '../../models/chosen-model.js';
import { steadyClock, wallClock } from '../../clock.js';
import type { Clock } from '../../clock.js';
import { keepTimes } from '../../drivers/keep-times.js';
import type { Ledger } from '../../record/ledger/ledger.js';
import { SHOWN_INSTEAD, agentTable } from '../../operations/agent-tools/table.js';
import { operationTable } from '../../operations/table.js';
import { type AgentsOptions, type Runtime, startRuntime } from '../../runtime.js';
import type { Records } from '../../record/views/records.js';
import { expectDeclared } from '../record/declared.js';
import { type OpenOptions, type OpenRecord, openRecord } from '../record/open-record.js';
import { until } from '../until.js';

export interface AgentsAtWork extends OpenRecord {
  readonly runtime: Runtime;
  /** Waits until something holds that comes about by itself. */
  until(holds: (records: Records) => boolean): Promise<void>;
  /** Waits until nothing is due that was not done. */
  settled(): Promise<void>;
  /** Leaves it as it is, for another on the same host to go on. It must not be able to go on itself. */
  abandon(): void;
  /** Ends as a host does that has time to end well. */
  stop(): Promise<void>;
}

export interface AtWork extends AgentsOptions {
  readonly host?: Host;
  readonly wall?: Clock;
  readonly steady?: Clock;
  readonly folder?: string;
  readonly name?: string;
  readonly through?: OpenOptions['through'];
  readonly parts?: OpenOptions['parts'];
}

export async function agentsAtWork({
  host: given,
  wall = wallClock,
  steady = steadyClock,
  folder,
  name,
  through,
  parts,
  ...options
}: AtWork) {
  const host = given ?? createHost({ store: memoryStore() });
  const record = await openRecord(host, { folder, name, wall, ...(through && { through }), ...(parts && { parts }) });
  const { ledger, records, shared } = record;
  const log = (entry: Notice): void => void record.log.push(entry);
  const times = keepTimes({ ledger, records, wall, steady, log });
  const tools = createAgentDoor(operationTable, shared, { table: agentTable, shownInstead: SHOWN_INSTEAD });
  const reach = { provider: () => Promise.reject(new Error('no model is reached in this test')) };
  const { models: choose = chooseFrom(reach, options) } = options;
  const runtime = startRuntime({ ...shared, times, wall, steady, tools, choose }, options);
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    shared.programs.underWay.close();
    await runtime.stop();
    times.close();
    record.close();
  };
  const abandon = (): void => {
    isStopped = true;
    times.close();
    record.close();
  };
  onTestFinished(async () => {
    await stop();
    if (!given) await host.close();
    expectDeclared(record.log);
  });
  return {
    ...record,
    runtime,
    stop,
    abandon,
    settled: () => runtime.settled(),
    until: (holds: (records: Records) => boolean) => until(ledger.feed, () => holds(records)),
  } satisfies AgentsAtWork & { ledger: Ledger };
}
