/**
 * Authority of a server that is started with `--authority`: what would be refused in each room later is refused here, with the command
 * that mends it.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Authority, type Signer, certifiedAuthority } from '@weft/core';
import type { Config } from '@weft/server';
import { UsageError } from '../syntax/define.js';
import { type AuthorityFile, type Term, mandateIn, mustReadAuthority, successionIn } from './authority-file.js';
import { makeKeyFile, readKeyFile } from './key-file.js';
import { folderOf } from './stores.js';

/** Key files of signers in a data folder, in the order in which they were made: `signer.key`, `signer-2.key` and so on. */
const SIGNER_FILE = /^signer(-\d+)?\.key$/;
const CERTIFY = 'weft authority certify';
/** How long before the end of a certificate people are told of it. */
export const WARN_MS = 14 * 86_400_000;

type Placed = Pick<Config, 'store' | 'signer-key'>;

/**
 * What `createHost` asks for its authority, each time from the file as it is then; undefined where one key of the store does everything.
 * Throws what a start is refused for.
 */
export async function authorityOf(config: Asked): Promise<((founder: Signer) => Promise<Authority>) | undefined> {
  const path = pathOf(config);
  if (path === undefined) return undefined;
  const { silence } = await saidIn(config, path);
  if (silence !== undefined) throw new UsageError(silence);
  return async (founder) => {
    const said = await saidIn(config, path);
    return authorityBy(founder, said, path);
  };
}

/** When the last of this server's certificates ends, by the machine's clock; undefined where one is for good. */
export async function authorityEnds(config: Asked, now = Date.now()): Promise<number | undefined> {
  const path = pathOf(config);
  if (path === undefined) return undefined;
  const { file, signers, certified } = await saidIn(config, path);
  const terms = signers
    .filter(({ publicKey }) => certified.has(publicKey))
    .map(({ publicKey }) => file.terms?.[publicKey])
    .filter((term) => term === undefined || faultOfTerm(term, now) === undefined);
  if (terms.length === 0 || terms.includes(undefined)) return undefined;
  return Math.max(...terms.map((term) => Date.parse(term!.to)));
}

type Asked = Placed & Pick<Config, 'authority'>;

/** Authority file and keys of a process, which fit together. */
interface Said {
  readonly file: AuthorityFile;
  readonly signers: readonly Signer[];
  /** Keys of this process that a root has certified and none has taken back. */
  readonly certified: ReadonlySet<string>;
  /** Why none of them may be used just now, and what to do. */
  readonly silence: string | undefined;
}

function pathOf({ authority: path, store, 'signer-key': keys }: Asked): string | undefined {
  if (path === undefined) {
    if (keys === undefined) return undefined;
    throw new UsageError('--signer-key needs --authority: the file with what a root says of that key');
  }
  if (store === 'memory')
    throw new UsageError(
      '--authority: a store in memory has another key at each start; name a data folder with --store',
    );
  return path;
}

async function saidIn(config: Asked, path: string): Promise<Said> {
  const file = await mustReadAuthority(path);
  const signers = await signersOf(config);
  if (signers.length === 0)
    throw new UsageError(`this server has no key to sign with: weft authority request makes one`);
  const standing = await notRevoked(signers, file, path);
  // A server that runs when its last key is revoked takes that in, and speaks no more.
  if (standing.length === 0) return { file, signers, certified: new Set(), silence: revokedSaid(signers) };
  const certified = await certifiedIn(standing, file, path);
  const faults = [...certified].map((key) => [key, faultOfTerm(file.terms?.[key], Date.now())] as const);
  const isSilent = faults.every(([, fault]) => fault !== undefined);
  const silence = isSilent ? faults.map(([key, fault]) => `the certificate of the key ${key} ${fault}`) : [];
  return { file, signers, certified, silence: isSilent ? silence.join('; ') : undefined };
}

