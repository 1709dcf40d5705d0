/**
 * Snapshot: what a room resolves to at one position of its log, signed by its authority; it is read without the log. [CP2]
 *
 *   'V' ‖ version ‖ authority ‖ signature ‖ body
 *   'V' ‖ version + 80 ‖ authority ‖ signature ‖ certificate ‖ body
 *   'V' ‖ version + 40 ‖ authority ‖ signature ‖ certificate behind its length ‖ body
 *
 *   body: genesis behind its length ‖ position ‖ state hash ‖ state length ‖ state deflated, behind its length
 *   and in version 2: length of the marks ‖ marks deflated, behind their length
 *
 * Version 2 is that of rooms in which characters are marked; all others stay readable for who knows no marks.
 * Whoever reads it trusts the authority for it; with the log the state hash tells whether that was right.
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { MANDATE_BYTES } from '../../access/mandate.js';
import { firstReign } from '../../access/reign.js';
import { type Speaker, checkWord, giveWord, placedCertificate, speaksIn } from '../../access/word.js';
import { DecodeError, concatBytes, fromHex, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { deflate, inflateTo } from '../../codec/bytes/deflate.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { openPack } from '../../codec/packs/pack.js';
import { Document, type Resolved } from '../../crdt/document.js';
import type { Span } from '../../crdt/mark-runs.js';
import { readValue } from '../../crdt/registers.js';
import { type ResolvedKey, resolutionOf } from '../../crdt/resolution.js';
import { StateHash } from '../../crdt/state-hash.js';
import { Graph } from '../../graph/graph.js';
import { type NodeId, nameOf } from '../../graph/node.js';
import type { Crypto } from '../../ports/crypto.js';
import { Rejection } from '../../rejection.js';
import { readGenesis } from '../state/genesis.js';
import { recoveryIn } from '../state/recovery-in.js';
import { type SavedPiece, readMarks, spansIn, writeMarks } from './saved-marks.js';
import { readState, writeState } from './saved-state.js';

const MAGIC = 0x56;
const VERSION = 1;
const VERSION_OF_MARKS = 2;
/** Added to the version where whoever signed it shows a certificate. */
const CERTIFIED = 0x80;
/** In its place where that says how roots have changed. */
const LINED = 0x40;
/** What signatures cover first, by version: a body is read as what it was signed as. */
const TAGS = new Map([VERSION, VERSION_OF_MARKS].map((version) => [version, toUtf8(`weft-snapshot-v${version}\0`)]));
const HASH_BYTES = 32;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** What a state may say of itself: no snapshot that a process can hold is larger. */
const MOST_BYTES = 1024 * 1024 * 1024;

export interface SnapshotParts {
  /** The genesis node as a pack of one. */
  readonly genesis: Uint8Array;
  readonly seq: number;
  readonly stateHash: string;
  readonly frontier: readonly NodeId[];
}

interface SnapshotBody {
  readonly version: number;
  readonly bytes: Uint8Array;
}

/** Everything but the signature, as the values are now. */
export function snapshotBody(graph: Graph, values: Document, parts: SnapshotParts): SnapshotBody {
  const state = new ByteWriter(4096);
  writeState(state, graph, values, { size: parts.seq, frontier: parts.frontier, unconfirmed: [] });
  const body = new ByteWriter(4096);
  body.sized(parts.genesis);
  body.varint(parts.seq);
  body.bytes(fromHex(parts.stateHash));
  body.varint(state.length);
  body.sized(deflate(state.view()));
  const marks = new ByteWriter();
  const hasMarks = writeMarks(marks, graph.table.keys.names, values);
  if (hasMarks) {
    body.varint(marks.length);
    body.sized(deflate(marks.view()));
  }
  return { version: hasMarks ? VERSION_OF_MARKS : VERSION, bytes: body.finish() };
}

export async function signSnapshot({ version, bytes }: SnapshotBody, speaker: Speaker): Promise<Uint8Array> {
  const message = messageOf(TAGS.get(version)!, bytes);
  const { authority, signature, certificate } = await giveWord(message, speaker);
  if (!certificate) return concatBytes([Uint8Array.of(MAGIC, version), authority, signature, bytes]);
  const head = Uint8Array.of(MAGIC, version + (certificate.length === MANDATE_BYTES ? CERTIFIED : LINED));
  return concatBytes([head, authority, signature, placedCertificate(certificate), bytes]);
}

