/** Clones a repository into a new folder, and registers that. */
import type { RegisteredRepository } from '../../record/aggregates/repository/state.js';
import { refusal } from '../../reasons.js';
import { ensureFolder, isEmptyFolder } from '../../workspace/git/adopt-folder.js';
import { type AnsweringContext, orUndone, register } from './register.js';

export async function cloneRepository(
  context: AnsweringContext,
  url: string,
  targetPath: string,
  label: string | undefined,
  protocols: readonly string[],
): Promise<RegisteredRepository> {
  const protocol =
    /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? (url.startsWith('/') ? 'file' : undefined);
  // Allow-list: anything else could be a program of the caller's choice, such as `ext::`, or an option.
  if (protocol === undefined || (protocol !== 'file' && !protocols.includes(protocol)))
    throw refusal('reject.protocol_not_allowed', `this host does not clone from ${protocol ?? 'such an address'}`, {
      allowed: ['file', ...protocols],
    });
  if (protocol === 'file') await context.disk.roots.require(url.replace(/^file:\/\/[^/]*/i, ''));
  await context.disk.roots.require(targetPath);
  const { folder, undo } = await ensureFolder(targetPath);
  return context.lane.inOrder(folder, async () => {
    if (!(await isEmptyFolder(folder)))
      throw refusal('reject.repository_path_unusable', `${folder} is not empty; name a new folder`, { path: folder });
    return orUndone(context, folder, undo, async () => {
      await context.git.clone(url, folder, protocols);
      return register(context, folder, label);
    });
  });
}