/** What is wrong with a term at a time, and what mends it. */
function faultOfTerm(term: Term | undefined, now: number): string | undefined {
  if (!term) return undefined;
  if (now < Date.parse(term.from))
    return `counts from ${term.from} on: wait until then, or certify it anew, with ${CERTIFY} --days`;
  if (now >= Date.parse(term.to)) return `ended at ${term.to}: certify it anew, with ${CERTIFY} --days`;
  return undefined;
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
  const numberOf = (name: string): number => Number(SIGNER_FILE.exec(name)?.[1]?.slice(1) ?? 1);
  return names
    .filter((name) => SIGNER_FILE.test(name))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((name) => join(folder, name));
}

/** Which of the keys no root has revoked for good. */
async function notRevoked(signers: readonly Signer[], file: AuthorityFile, path: string): Promise<Signer[]> {
  const revoked = new Set<string>();
  for (const hex of file.revocations) revoked.add((await mandateIn('signer-revoked', hex, path)).key);
  return signers.filter(({ publicKey }) => !revoked.has(publicKey));
}

const namesOf = (signers: readonly Signer[]): string => signers.map(({ publicKey }) => publicKey).join(', ');

const revokedSaid = (signers: readonly Signer[]): string =>
  `the key ${namesOf(signers)} of this server is revoked; make another with weft authority request --new`;

/** Which of the keys, none of which is revoked, are certified by roots of the file or by those before them: at least one. */
async function certifiedIn(
  standing: readonly Signer[],
  file: AuthorityFile,
  path: string,
): Promise<ReadonlySet<string>> {
  const known = await rootsEver(file, path);
  const foreign: string[] = [];
  const certified = new Set<string>();
  for (const hex of file.certificates) {
    const { key, giver } = await mandateIn('signer', hex, path);
    if (!standing.some(({ publicKey }) => publicKey === key)) continue;
    if (known.has(giver)) certified.add(key);
    else foreign.push(giver);
  }
  if (certified.size > 0) return certified;
  if (foreign.length > 0)
    throw new UsageError(
      `${path}: the key of this server is certified by ${foreign.join(', ')}, which is no root there`,
    );
  throw new UsageError(
    `no root has certified the key ${namesOf(standing)} of this server: ${CERTIFY}, where the root is, with weft authority request's words`,
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

async function authorityBy(founder: Signer, { file, signers, silence }: Said, path: string): Promise<Authority> {
  const bytesOf = (all: readonly string[]): Uint8Array[] => all.map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
  const { revocations, successions } = file;
  const { roots, recovery, founding } = await beginningsOf(founder, file, path);
  return certifiedAuthority({
    roots,
    recovery,
    founder,
    founding: bytesOf([founding])[0]!,
    signer: signers,
    certificates: silence === undefined ? bytesOf(await inTerm(file, path)) : [],
    silence,
    revocations: bytesOf(revocations),
    successions: bytesOf(successions),
  });
}

/** How rooms begin, by the key of a store that a root lets begin them. */
interface Beginnings extends Pick<AuthorityFile, 'roots' | 'recovery'> {
  readonly founding: string;
}

/**
 * Rooms that begin here. Where all have moved to a server of other roots, they begin as before: so the first thing that is said in each
 * is where it is.
 */
async function beginningsOf(founder: Signer, file: AuthorityFile, path: string): Promise<Beginnings> {
  const { roots, recovery } = file;
  const last = file.successions.at(-1);
  const moved = last === undefined ? undefined : await successionIn(last, path);
  let before: Beginnings | undefined;
  for (const hex of file.founders) {
    const { key, giver } = await mandateIn('founder', hex, path);
    if (key !== founder.publicKey) continue;
    if (roots.includes(giver)) return { roots, recovery, founding: hex };
    const { address = '', signers = [] } = moved ?? {};
    if (address !== '') before = { roots: signers.includes(giver) ? signers : [giver], founding: hex };
  }
  if (before) return before;
  throw new UsageError(
    `${path}: no root lets the key ${founder.publicKey} of this store begin rooms: ${CERTIFY}, where the root is, with --founder`,
  );
}

/** Certificates that may be used by now. */
async function inTerm({ certificates, terms }: AuthorityFile, path: string): Promise<string[]> {
  if (terms === undefined) return [...certificates];
  const used: string[] = [];
  for (const hex of certificates) {
    const { key } = await mandateIn('signer', hex, path);
    if (faultOfTerm(terms[key], Date.now()) === undefined) used.push(hex);
  }
  return used;
}