function readShown(input: ByteReader, version: number): Uint8Array | undefined {
  if ((version & LINED) !== 0) return input.sized();
  return (version & CERTIFIED) !== 0 ? input.bytes(MANDATE_BYTES) : undefined;
}

function messageOf(tag: Uint8Array, body: Uint8Array): Uint8Array {
  return concatBytes([tag, sha256(body)]);
}

/** What stands deflated behind its length. */
function inflated(input: ByteReader): ByteReader {
  const length = input.varint();
  const deflated = input.sized();
  if (length > MOST_BYTES || length > deflated.length * 1032) throw new DecodeError('a snapshot has a wrong length');
  return new ByteReader(inflateTo(deflated, length));
}

/** A room to be read, as it was. */
export class Snapshot {
  /** Id of the room's genesis. */
  readonly room: NodeId;
  /** Public key of who has signed it: a root of the room, or a key that one has certified. */
  readonly authority: string;
  readonly seq: number;
  readonly stateHash: string;
  readonly frontier: readonly NodeId[];
  readonly #values: Document;
  readonly #marks: ReadonlyMap<string, readonly SavedPiece[]>;

  private constructor(
    parts: Omit<SnapshotParts, 'genesis'>,
    room: NodeId,
    authority: string,
    values: Document,
    marks: ReadonlyMap<string, readonly SavedPiece[]>,
  ) {
    this.room = room;
    this.authority = authority;
    this.seq = parts.seq;
    this.stateHash = parts.stateHash;
    this.frontier = parts.frontier;
    this.#values = values;
    this.#marks = marks;
  }

  /** Rejects with a `DecodeError` for what is no snapshot, and with a `Rejection` for one that no authority has signed. */
  static async open(bytes: Uint8Array, crypto: Crypto): Promise<Snapshot> {
    const input = new ByteReader(bytes);
    if (input.byte() !== MAGIC) throw new DecodeError('not a snapshot');
    const given = input.byte();
    const version = given & ~(CERTIFIED | LINED);
    const tag = TAGS.get(version);
    if (!tag) throw new DecodeError('unknown version of a snapshot');
    const word = { authority: input.bytes(KEY_BYTES), signature: input.bytes(SIGNATURE_BYTES) };
    const certificate = readShown(input, given);
    const body = bytes.subarray(input.position);
    const { table: genesis } = openPack(input.sized());
    const first = firstReign(new Set(readGenesis(genesis)?.authorities), recoveryIn(genesis));
    const vouched = await checkWord(certificate ? { ...word, certificate } : word, messageOf(tag, body), crypto);
    if (!vouched || !speaksIn(vouched, first, nameOf(genesis, 0)))
      throw new Rejection('snapshot-unsigned', 'no authority of the room has signed the snapshot');
    const seq = input.varint();
    const stateHash = toHex(input.bytes(HASH_BYTES));
    const state = inflated(input);
    const marks = version === VERSION_OF_MARKS ? inflated(input) : undefined;
    input.end();
    const graph = new Graph();
    const values = new Document(graph, StateHash);
    const { size, frontier } = readState(state, graph, values);
    state.end();
    if (size !== seq) throw new DecodeError('a snapshot says two positions');
    const marked = marks ? readMarks(marks, graph.table.keys.names, values) : new Map<string, SavedPiece[]>();
    marks?.end();
    return new Snapshot({ seq, stateHash, frontier }, nameOf(genesis, 0), vouched.authority, values, marked);
  }

  /** What every key but the system's holds. */
  resolution(): Iterable<ResolvedKey> {
    return resolutionOf(this.#values);
  }

  get(key: string): unknown {
    return this.#values.registers.get(key);
  }

  resolve(key: string): Resolved {
    return this.#values.resolve(key);
  }

  /** Live registers whose keys begin with the prefix, in key order; those of the room itself only by a prefix of theirs. */
  *entries(prefix = ''): Generator<[key: string, value: unknown]> {
    for (const [key, value] of this.#values.registers.live(prefix)) yield [key, readValue(value)];
  }

  text(key: string): string {
    return this.#values.textNamed(key)?.toString() ?? '';
  }

  /** A text as spans, each with the marks of its characters; none of an empty text. */
  spans(key: string): Span[] {
    return spansIn(this.text(key), this.#marks.get(key));
  }

  list(key: string): unknown[] {
    return this.#values.listNamed(key)?.values().map(decodeValue) ?? [];
  }
}
