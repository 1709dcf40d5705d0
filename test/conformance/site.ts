/** The host that a dialogue is played against. */
import { type ArchiveStore, type Host, createHost } from '@weft/core';
import { memoryArchives } from '@weft/core/memory';
import { createBlobLinks } from '@weft/server';
import { storeWith } from './broken-store.js';
import type { Dialogue } from './dialogue.js';
import { publicKeyOf } from './pack-directive.js';

export interface Site {
  readonly host: Host;
  readonly archives: ArchiveStore;
}

export async function siteOf(dialogue: Dialogue): Promise<Site> {
  const archives = memoryArchives();
  const store = await storeWith(dialogue.broken, dialogue.room);
  const links = createBlobLinks({ store });
  if (dialogue.links) await links.pointTo(dialogue.links);
  const host = createHost({
    store,
    adminKey: publicKeyOf('admin'),
    archives: { stores: { file: archives } },
    limits: dialogue.limits ?? {},
    ...(dialogue.links ? { blobUrls: links } : {}),
    onFault: (fault) => {
      if (!dialogue.broken) throw fault;
    },
  });
  return { host, archives };
}
