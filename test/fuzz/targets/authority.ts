/** Who speaks for a room and what is left of its history: mandates, successions, certificates, packs of erased nodes, proofs of values. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Matter, makeMandate, readMandate, verifyMandate } from '../../../core/src/access/mandate.js';
import {
  joinSuccessions,
  makeSuccession,
  readSuccession,
  recoveryOf,
  verifySuccession,
} from '../../../core/src/access/succession.js';
import { certificateOf, readCertificate } from '../../../core/src/access/word.js';
import { nativeCrypto } from '../../../core/src/adapters/crypto/native.js';
import { equalBytes, fromHex, toHex } from '../../../core/src/codec/bytes/bytes.js';
import { openValueRoot } from '../../../core/src/crdt/value-tree/value-root.js';
import { type ValueProof, ValueProofs } from '../../../core/src/crdt/value-tree/verify-values.js';
import { createReplica } from '../../../core/src/peer.js';
import { conformance } from '../seeds.js';
import type { Target } from '../target.js';
import { framed, isDecodeError, unframed } from './codec.js';
import { isRefusal } from './peers.js';

const crypto = nativeCrypto()!;
/** Takes any signature: what is behind one is tried, not the signature. */
const believing = { ...crypto, verify: () => Promise.resolve(true) };
const [root, other, process] = [1, 2, 3].map((byte) => crypto.signer(new Uint8Array(32).fill(byte))) as [
  ReturnType<typeof crypto.signer>,
  ReturnType<typeof crypto.signer>,
  ReturnType<typeof crypto.signer>,
];
const keys = { publicKey: process.publicKey, seed: '03'.repeat(32) };
const MATTERS: readonly Matter[] = ['signer', 'signer-revoked', 'founder', 'delegate', 'delegate-revoked'];

const mandates = (): Promise<Uint8Array[]> =>
  Promise.all(MATTERS.map((matter, serial) => makeMandate(matter, { key: process.publicKey, serial }, root)));

async function successions(): Promise<Uint8Array[]> {
  const recovery = recoveryOf(other.publicKey);
  return Promise.all([
    makeSuccession({ roots: [other.publicKey] }, [root]),
    makeSuccession({ roots: [root.publicKey, other.publicKey], recovery, address: 'wss://other.example/ws/plans' }, [
      root,
      other,
    ]),
  ]);
}

async function readMandates(bytes: Uint8Array): Promise<void> {
  const said = readMandate(bytes);
  for (const matter of MATTERS) {
    const verified = await verifyMandate(matter, bytes, believing);
    if (verified?.giver !== said.giver) throw new Error('what is read is not what is verified');
  }
}

async function readSuccessions(bytes: Uint8Array): Promise<void> {
  const { roots, signers } = readSuccession(bytes);
  if (roots.length === 0 || signers.length === 0) throw new Error('a succession of nobody');
  if (!(await verifySuccession(bytes, believing))) throw new Error('what is read is not what is verified');
  if (!equalBytes(joinSuccessions([bytes, bytes]), bytes)) throw new Error('a succession has two forms');
}

interface AuthorityVector {
  readonly genesis: string;
  readonly steps: readonly { readonly pack: string }[];
}
interface ValueVector {
  readonly refused?: true;
  readonly room: string;
  readonly authorities: readonly string[];
  readonly genesis: string;
  readonly packs: readonly string[];
  readonly signed: string;
  readonly proof: string;
  readonly page?: { readonly prefix: string };
  readonly part?: { readonly key: string; readonly from: number; readonly to: number };
}

async function vectors<Vector>(folder: string): Promise<Vector[]> {
  const names = (await readdir(join(conformance, folder))).sort();
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(conformance, folder, name), 'utf8')) as Vector),
  );
}

let authority: Promise<AuthorityVector[]> | undefined;
let values: Promise<ValueVector[]> | undefined;
const authorityVectors = (): Promise<AuthorityVector[]> => (authority ??= vectors('authority'));
const valueVectors = async (): Promise<ValueVector[]> =>
  (await (values ??= vectors<ValueVector>('values'))).filter(({ refused }) => !refused);

