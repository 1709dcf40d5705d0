/** A thread of rooms of `weft serve --threads`, which the program starts from this file. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { entryOf, serveRooms } from '@weft/server';
import { adminKey } from './serving/admin-key.js';
import { authorityOf } from './serving/authority.js';
import type { ThreadOfRooms } from './serving/room-threads.js';
import { archivesOf } from './serving/stores.js';

if (isMainThread || !parentPort) throw new Error('this file is started by weft serve --threads');
const { config, index, hasBlobUrls, tracesUrl } = workerData as ThreadOfRooms;
const admin = await adminKey(config.store, config['admin-key']);
await serveRooms({
  port: parentPort,
  index,
  threads: config.threads,
  limits: config.limits,
  hasBlobUrls,
  tracesUrl,
  admin,
  adminKey: () => Promise.resolve(admin?.publicKey),
  entry: await entryOf(config),
  authority: await authorityOf(config),
  archives: archivesOf(config),
});
