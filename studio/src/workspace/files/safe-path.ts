/**
 * Path validation: a path from outside names a file inside its tree, on every system and disk, or it is refused. Only the text
 * is looked at; what is on disk is asked in `no-links.ts`.
 */
import { refusal } from '../../reasons.js';

export const MAX_FILE_BYTES = 100 << 20;
const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

const LONE_SURROGATE = /\p{Surrogate}/u;
/** Device names of Windows, whatever follows a dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/;
/** Characters that HFS+ ignores when it compares names. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Normalized path, with `/` between its names, no `.` and no empty name. */
export function safePath(path: string): string {
  const refuse = (why: string): Error =>
    refusal('reject.path_outside_repository', `${JSON.stringify(path.slice(0, 200))} ${why}`, { path });
  if (path.includes('\0')) throw refuse('holds a NUL character');
  if (LONE_SURROGATE.test(path)) throw refuse('is no valid text');
  if (path.startsWith('/')) throw refuse('is not relative to the root of the repository');
  if (path.includes('\\')) throw refuse('holds a backslash, which leads elsewhere on Windows');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length === 0) throw refuse('names no file');
  if (/^[a-z]:/i.test(names[0]!)) throw refuse('begins with a drive of Windows');
  for (const name of names) {
    const why = faultOf(name);
    if (why !== undefined) throw refuse(why);
  }
  const safe = names.join('/');
  if (Buffer.byteLength(safe) > MAX_PATH_BYTES) throw refuse('is too long');
  return safe;
}

function faultOf(name: string): string | undefined {
  if (name === '..') return 'leads out of the repository';
  const folded = name.replace(UNSEEN, '').normalize('NFKC').toLowerCase();
  // Name as Windows reads it: without dots and spaces at its end, and without a stream behind a colon.
  const bare = folded.replace(/:.*$/s, '').replace(/[. ]+$/, '');
  if (bare === '.git' || /^git~[0-9]+$/.test(bare)) return 'is inside .git';
  if (bare === '') return 'holds a name of dots and spaces alone, which leads elsewhere on Windows';
  if (DEVICE.test(folded.trimEnd())) return 'holds the name of a device of Windows';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'holds a name that is too long';
  return undefined;
}
