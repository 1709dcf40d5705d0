/** Lets an operation run where the data folder is open: in the server that runs on it, or else here. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { type Config, type Operation, Performing, askServer } from '@weft/server';
import { archivesOf, openStore, s3Of } from './stores.js';
import { type Terminal, UsageError } from './define.js';

export async function operate<In, Out>(
  config: Config,
  operation: Operation<In, Out>,
  input: In,
  terminal: Terminal,
  progress: (value: unknown) => void | Promise<void> = () => undefined,
): Promise<Out> {
  const { store: folder } = config;
  const asking = { progress, signal: terminal.stop };
  const answered = await askServer(folder, operation, input, asking);
  if (answered) return answered.result;
  await mustBeStore(folder);
  const store = openStore(folder, s3Of(config));
  const host = createHost({ store, archives: archivesOf(config) });
  try {
    await host.ready();
    return await new Performing({ host, store }).perform(operation, asking, (context) =>
      operation.answer(context, input),
    );
  } finally {
    await host.close();
  }
}

/** Opening a store makes one where there is none. */
async function mustBeStore(folder: string): Promise<void> {
  await access(join(folder, 'format')).catch((error: unknown) => {
    throw new UsageError(`${folder} is no data folder of Weft; name one with --store`, { cause: error });
  });
}
