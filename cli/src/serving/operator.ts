/** Runs an operation where the data folder is open: in the server that runs on it, or else in this process. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type OtherHosts, createHost, systemClock } from '@weft/core';
import { type Config, type Operation, Performing, type Progress, askServer, isDatabase } from '@weft/server';
import { adminKey } from './admin-key.js';
import { authorityOf } from './authority.js';
import { archivesOf, coldOf, folderOf, openStore, openWebhooks, s3Of } from './stores.js';
import { type Terminal, UsageError } from '../syntax/define.js';
import { ShownProgress } from '../output/progress.js';

export interface Operating {
  /** Listener for what is told before the result. When absent, that is progress, which is shown. */
  readonly told?: (value: unknown) => void;
  /** Error where no server runs, for operations that need one. */
  readonly needsServer?: string;
  /** Whether it only reads: a database is read beside whoever serves it. */
  readonly isReader?: boolean;
  /** Error where a server runs, about a flag that counts only without one. */
  readonly unused?: string | undefined;
}

/** Other hosts of a database that is only read: every room is theirs. */
const EVERY_ROOM: OtherHosts = {
  serve: () => true,
  wrote: () => undefined,
  counted: () => undefined,
  eraseBelow: () => Promise.reject(new Error('the database is only read')),
};

/** A server is asked over a socket in its data folder. */
const NO_SOCKET =
  'this asks a running server, and one whose rooms are in a database is asked over HTTP alone: start it with --admin-addr';

export async function operate<In, Out>(
  config: Config,
  operation: Operation<In, Out>,
  input: In,
  terminal: Terminal,
  { told, needsServer, unused, isReader = false }: Operating = {},
): Promise<Out> {
  const folder = folderOf(config.store);
  const shown = told ? undefined : new ShownProgress(terminal);
  // Not parsed: the server and this program are of one release, or nearly.
  const progress = told ?? ((how: unknown): void => shown?.tell(how as Progress));
  const waiting = (message: string): void => terminal.err(`weft: ${message}`);
  try {
    const answered =
      folder === undefined
        ? undefined
        : await askServer(folder, operation, input, {
            progress,
            waiting,
            signal: terminal.stop,
            clock: terminal.clock ?? systemClock,
          });
    if (answered) {
      if (unused !== undefined) terminal.err(`weft: ${unused}`);
      return answered.result;
    }
    if (!isDatabase(config.store)) await mustBeStore(config.store);
    if (needsServer !== undefined) throw isDatabase(config.store) ? new UsageError(NO_SOCKET) : new Error(needsServer);
    return await operateHere(config, operation, input, { progress, signal: terminal.stop, isReader });
  } catch (error) {
    terminal.stop.throwIfAborted();
    throw error;
  } finally {
    shown?.end();
  }
}

async function operateHere<In, Out>(
  config: Config,
  operation: Operation<In, Out>,
  input: In,
  { isReader, ...asking }: { progress: (value: unknown) => void; signal: AbortSignal; isReader: boolean },
): Promise<Out> {
  const beside = isReader && isDatabase(config.store);
  const store = await openStore(config.store, { blobs: s3Of(config), cold: coldOf(config), isReader: beside });
  const archives = archivesOf(config);
  const admin = await adminKey(config.store, config['admin-key']);
  const authority = await authorityOf(config);
  const host = createHost({
    store,
    archives,
    authority,
    ...(beside ? { others: EVERY_ROOM } : {}),
    ...(admin ? { adminKey: admin.publicKey } : {}),
  });
  try {
    await host.ready();
    const webhooks = beside ? undefined : await openWebhooks(config.store, store);
    try {
      const performing = new Performing({ host, store, archives: archives.stores, admin, webhooks });
      return await performing.perform(operation, input, asking);
    } finally {
      await webhooks?.close();
    }
  } finally {
    await host.close();
  }
}

/** Check before opening: a store that is opened is made where there is none. */
async function mustBeStore(folder: string): Promise<void> {
  await access(join(folder, 'format')).catch((error: unknown) => {
    throw new UsageError(`${folder} is no data folder of Weft; name one with --store`, { cause: error });
  });
}
