/** What a room is kept as: records, images, snapshots, saved replicas, archives, proofs. */
import { unzipSync } from 'fflate';
import { FileSource } from '../../../core/src/archive/file-source.js';
import { MANIFEST } from '../../../core/src/archive/entries.js';
import { readManifest } from '../../../core/src/archive/manifest.js';
import { verify } from '../../../core/src/archive/validate.js';
import { readSaved, writeSaved } from '../../../core/src/client/replica/saved-replica.js';
import { ByteReader } from '../../../core/src/codec/bytes/byte-reader.js';
import { ByteWriter } from '../../../core/src/codec/bytes/byte-writer.js';
import { concatBytes } from '../../../core/src/codec/bytes/bytes.js';
import { deflate, inflateTo } from '../../../core/src/codec/bytes/deflate.js';
import { resolutionOf } from '../../../core/src/crdt/resolution.js';
import { openPack } from '../../../core/src/codec/packs/pack.js';
import { verifyProof } from '../../../core/src/crdt/state-tree/proof.js';
import { createReplica } from '../../../core/src/peer.js';
import { nameOf } from '../../../core/src/graph/node.js';
import type { ArchiveFile } from '../../../core/src/ports/archive-store.js';
import { Rejection } from '../../../core/src/rejection.js';
import { Snapshot } from '../../../core/src/room/keeping/snapshot.js';
import { readGenesis } from '../../../core/src/room/state/genesis.js';
import { RoomState, openImage } from '../../../core/src/room/state/room-state.js';
import { alteredArchive } from '../../../core/src/testing/altered-archive.js';
import { nativeCrypto } from '../../../core/src/adapters/crypto/native.js';
import { stored, storedImages } from '../seeds.js';
import type { Target } from '../target.js';
import { isDecodeError } from './codec.js';

const real = nativeCrypto()!;
const signer = real.signer(new Uint8Array(32).fill(3));
/** Takes any signature: what is behind one is tried, not the signature. */
const believing = { ...real, verify: () => Promise.resolve(true) };
/** Whoever has signed. */
class Everybody extends Set<string> {
  override has(): boolean {
    return true;
  }
}
const trusting = { crypto: believing, signers: new Everybody() };
const isRefusal = (error: unknown): boolean => error instanceof Rejection || isDecodeError(error);

const SNAPSHOT_HEAD = 2 + 32 + 64;

/** A snapshot's genesis, position and hash, and the state in it. */
async function snapshotParts(): Promise<{
  head: Uint8Array;
  genesis: Uint8Array;
  hash: Uint8Array;
  state: Uint8Array;
}> {
  const bytes = await stored('child.snapshot');
  const input = new ByteReader(bytes, SNAPSHOT_HEAD);
  const genesis = input.sized();
  input.varint();
  const hash = input.bytes(32);
  const length = input.varint();
  return { head: bytes.slice(0, SNAPSHOT_HEAD), genesis, hash, state: inflateTo(input.sized(), length) };
}

/** A snapshot around a state, which begins with its position. */
async function snapshotOf(state: Uint8Array): Promise<Uint8Array> {
  const { head, genesis, hash } = await snapshotParts();
  const body = new ByteWriter();
  body.sized(genesis);
  body.varint(new ByteReader(state).varint());
  body.bytes(hash);
  body.varint(state.length);
  body.sized(deflate(state));
  return concatBytes([head, body.view()]);
}

async function readSnapshot(bytes: Uint8Array): Promise<void> {
  const snapshot = await Snapshot.open(bytes, believing);
  for (const { key, kind } of snapshot.resolution()) {
    if (kind === 'text') snapshot.text(key);
    else if (kind === 'list') snapshot.list(key);
    else snapshot.get(key);
  }
}

/** Reads the head of an image. */
function readImage(bytes: Uint8Array): void {
  const { genesis } = openImage(bytes);
  readGenesis(openPack(genesis).table);
}

/** Reads all of an image. Whatever its columns say, no more is asked for than its bytes account for. */
async function loadImage(bytes: Uint8Array): Promise<void> {
  emptyState((await smallRoom()).genesis).load(openImage(bytes));
}

function readAll(state: RoomState): void {
  for (const { bytes } of resolutionOf(state.values)) if (bytes.length < 0) throw new Error('no bytes');
}

const keys = { publicKey: signer.publicKey, seed: '03'.repeat(32) };

interface Small {
  readonly genesis: Uint8Array;
  readonly saved: Uint8Array;
  /** All of its nodes as one pack. */
  readonly pack: Uint8Array;
  readonly image: Uint8Array;
  readonly proofs: readonly Uint8Array[];
}

let small: Promise<Small> | undefined;

