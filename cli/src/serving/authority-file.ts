/**
 * Authority file of a server: what roots say of its keys, and of themselves. All of it is public, and signed, so it may be carried
 * from the machine of a root to that of a server in any way.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { type Mandate, type Matter, type Succession, defaultCrypto, verifyMandate, verifySuccession } from '@weft/core';
import { UsageError } from '../syntax/define.js';

export interface AuthorityFile {
  /** Those of rooms that begin from now on. */
  readonly roots: readonly string[];
  /** Hash of the key that takes their place when they are lost. */
  readonly recovery?: string | undefined;
  /** What a root lets the key of a store begin rooms with. */
  readonly founders: readonly string[];
  /** What roots say of the keys of processes. */
  readonly certificates: readonly string[];
  readonly revocations: readonly string[];
  /** How roots have changed, oldest first. */
  readonly successions: readonly string[];
  /** Within which time certificates are to be used, by the keys that they are of; for good where nothing is said. */
  readonly terms?: Readonly<Record<string, Term>> | undefined;
}

/** Term of a certificate: a server looks at it for itself, and nobody else does. */
export interface Term {
  /** ISO times. */
  readonly from: string;
  readonly to: string;
}

const LISTS = ['roots', 'founders', 'certificates', 'revocations', 'successions'] as const;
const KEY = /^[0-9a-f]{64}$/;
const HEX = /^([0-9a-f]{2})+$/;
const MOST_ROOTS = 8;

/** What is in the file, checked; undefined where there is none. */
export async function readAuthority(path: string): Promise<AuthorityFile | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`cannot read the authority file ${path}: ${error.message}`, { cause: error });
  });
  if (text === undefined) return undefined;
  const given = parseJson(text, path);
  const fault = faultOf(given);
  if (fault === undefined) return given as AuthorityFile;
  throw new UsageError(`${path} is no authority file: ${fault}; weft authority init makes one`);
}

function faultOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return 'it holds no object';
  const fields = given as Readonly<Record<string, unknown>>;
  const known: readonly string[] = ['recovery', 'terms', ...LISTS];
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) return `it has ${unknown}, which is not known`;
  for (const name of LISTS) {
    const list = fields[name];
    const one = name === 'roots' ? KEY : HEX;
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'string' && one.test(item)))
      return `${name} is no list of hex`;
    if (name === 'roots' && (list.length === 0 || list.length > MOST_ROOTS))
      return `roots names 1 to ${MOST_ROOTS} keys`;
  }
  const { recovery, terms = {} } = fields;
  if (!isTerms(terms)) return 'terms does not say from when to when, by key';
  if (recovery !== undefined && (typeof recovery !== 'string' || !KEY.test(recovery)))
    return 'recovery is not 64 hex characters';
  return undefined;
}

function isTerms(terms: unknown): boolean {
  if (typeof terms !== 'object' || terms === null) return false;
  const isTime = (time: unknown): boolean => typeof time === 'string' && !Number.isNaN(Date.parse(time));
  return Object.entries(terms as Readonly<Record<string, Partial<Term> | null>>).every(
    ([key, term]) => KEY.test(key) && isTime(term?.from) && isTime(term?.to),
  );
}

export async function mustReadAuthority(path: string): Promise<AuthorityFile> {
  const found = await readAuthority(path);
  if (found) return found;
  throw new UsageError(`there is no authority file ${path}: weft authority init makes one, beside the key of a root`);
}

/** Written beside it first: whoever reads it has all of it, before or after. */
export async function writeAuthority(path: string, file: AuthorityFile): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
  await writeFile(beside, `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o644 });
  await rename(beside, path);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is no JSON; weft authority init makes an authority file`, { cause: error });
  }
}

/** A mandate in an authority file, if somebody has signed it for this matter. */
export async function mandateIn(matter: Matter, hex: string, path: string): Promise<Mandate> {
  const mandate = await verifyMandate(matter, Buffer.from(hex, 'hex'), defaultCrypto);
  if (mandate) return mandate;
  throw new UsageError(
    `${path}: what it has as ${matter} is not signed by whom it names; fetch the file again from where the root is`,
  );
}

export async function successionIn(hex: string, path: string): Promise<Succession> {
  const succession = await verifySuccession(Buffer.from(hex, 'hex'), defaultCrypto);
  if (succession) return succession;
  throw new UsageError(
    `${path}: a succession is not signed by whom it names; fetch the file again from where the root is`,
  );
}
