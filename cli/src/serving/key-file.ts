/**
 * Files with one secret key each: an Ed25519 seed as 64 hex characters, or the same under a passphrase. Whoever else may read such a
 * file has it refused.
 */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { defaultCrypto, generateKeys, type Signer } from '@weft/core';
import { privateFile, readPrivateFile } from '@weft/core/level';
import { UsageError } from '../syntax/define.js';

/** First word of a file under a passphrase; salt, nonce, tag and secret follow in hex. */
const SEALED = 'weft-sealed-key-v1';
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
/** Variable that holds the passphrase of roots: others can read command lines. */
export const PASSPHRASE = 'WEFT_ROOT_PASSPHRASE';

/** Makes a key in a file that must not be there yet. */
export async function makeKeyFile(path: string, passphrase: string | undefined): Promise<Signer> {
  if ((await readPrivateFile(path)) !== undefined)
    throw new UsageError(`${path} is there already; name another file, for a key that is overwritten is lost for good`);
  const { seed } = generateKeys();
  const content = `${passphrase === undefined ? seed : sealed(seed, passphrase)}\n`;
  if ((await privateFile(path, content)) !== content)
    throw new UsageError(`${path} was made by somebody else meanwhile`);
  return signerOf(seed);
}

/** The key in a file; undefined where there is none. */
export async function readKeyFile(path: string, passphrase?: string): Promise<Signer | undefined> {
  const text = (await readPrivateFile(path))?.trim();
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{64}$/i.test(text)) return signerOf(text.toLowerCase());
  if (!text.startsWith(`${SEALED} `)) throw new UsageError(`${path} must hold 64 hex characters, an Ed25519 seed`);
  if (passphrase === undefined)
    throw new UsageError(`${path} is under a passphrase; put it into the variable ${PASSPHRASE}`);
  const seed = unsealed(text, passphrase);
  if (seed === undefined) throw new UsageError(`the passphrase in ${PASSPHRASE} is not that of ${path}`);
  return signerOf(seed);
}

function signerOf(seed: string): Signer {
  return defaultCrypto.signer(Buffer.from(seed, 'hex'));
}

function sealed(seed: string, passphrase: string): string {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', scryptSync(passphrase, salt, 32, COST), nonce);
  const secret = Buffer.concat([cipher.update(seed, 'hex'), cipher.final()]);
  return [SEALED, ...[salt, nonce, cipher.getAuthTag(), secret].map((part) => part.toString('hex'))].join(' ');
}

function unsealed(text: string, passphrase: string): string | undefined {
  const [salt, nonce, tag, secret] = text
    .split(' ')
    .slice(1)
    .map((part) => Buffer.from(part, 'hex'));
  if (salt?.length !== 16 || nonce?.length !== 12 || tag?.length !== 16 || secret?.length !== 32) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', scryptSync(passphrase, salt, 32, COST), nonce);
  decipher.setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(secret), decipher.final()]).toString('hex');
  } catch {
    return undefined; // another passphrase, or a damaged file
  }
}
