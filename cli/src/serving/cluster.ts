/** Bus between several processes on one database, as the options want it. What those cannot do yet is refused by name. */
import { type Bus, type Config, isDatabase, natsBus, tcpBus } from '@weft/server';
import { UsageError } from '../syntax/define.js';

/** Undefined where a process has its store alone. */
export async function busOf(config: Config): Promise<Bus | undefined> {
  const { 'cluster-addr': address, bus, 'bus-password': password, store, yjs } = config;
  const option = address === undefined ? '--bus' : '--cluster-addr';
  if (address === undefined && bus === undefined) return undefined;
  if (address !== undefined && bus !== undefined)
    throw new UsageError('--bus: processes reach each other over NATS or by --cluster-addr; leave one of the two out');
  if (!isDatabase(store))
    throw new UsageError(`${option}: several processes share a database alone; name one with --store postgres://…`);
  if (yjs === 'on')
    throw new UsageError(`${option}: clients of Yjs need all rooms in one process; leave out --yjs or ${option}`);
  return bus === undefined ? tcpBus(address!) : natsBus(bus, password);
}
