/**
 * The server's admin key. Whoever holds it may let anybody do anything in any room, so it is a file for its owner alone,
 * and another key than the one that the server signs with.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeyPair, generateKeys, keysFromSeed } from '@weft/core';
import { privateFile } from '@weft/core/level';
import { folderOf } from './stores.js';
import { UsageError } from '../syntax/define.js';

/** File name of the admin key in a data folder. */
export const ADMIN_KEY = 'admin.key';

/** The key in a file, or of a data folder, where it is made on first use. A store that has no folder has none of its own. */
export async function adminKey(store: string, file: string | undefined): Promise<KeyPair | undefined> {
  if (file !== undefined) return readKey(file);
  const folder = folderOf(store);
  if (folder === undefined) return undefined;
  const path = join(folder, ADMIN_KEY);
  return keyIn(await privateFile(path, `${generateKeys().seed}\n`), path);
}

export async function readKey(path: string): Promise<KeyPair> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`cannot read the key file ${path}; the server makes one in its data folder`, { cause: error });
  });
  return keyIn(text, path);
}

function keyIn(text: string, path: string): KeyPair {
  const seed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(seed)) return keysFromSeed(seed.toLowerCase());
  throw new UsageError(`${path} must hold 64 hex characters, an Ed25519 seed`);
}