/** A small room that has everything: registers, a text, a list, what was deleted and moved. */
function smallRoom(): Promise<Small> {
  return (small ??= makeSmall());
}

async function makeSmall(): Promise<Small> {
  const { genesis } = openImage((await storedImages())[0]!);
  const replica = await createReplica({ genesis, keys });
  replica.set('docs/a', { by: 'ann' });
  replica.text('text').insert(0, 'Once upon a time');
  replica.text('text').delete(3, 4);
  replica.list('list').insert(0, 1, 'two', [3]);
  replica.list('list').move(2, 0);
  replica.delete('docs/gone');
  const saved = replica.save();
  const [pack] = readSaved(saved).history;
  const state = emptyState(genesis);
  state.settle(state.follow({ seq: 0, count: 1, pack: pack! }));
  const proofs = ['docs/a', 'docs/none'].map((key) => replica.prove(key).proof);
  return { genesis, saved, pack: pack!, image: state.image(genesis), proofs };
}

function emptyState(genesis: Uint8Array): RoomState {
  const { table } = openPack(genesis);
  return new RoomState(nameOf(table, 0), new Set(readGenesis(table)?.authorities));
}

/** Opens what was saved, reads it, and goes on writing. */
async function openSaved(bytes: Uint8Array): Promise<void> {
  const replica = await createReplica({ saved: bytes, keys });
  for (const key of ['docs/a', 'docs/gone']) replica.get(key);
  replica.text('text').toString();
  replica.get('list');
  replica.set('docs/b', 1);
  await replica.seal();
}

function fileOf(bytes: Uint8Array): ArchiveFile {
  return {
    size: bytes.length,
    async *read(from, to) {
      yield bytes.subarray(from, to);
    },
    close: () => Promise.resolve(),
  };
}

async function readArchive(bytes: Uint8Array): Promise<void> {
  const source = await FileSource.open(fileOf(bytes), trusting);
  await verify(source, believing);
}

/** The number of an entry, then what it holds; all that stands around it is made right. */
async function archiveWith(input: Uint8Array): Promise<Uint8Array> {
  const archive = await stored('child.weft');
  const names = Object.keys(unzipSync(archive)).filter((name) => name !== MANIFEST);
  const name = names[(input[0] ?? 0) % names.length]!;
  return alteredArchive(archive, { contents: { [name]: input.subarray(1) }, signer });
}

export const roomTargets: readonly Target[] = [
  { name: 'image-heads', seeds: async () => [(await smallRoom()).image], decode: readImage, isRefusal: isDecodeError },
  { name: 'images', seeds: async () => [(await smallRoom()).image], decode: loadImage, isRefusal: isDecodeError },
  { name: 'snapshots', seeds: async () => [await stored('child.snapshot')], decode: readSnapshot, isRefusal },
  {
    name: 'snapshot-states',
    seeds: async () => [(await snapshotParts()).state],
    decode: async (bytes) => readSnapshot(await snapshotOf(bytes)),
    isRefusal,
  },
  { name: 'saved-replicas', seeds: async () => [(await smallRoom()).saved], decode: openSaved, isRefusal },
  {
    name: 'saved-states',
    seeds: async () => [readSaved((await smallRoom()).saved).state],
    decode: async (bytes) =>
      openSaved(
        writeSaved({ state: bytes, history: [(await smallRoom()).pack] }, { hasMarks: false, hasAnyRemains: false }),
      ),
    isRefusal,
  },
  {
    name: 'records',
    seeds: async () => [(await smallRoom()).pack],
    async decode(bytes) {
      const state = emptyState((await smallRoom()).genesis);
      state.settle(state.follow({ seq: 0, count: 1, pack: bytes }));
      readAll(state);
    },
    isRefusal: isDecodeError,
  },
  { name: 'archives', seeds: async () => [await stored('child.weft')], decode: readArchive, isRefusal },
  {
    name: 'archive-entries',
    async seeds() {
      const held = unzipSync(await stored('child.weft'));
      const names = Object.keys(held).filter((name) => name !== MANIFEST);
      return names.map((name, number) => Uint8Array.of(number, ...held[name]!));
    },
    decode: async (bytes) => readArchive(await archiveWith(bytes)),
    isRefusal,
  },
  {
    name: 'archive-manifests',
    form: 'json',
    seeds: async () => [unzipSync(await stored('child.weft'))[MANIFEST]!],
    decode: async (bytes) => void (await readManifest(bytes, trusting)),
    isRefusal,
  },
  {
    name: 'proofs',
    seeds: async () => (await smallRoom()).proofs,
    decode: (bytes) => void verifyProof(bytes, bytes.subarray(1, 33), new Uint8Array(32)),
    isRefusal: () => false,
  },
];
