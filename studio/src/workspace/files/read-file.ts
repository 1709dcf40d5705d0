/** Text file reader for a repository's folder. A link is followed only where it stays inside. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { refusal } from '../../reasons.js';
import { confine } from './list-files.js';
import { safePath } from './safe-path.js';

const MOST_BYTES = 10 << 20;

export async function readTextFile(folder: string, path: string): Promise<string> {
  // Both the path and the target of its links are checked.
  const absolute = join(folder, safePath(await confine(folder, safePath(path))));
  const file = await open(absolute, 'r').catch(() => undefined);
  if (!file) throw refusal('reject.file_not_found', `there is no file ${path}`, { path });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refusal('reject.file_not_found', `${path} is no file`, { path });
    if (found.size > MOST_BYTES)
      throw refusal('reject.file_too_large', `${path} has ${found.size} bytes`, { path, most: MOST_BYTES });
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
