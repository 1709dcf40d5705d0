/** Server of one dialogue, without its transport. */
import { type ArchiveStore, type Host, type Store, createHost } from '@weft/core';
import { memoryArchives } from '@weft/core/memory';
import { createBlobLinks } from '@weft/server';
import { Held, storeWith } from './broken-store.js';
import type { Dialogue } from './dialogue.js';
import { publicKeyOf } from './pack-directive.js';

export interface Served {
  readonly host: Host;
  readonly archives: ArchiveStore;
  readonly held: Held;
  readonly store: Store;
}

export async function serve({ broken, room, limits = {}, links: base }: Dialogue): Promise<Served> {
  const store = await storeWith(broken, room);
  const links = createBlobLinks({ store });
  if (base !== undefined) await links.pointTo(base);
  const [archives, held] = [memoryArchives(), new Held(store.log)];
  const host = createHost({
    store: { ...store, log: held.log },
    adminKey: publicKeyOf('admin'),
    archives: { stores: { file: archives }, trusted: [publicKeyOf('admin')] },
    limits,
    ...(base === undefined ? {} : { blobUrls: links }),
    onFault: (fault) => {
      if (!broken) throw fault;
    },
  });
  return { host, archives, held, store };
}
