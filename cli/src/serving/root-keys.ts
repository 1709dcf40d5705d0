/** Keys of roots, each in a file of its own, as the words of an authority name them. */
import { type Signer, recoveryOf } from '@weft/core';
import { type Terminal, UsageError } from '../syntax/define.js';
import { type AuthorityFile, mandateIn } from './authority-file.js';
import { PASSPHRASE, makeKeyFile, readKeyFile } from './key-file.js';

export async function keyIn(path: string, terminal: Terminal): Promise<Signer> {
  const signer = await readKeyFile(path, terminal.environment[PASSPHRASE]);
  if (signer) return signer;
  throw new UsageError(`there is no key file ${path}`);
}

export async function keyOrNew(path: string, terminal: Terminal): Promise<Signer> {
  const passphrase = terminal.environment[PASSPHRASE];
  return (await readKeyFile(path, passphrase)) ?? makeKeyFile(path, passphrase);
}

/** Public keys, by what names them: files, which are made where there are none, or the keys themselves where these lie elsewhere. */
export async function keysNamed(names: string, terminal: Terminal): Promise<string[]> {
  const named = async (name: string): Promise<string> =>
    /^[0-9a-f]{64}$/i.test(name) ? name.toLowerCase() : (await keyOrNew(name, terminal)).publicKey;
  return Promise.all(names.split(',').map(named));
}

/** Whether the recovery that an authority file names is among some keys. */
export function signsFor(signers: readonly string[], { recovery }: AuthorityFile): boolean {
  return recovery !== undefined && signers.some((key) => recoveryOf(key) === recovery);
}

/** Keys that are roots in the authority file. */
export async function rootsIn(paths: string, file: AuthorityFile, terminal: Terminal): Promise<Signer[]> {
  const signers = await Promise.all(paths.split(',').map((path) => keyIn(path, terminal)));
  for (const { publicKey } of signers)
    if (!file.roots.includes(publicKey))
      throw new UsageError(`the key ${publicKey} is no root; the authority file names ${file.roots.join(', ')}`);
  return signers;
}

/** A root, or the key of a store: rooms from before there was a root have that as theirs. */
export async function certifierIn(
  path: string,
  file: AuthorityFile,
  { authority, terminal }: { readonly authority: string; readonly terminal: Terminal },
): Promise<Signer> {
  const signer = await keyIn(path, terminal);
  for (const hex of file.founders)
    if ((await mandateIn('founder', hex, authority)).key === signer.publicKey) return signer;
  const [root] = await rootsIn(path, file, terminal);
  return root!;
}

export async function heirIn(path: string, { recovery }: AuthorityFile, terminal: Terminal): Promise<Signer> {
  const heir = await keyIn(path, terminal);
  if (recovery === recoveryOf(heir.publicKey)) return heir;
  throw new UsageError(`the key in ${path} is not the recovery that the authority file names`);
}

export function keyNamed(flag: string, text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new UsageError(`--${flag} must be 64 hex characters: a public key`);
}

export function scopeOf(room: string | undefined): { readonly scope?: string } {
  return room === undefined ? {} : { scope: keyNamed('room', room) };
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
