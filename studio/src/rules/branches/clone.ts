/** Clones a repository into a new folder, and registers that. */
import type { RegisteredRepository } from '../../record/aggregates/repository/state.js';
import { refusal } from '../../reasons.js';
import { shownAddress } from '../../workspace/git/remotes/addresses.js';
import { ensureFolder, findFolder, isEmptyFolder } from '../../workspace/git/spaces/adopt-folder.js';
import { type AnsweringContext, orUndone, register } from './register.js';
import { type Reaching, allowedProtocols } from './remotes.js';

export interface CloneAsked {
  readonly url: string;
  readonly targetPath: string;
  readonly label?: string | undefined;
  readonly depth?: number | undefined;
  readonly branch?: string | undefined;
}

export interface Cloned extends RegisteredRepository {
  readonly leftOut: readonly string[];
}

export async function cloneRepository(
  context: AnsweringContext & Reaching,
  { url, targetPath, label, depth, branch }: CloneAsked,
): Promise<Cloned> {
  const protocols = await allowedProtocols(context, url);
  await context.disk.roots.require(targetPath);
  const named = await findFolder(targetPath);
  const { remotes, clones } = context.disk;
  return clones.during({ folder: named.folder, isNew: !named.isThere }, async (settings) => {
    const { folder, undo } = await ensureFolder(named.folder);
    return context.lane.inOrder(folder, async () => {
      if (!(await isEmptyFolder(folder)))
        throw refusal('reject.repository_path_unusable', `${folder} is not empty; name a new folder`, { path: folder });
      return orUndone(context, folder, undo, async () => {
        const begun = { of: folder, kind: 'clone' as const, address: shownAddress(url), since: context.now() };
        await context.transfers.run(begun, (onProgress) =>
          remotes.clone(folder, { url, protocols, depth, branch, settings, onProgress }),
        );
        const registered = await register(context, folder, label);
        return { ...registered, leftOut: await remotes.leftOut(registered.path) };
      });
    });
  });
}
