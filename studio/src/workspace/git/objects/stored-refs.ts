/**
 * Loose refs: a ref is read from its file, as git writes it there, which spares starting git for what is asked
 * most often. git replaces such a file by renaming another over it, so a reader sees the old id or the new one. Only git knows about
 * refs that are packed, symbolic or kept in another form; there is no answer here for those.
 */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from '../../files/no-links.js';
import type { Tip } from './object-store.js';

const OURS = /^refs\/weft\/[^.]+$/;
const ID = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;
/** A longer file is no id. */
const MOST_BYTES = 128;

/** Reads a ref from its file; `unsure` where git has to be asked. */
export async function readRef(folder: string, ref: string): Promise<Tip | 'unsure'> {
  if (!OURS.test(ref)) return 'unsure';
  const text = await readFile(join(folder, ref), 'latin1').catch((error: unknown) => missingOr(error));
  if (text !== undefined) return ID.exec(text)?.[1] ?? 'unsure';
  // git packs a ref before it removes the file, so what is in neither at this moment was nowhere.
  for (const other of ['packed-refs', 'reftable'])
    if (await lstat(join(folder, other)).catch((error: unknown) => missingOr(error))) return 'unsure';
  return undefined;
}

/** Branch of a user's repository by its file; undefined where git has to be asked, as in a working tree whose store is elsewhere. */
export async function readLooseBranch(folder: string, ref: string): Promise<string | undefined> {
  const text = await readRegular(join(folder, '.git'), ref, MOST_BYTES).catch(() => undefined);
  return ID.exec(text?.toString('latin1') ?? '')?.[1];
}

/** Undefined for a file that is not there; any other trouble is git's to judge. */
function missingOr(error: unknown): '' | undefined {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
}
