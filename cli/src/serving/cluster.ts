/** What several processes on one database cannot do yet is refused by name. */
import { type Config, isDatabase } from '@weft/server';
import { UsageError } from '../syntax/define.js';

export function checkCluster({ 'cluster-addr': address, store, yjs }: Config): void {
  if (address === undefined) return;
  if (!isDatabase(store))
    throw new UsageError(
      '--cluster-addr: several processes share a database alone; name one with --store postgres://…',
    );
  if (yjs === 'on')
    throw new UsageError(
      '--cluster-addr: clients of Yjs need all rooms in one process; leave out --yjs or --cluster-addr',
    );
}
