/** Keys of roots, each in a file of its own, as the words of an authority name them. */
import { ALL_ROOMS, NO_RECOVERY, type Signer, recoveryOf } from '@weft/core';
import { type Terminal, UsageError } from '../syntax/define.js';
import { type AuthorityFile, mandateIn, successionIn } from './authority-file.js';
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

/** A root, or the key of a store, or a root that one room has gone to: rooms from before there was a root have the second as theirs. */
export async function certifierIn(
  path: string,
  file: AuthorityFile,
  { authority, terminal }: { readonly authority: string; readonly terminal: Terminal },
): Promise<Signer> {
  const signer = await keyIn(path, terminal);
  for (const hex of file.founders)
    if ((await mandateIn('founder', hex, authority)).key === signer.publicKey) return signer;
  return rootOfSome(path, file, { authority, terminal });
}

/** A root of all rooms, or one that a single room has gone to. */
export async function rootOfSome(
  path: string,
  file: AuthorityFile,
  { authority, terminal }: { readonly authority: string; readonly terminal: Terminal },
): Promise<Signer> {
  const { publicKey } = await keyIn(path, terminal);
  const roots = [...file.roots];
  for (const hex of file.successions) {
    const succession = await successionIn(hex, authority);
    if (succession.scope !== ALL_ROOMS) roots.push(...succession.roots);
  }
  const [root] = await rootsIn(path, { ...file, roots: roots.includes(publicKey) ? roots : file.roots }, terminal);
  return root!;
}

/** Authority file as it is for rooms of a scope: one that was changed alone has the roots that it got then. */
export async function rootsFor(scope: string, file: AuthorityFile, authority: string): Promise<AuthorityFile> {
  if (scope === ALL_ROOMS) return file;
  for (const hex of file.successions.toReversed()) {
    const { scope: of, roots, recovery } = await successionIn(hex, authority);
    if (of === scope) return { ...file, roots, recovery: recovery === NO_RECOVERY ? undefined : recovery };
  }
  return file;
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
