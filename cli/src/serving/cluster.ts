/** Bus between several processes on one database, as the options want it. */
import { type Bus, type Config, isDatabase, natsBus, tcpBus } from '@weft/server';
import { UsageError } from '../syntax/define.js';

/** Undefined where a process has its store alone. */
export async function busOf(config: Config): Promise<Bus | undefined> {
  const { 'cluster-addr': address, bus, 'bus-password': password, store } = config;
  const option = address === undefined ? '--bus' : '--cluster-addr';
  if (address === undefined && bus === undefined) return undefined;
  if (address !== undefined && bus !== undefined)
    throw new UsageError('--bus: processes reach each other over NATS or by --cluster-addr; leave one of the two out');
  if (!isDatabase(store))
    throw new UsageError(`${option}: several processes share a database alone; name one with --store postgres://…`);
  return bus === undefined ? tcpBus(address!) : natsBus(bus, password);
}
