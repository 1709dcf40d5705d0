/** Text file reader for a repository's folder. A link is followed only where it stays inside. */
import { isReason, refusal } from '../../reasons.js';
import { confine } from './list-files.js';
import { readRegular } from './no-links.js';
import { safePath } from './safe-path.js';

const MOST_BYTES = 10 << 20;

export async function readTextFile(folder: string, path: string): Promise<string> {
  // Both the path and the target of its links are checked. The target is then read without following any.
  const target = safePath(await confine(folder, safePath(path)));
  const bytes = await readRegular(folder, target, MOST_BYTES).catch((error: unknown) => {
    if (isReason(error, 'reject.not_a_file')) throw refusal('reject.file_not_found', `${path} is no file`, { path });
    throw error;
  });
  if (!bytes) throw refusal('reject.file_not_found', `there is no file ${path}`, { path });
  return bytes.toString('utf8');
}