/** The number of a room, then a pack of it without what is around it. */
async function packsOf(rooms: readonly { readonly packs: readonly string[] }[]): Promise<Uint8Array[]> {
  return Promise.resolve(
    rooms.flatMap(({ packs }, number) =>
      packs.flatMap((pack) => unframed(fromHex(pack))).map((body) => Uint8Array.of(number, ...body)),
    ),
  );
}

/** Takes a pack into a copy of a room, and reads all of it. Whose signature stands under it does not matter. */
async function take(genesis: string, body: Uint8Array): Promise<void> {
  const replica = await createReplica({ genesis: fromHex(genesis), keys, crypto: believing });
  await replica.receive(framed(body));
  await replica.valueRoot();
  if (replica.stateHash.length !== 64) throw new Error('it has no hash');
}

const checks = ({ room, authorities }: ValueVector): ValueProofs => new ValueProofs(crypto, { room, authorities });

const answer = (vector: ValueVector, proof: Uint8Array): Promise<unknown> => {
  const shown: ValueProof = { signed: fromHex(vector.signed), proof };
  const { page, part } = vector;
  return page ? checks(vector).page(shown, page) : checks(vector).part(shown, { ...part!, kind: 'text' });
};

const written = (said: unknown): string =>
  JSON.stringify(said, (_, field: unknown) => (field instanceof Uint8Array ? toHex(field) : field)) ?? '';

/** Proves what the right proof does, or nothing. */
async function prove([number = 0, ...proof]: Uint8Array): Promise<void> {
  const all = await valueVectors();
  const vector = all[number % all.length]!;
  const said = await answer(vector, Uint8Array.from(proof));
  if (said === undefined) return;
  if (written(said) !== written(await answer(vector, fromHex(vector.proof))))
    throw new Error('something else is proved');
}

export const authorityTargets: readonly Target[] = [
  { name: 'mandates', seeds: mandates, decode: readMandates, isRefusal: isDecodeError },
  { name: 'successions', seeds: successions, decode: readSuccessions, isRefusal: isDecodeError },
  {
    name: 'certificates',
    async seeds() {
      const [[mandate], line] = [await mandates(), await successions()];
      return [mandate!, certificateOf(mandate, line)!, certificateOf(undefined, line)!];
    },
    decode(bytes) {
      const { mandate, line } = readCertificate(bytes);
      if (mandate) readMandate(mandate);
      for (const succession of line) readSuccession(succession);
    },
    isRefusal: isDecodeError,
  },
  {
    name: 'rooms-of-roots',
    seeds: async () =>
      packsOf((await authorityVectors()).map(({ steps }) => ({ packs: steps.map(({ pack }) => pack) }))),
    async decode([number = 0, ...body]) {
      const rooms = await authorityVectors();
      await take(rooms[number % rooms.length]!.genesis, Uint8Array.from(body));
    },
    isRefusal,
    perByte: 1 << 12,
  },
  {
    name: 'erased-rooms',
    seeds: async () => packsOf(await valueVectors()),
    async decode([number = 0, ...body]) {
      const rooms = await valueVectors();
      await take(rooms[number % rooms.length]!.genesis, Uint8Array.from(body));
    },
    isRefusal,
    perByte: 1 << 12,
  },
  {
    name: 'value-proofs',
    seeds: async () => (await valueVectors()).map(({ proof }, number) => Uint8Array.of(number, ...fromHex(proof))),
    decode: prove,
    isRefusal: () => false,
  },
  {
    name: 'value-roots',
    seeds: async () => (await valueVectors()).map(({ signed }) => fromHex(signed)),
    async decode(bytes) {
      await openValueRoot(bytes, (await valueVectors())[0]!.authorities, believing);
    },
    isRefusal: isDecodeError,
  },
];
