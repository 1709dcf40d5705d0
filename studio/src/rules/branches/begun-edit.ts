/**
 * Begun edit: what files held before a call that names itself has changed them. A host that dies before the call is answered is asked the same
 * again: it then edits what it had found, and comes to the same, once.
 */
import { digestOf } from '../../workspace/files/file-in-folder.js';
import type { BegunEdit, Space, Spaces } from '../../workspace/git/spaces/spaces.js';

interface Edited {
  readonly path: string;
  readonly before: Buffer | undefined;
  readonly after: string | null;
}

/** What this very call has found in a file, where nothing else has changed it since; else what stands there now. */
export async function readForEdit(
  spaces: Spaces,
  space: Space,
  { path, begun }: { readonly path: string; readonly begun: BegunEdit | undefined },
): Promise<Buffer | undefined> {
  const now = await spaces.read(space, path);
  const file = begun?.files.find((one) => one.path === path);
  if (!file || file.after !== (now ? digestOf(now) : null)) return now;
  return file.before === null ? undefined : Buffer.from(file.before, 'base64');
}

export function begunEdit(call: string, files: readonly Edited[]): BegunEdit {
  return {
    call,
    files: files.map(({ path, before, after }) => ({
      path,
      before: before?.toString('base64') ?? null,
      after: after === null ? null : digestOf(after),
    })),
  };
}
