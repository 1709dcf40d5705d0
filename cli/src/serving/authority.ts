/**
 * Authority of a server that is started with `--authority`: what would be refused in each room later is refused here, with the command
 * that mends it.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Authority, type Signer, certifiedAuthority } from '@weft/core';
import type { Config } from '@weft/server';
import { UsageError } from '../syntax/define.js';
import { type AuthorityFile, mandateIn, mustReadAuthority, successionIn } from './authority-file.js';
import { makeKeyFile, readKeyFile } from './key-file.js';
import { folderOf } from './stores.js';

/** Key files of signers in a data folder: `signer.key`, `signer-2.key` and so on. */
const SIGNER_FILE = /^signer(-\d+)?\.key$/;
const CERTIFY = 'weft authority certify, where the root is';

type Placed = Pick<Config, 'store' | 'signer-key'>;

/** What `createHost` asks for its authority; undefined where one key of the store does everything. */
export async function authorityOf(
  config: Placed & Pick<Config, 'authority'>,
): Promise<((founder: Signer) => Promise<Authority>) | undefined> {
  const { authority: path, store } = config;
  if (path === undefined) {
    if (config['signer-key'] === undefined) return undefined;
    throw new UsageError('--signer-key needs --authority: the file with what a root says of that key');
  }
  if (store === 'memory')
    throw new UsageError(
      '--authority: a store in memory has another key at each start; name a data folder with --store',
    );
  const file = await mustReadAuthority(path);
  const signers = await signersOf(config);
  if (signers.length === 0)
    throw new UsageError(`this server has no key to sign with: weft authority request makes one`);
  await checkSigners(signers, file, path);
  return (founder) => authorityBy(founder, signers, file, path);
}

/** Keys that a process signs with. */
export async function signersOf(config: Placed): Promise<Signer[]> {
  const signers: Signer[] = [];
  for (const path of config['signer-key'] ?? (await signerFiles(config.store))) {
    const signer = await readKeyFile(path);
    if (!signer) throw new UsageError(`there is no key file ${path}: weft authority request makes one`);
    signers.push(signer);
  }
  return signers;
}

/** Makes one more key for a process; answers its file too. */
export async function addSigner(config: Placed): Promise<{ readonly path: string; readonly signer: Signer }> {
  const path = await freeFile(config);
  return { path, signer: await makeKeyFile(path, undefined) };
}

async function freeFile({ store, 'signer-key': named }: Placed): Promise<string> {
  if (named !== undefined) {
    for (const path of named) if ((await readKeyFile(path)) === undefined) return path;
    throw new UsageError(`--signer-key: all of these files are there; name one more, for the new key`);
  }
  const folder = folderOf(store);
  if (folder === undefined) throw new UsageError('a database has no folder for keys: name a file with --signer-key');
  await mkdir(folder, { recursive: true });
  const taken = await signerFiles(store);
  return join(folder, taken.length === 0 ? 'signer.key' : `signer-${taken.length + 1}.key`);
}

async function signerFiles(store: string): Promise<string[]> {
  const folder = folderOf(store);
  if (folder === undefined)
    throw new UsageError('a database has no folder for keys: name the key of this process with --signer-key');
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => SIGNER_FILE.test(name)).map((name) => join(folder, name));
}

/** At least one of the keys is certified by roots of the file, or by those before them, and none is revoked for good. */
async function checkSigners(signers: readonly Signer[], file: AuthorityFile, path: string): Promise<void> {
  const revoked = new Set<string>();
  for (const hex of file.revocations) revoked.add((await mandateIn('signer-revoked', hex, path)).key);
  const known = await rootsEver(file, path);
  const standing = signers.filter(({ publicKey }) => !revoked.has(publicKey));
  const names = signers.map(({ publicKey }) => publicKey).join(', ');
  if (standing.length === 0)
    throw new UsageError(`the key ${names} of this server is revoked; make another with weft authority request --new`);
  const foreign: string[] = [];
  for (const hex of file.certificates) {
    const { key, giver } = await mandateIn('signer', hex, path);
    if (!standing.some(({ publicKey }) => publicKey === key)) continue;
    if (known.has(giver)) return;
    foreign.push(giver);
  }
  if (foreign.length > 0)
    throw new UsageError(
      `${path}: the key of this server is certified by ${foreign.join(', ')}, which is no root there`,
    );
  throw new UsageError(
    `no root has certified the key ${names} of this server: ${CERTIFY}, with weft authority request's words`,
  );
}

async function rootsEver(file: AuthorityFile, path: string): Promise<ReadonlySet<string>> {
  const roots = new Set(file.roots);
  for (const hex of file.successions) {
    const succession = await successionIn(hex, path);
    for (const key of [...succession.roots, ...succession.signers]) roots.add(key);
  }
  return roots;
}

async function authorityBy(
  founder: Signer,
  signers: readonly Signer[],
  file: AuthorityFile,
  path: string,
): Promise<Authority> {
  const bytesOf = (all: readonly string[]): Uint8Array[] => all.map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
  const { roots, recovery, certificates, revocations, successions } = file;
  let founding: string | undefined;
  for (const hex of file.founders) {
    const { key, giver } = await mandateIn('founder', hex, path);
    if (key === founder.publicKey && roots.includes(giver)) founding = hex;
  }
  if (founding === undefined)
    throw new UsageError(
      `${path}: no root lets the key ${founder.publicKey} of this store begin rooms: ${CERTIFY}, with --founder`,
    );
  return certifiedAuthority({
    roots,
    recovery,
    founder,
    founding: bytesOf([founding])[0]!,
    signer: signers,
    certificates: bytesOf(certificates),
    revocations: bytesOf(revocations),
    successions: bytesOf(successions),
  });
}
