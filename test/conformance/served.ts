/** Server of one dialogue, without its transport. */
import { type ArchiveStore, type AuthenticateHook, type Host, LIMITS, type Store, createHost } from '@weft/core';
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

export async function serve({
  broken,
  room,
  limits = {},
  links: base,
  entry = {},
  hook,
  diskFree,
}: Dialogue): Promise<Served> {
  const store = await storeWith(broken, room);
  const links = createBlobLinks({ store, limits: { ...LIMITS, ...limits } });
  if (base !== undefined) await links.pointTo(base);
  const [archives, held] = [memoryArchives(), new Held(store.log)];
  const host = createHost({
    store: { ...store, log: held.log, ...(diskFree === undefined ? {} : { free: () => Promise.resolve(diskFree) }) },
    adminKey: publicKeyOf('admin'),
    archives: { stores: { file: archives }, trusted: [publicKeyOf('admin')] },
    limits,
    entry: { ...entry, ...(hook ? { authenticate: answering(hook) } : {}) },
    ...(base === undefined ? {} : { blobUrls: links }),
    onFault: (fault) => {
      if (!broken && !hook) throw fault;
    },
  });
  return { host, archives, held, store };
}

/** Hook that says what the dialogue has put down for a token. */
function answering(answers: NonNullable<Dialogue['hook']>): AuthenticateHook {
  return (_request, { token }) => {
    if (token === 'silence') throw new Error('the hook has no answer');
    return answers[String(token)] ?? { deny: 'unknown' };
  };
}
