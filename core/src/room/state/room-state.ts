/**
 * State of a room: what it holds in memory, a fold of its log. [ST10]
 *
 * It can be written down as an image, which only this machine reads: the graph's columns as they are in memory, and what
 * the values have made of them. Opening one costs a copy, where reading the log hashes every node.
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError, fromHex, fromUtf8, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import type { FiledIds } from '../../codec/nodes/filed-ids.js';
import { fileIds } from '../../codec/nodes/filed-table.js';
import type { PackBounds } from '../../codec/packs/pack-reader.js';
import { PACK_BOUNDS, SIGNATURE_BYTES, openPack } from '../../codec/packs/pack.js';
import { Document } from '../../crdt/document.js';
import { StateHash } from '../../crdt/state-hash.js';
import { BESIDE_GRAPH } from '../../crdt/values-beside-graph.js';
import { Graph } from '../../graph/graph.js';
import { joining, loadGraph, loadPackedGraph, saveGraph, savePackedGraph } from '../../graph/saved-graph.js';
import { Incoming } from '../../graph/incoming.js';
import type { NodeId } from '../../graph/node.js';
import { SealColumn } from '../../graph/seals.js';
import type { LogRecord } from '../../ports/store.js';
import { Rejection } from '../../rejection.js';
import { Cuts } from './cuts.js';
import { LOCK_KEY, REVOKED, TICK_KEY } from './facts.js';
import { isOfGivenUp } from './given-up.js';
import { POLICY_KEY } from '../../crdt/system-keys.js';
import { Laws } from './laws.js';
import { SIGNER } from './key-facts.js';
import { takesBack } from './mandates.js';
import { Speakers } from './speakers.js';

/** A record may hold one pack of the greatest size beside what a batch takes before it is full. */
export const RECORD_BOUNDS: PackBounds = {
  nodes: PACK_BOUNDS.nodes * 2,
  ops: PACK_BOUNDS.ops * 2,
  inflatedBytes: PACK_BOUNDS.inflatedBytes * 2,
  canonicalBytes: PACK_BOUNDS.canonicalBytes * 2,
};

const MIB = 1024 * 1024;

/**
 * Most bytes of values, and of all that ever were: whoever holds every node, as a replica does and what takes in an archive, names each
 * byte by a number of 31 bits, and what is being written meanwhile fits besides. [LM8]
 */
export const ROOM_BYTES = 2000 * MIB;

/**
 * Reserve: bytes beyond a room's most that facts of administration may go, so that a full room is still locked, governed and
 * taken back from whoever filled it. Each kind may use up what is reserved for those above it, never the other way round. [LM9]
 */
const RESERVED: readonly (readonly [isSuch: (key: string) => boolean, bytes: number])[] = [
  [(key) => key === POLICY_KEY, 16 * MIB],
  [(key) => key === TICK_KEY, 17 * MIB],
  [(key) => key.startsWith(REVOKED), 23 * MIB],
  [(key) => key === LOCK_KEY, 24 * MIB],
  // So few and short that they need nothing of their own.
  [(key) => key.startsWith(SIGNER) || takesBack(key), 24 * MIB],
  // What says that history is given up makes room.
  [isOfGivenUp, 26 * MIB],
];

/** Bytes of a room that holds nothing, of a node and of an op, about. */
const WEIGHT = 32 * 1024;
const NODE_WEIGHT = 128;
const OP_WEIGHT = 64;
/** Bytes of a packed node with its ops: a few bits for each number, and its id and the index of that where it lies in no file. */
const PACKED_WEIGHT = 8;
const ID_WEIGHT = 56;

const VERSION = 1;
/** Version of the image of a room with marks: who does not know these leaves it aside. */
const VERSION_OF_MARKS = 2;
/** Version of the image of a room with dormant values: who does not know these would take them for empty. */
const VERSION_OF_DORMANT = 3;
/** Version of the image of a room in which nodes were erased in part. */
const VERSION_OF_REMAINS = 4;
/** Version of the image of a room with packed columns, which has with them what else follows from its nodes. */
const VERSION_OF_PACKED = 5;
/** Version of such an image of a room whose old ids lie in files, which it names. */
const VERSION_OF_FILED = 6;
/** Reads as another number where numbers have their bytes in another order. */
const BYTE_ORDER = new Uint8Array(Uint32Array.of(0x01020304).buffer);
const HASH_BYTES = 32;
const MOST_FILES = 64;

export class RoomState {
  readonly graph = new Graph();
  readonly values: Document;
  readonly seals = new SealColumn();
  readonly laws: Laws;
  readonly cuts: Cuts;
  /** Whose nodes are the room's authority's, and whose those of others are. */
  readonly speakers: Speakers;
  /** Id of the room's genesis. */
  readonly room: NodeId;

  /** `roots` are the keys that the genesis names. */
  constructor(room: NodeId, roots: ReadonlySet<string>) {
    this.room = room;
    this.speakers = new Speakers(this.graph, new Set(roots), room);
    this.values = new Document(this.graph, StateHash, room);
    this.laws = new Laws(this.graph, this.speakers);
    this.cuts = new Cuts(this.graph);
  }

  /** A state of the same room that holds nothing. */
  empty(): RoomState {
    return new RoomState(this.room, this.speakers.first.roots);
  }

  /** Whether so many more bytes of values are not too many: of those that live, with what was overwritten lately, and of all. */
  hasSpace(most = ROOM_BYTES, bytes = 0): boolean {
    const { content, dormantBytes } = this.graph.table;
    return content.length + bytes <= most && content.length + dormantBytes + bytes <= ROOM_BYTES;
  }

  /** Throws when so many more bytes of values are too many: nothing more is taken, and what there is stays readable. */
  expectSpace(most = ROOM_BYTES, bytes = 0, keys: readonly string[] = []): void {
    const free = bytes - reserveFor(keys);
    if (this.hasSpace(most, free)) return;
    const isOfHistory = this.graph.table.content.length + free <= most;
    const full = isOfHistory ? `${ROOM_BYTES} bytes, with all that were overwritten` : `${most} bytes`;
    throw new Rejection(
      'room-full',
      `the values of this room take ${full}; weft room prune (history.prune) may make room`,
    );
  }

  /** What it takes in memory, about: values, and columns of nodes and ops with what is derived from them. */
  get weight(): number {
    const { table, packed } = this.graph;
    const [nodes, ops] = [table.size - packed, table.ops - table.firstOp(packed)];
    const unfiled = packed - table.filedTo;
    return (
      WEIGHT +
      table.content.length +
      nodes * NODE_WEIGHT +
      ops * OP_WEIGHT +
      packed * PACKED_WEIGHT +
      unfiled * ID_WEIGHT
    );
  }

  /** Durable nodes: the log's length. */
  get seq(): number {
    return this.graph.settled;
  }

  /**
   * What stands at the end of the graph is durable: it becomes part of the values. Answers where that begins. `ends` are more
   * places where history may be cut.
   */
  settle(seals: ReadonlyMap<number, Uint8Array>, ends: readonly number[] = []): number {
    const from = this.graph.settled;
    this.graph.settle();
    for (let node = from; node < this.graph.settled; node++) this.values.apply(node);
    // The genesis closes its own run: kept apart, it never makes a full pack one node too long.
    if (from === 0) this.cuts.close(1);
    for (const end of [...ends, this.graph.settled]) this.cuts.close(end);
    for (const [node, signature] of seals) this.seals.add(node, signature);
    return from;
  }

  /** Why an id could not be read: what has asked for it may be half done. */
  get fault(): Error | undefined {
    return this.graph.table.filed?.fault;
  }

  /** Throws then: nothing more is written from here. */
  expectWhole(): void {
    if (this.fault) throw this.fault;
  }

  /** Takes back what is not durable. */
  rewind(): void {
    this.graph.rewind();
    this.speakers.truncate(this.graph.settled);
    this.laws.truncate(this.graph.settled);
  }

  /** Adds the nodes of a record that are not held; answers their seals. They are settled next. */
  follow(record: LogRecord): Map<number, Uint8Array> {
    const held = this.seq - record.seq;
    const { table, seals } = openPack(record.pack, RECORD_BOUNDS);
    const incoming = new Incoming(this.graph, table);
    for (let place = held; place < table.size; place++) incoming.append(place);
    return new Map(seals.filter(({ index }) => index >= held).map((seal) => [record.seq + seal.index, seal.signature]));
  }

  /** The state as an image; only while all nodes are settled. `genesis` is the room's, as a pack of one. */
  image(genesis: Uint8Array): Uint8Array {
    const out = new ByteWriter(this.graph.packed * 40 + (this.seq - this.graph.packed) * 96 + 1024);
    const version = versionOf(this.graph);
    out.byte(version);
    out.bytes(BYTE_ORDER);
    out.sized(genesis);
    if (version === VERSION_OF_FILED) writeNames(out, this.graph.table.filed!.names);
    out.bytes(fromHex(this.values.hash.root()));
    if (version >= VERSION_OF_PACKED) savePackedGraph(this.graph, out);
    else saveGraph(this.graph, out);
    this.values.save(out, BESIDE_GRAPH);
    const seals = this.#neededSeals;
    out.varint(seals.size);
    for (const [node, signature] of seals) {
      out.varint(node);
      out.bytes(signature);
    }
    this.cuts.save(out);
    return out.view();
  }

  /** The seals that reading needs: of each segment, the last of each chain. */
  get #neededSeals(): Map<number, Uint8Array> {
    const newest = new Map<string, number>();
    const needed = new Map<number, Uint8Array>();
    for (const node of this.seals.keys()) {
      if (node >= this.cuts.stored) needed.set(node, this.seals.get(node)!);
      else {
        const name = `${this.cuts.countUpTo(node)}:${this.graph.chain.get(node)}`;
        newest.set(name, Math.max(node, newest.get(name) ?? 0));
      }
    }
    for (const node of newest.values()) needed.set(node, this.seals.get(node)!);
    return needed;
  }

  /** Reads into an empty state what `openImage` has begun to read. `filed` are the ids in the files that it names. */
  load({ rest: image, version }: Pick<OpenedImage, 'rest' | 'version'>, filed?: FiledIds): void {
    if (filed) fileIds(this.graph.table, filed);
    const stateHash = toHex(image.bytes(HASH_BYTES));
    if (version >= VERSION_OF_PACKED) loadPackedGraph(this.graph, image);
    else loadGraph(this.graph, image);
    this.values.load(image, BESIDE_GRAPH);
    this.values.wake(joining(this.graph), stateHash);
    const seals: [node: number, signature: Uint8Array][] = [];
    for (let left = image.count(SIGNATURE_BYTES + 1, this.seq); left > 0; left--) {
      const node = image.varint();
      if (node >= this.seq) throw new DecodeError('a seal of no node');
      seals.push([node, image.bytes(SIGNATURE_BYTES)]);
    }
    for (const [node, signature] of seals.sort(([a], [b]) => a - b)) this.seals.add(node, signature);
    this.cuts.load(image);
    image.end();
  }
}

function versionOf({ table, packed }: Graph): number {
  if (table.filed) return VERSION_OF_FILED;
  if (packed > 0) return VERSION_OF_PACKED;
  if (table.hasAnyRemains) return VERSION_OF_REMAINS;
  if (table.dormantBytes > 0) return VERSION_OF_DORMANT;
  return table.hasMarks ? VERSION_OF_MARKS : VERSION;
}

/** Whether all of these keys are facts that administer a room. */
export function administers(keys: readonly string[]): boolean {
  return reserveFor(keys) > 0;
}

/** What is reserved for a node that writes these keys and no others. */
function reserveFor(keys: readonly string[]): number {
  const reserves = keys.map((key) => RESERVED.find(([isSuch]) => isSuch(key))?.[1] ?? 0);
  return keys.length === 0 ? 0 : Math.min(...reserves);
}

/** Image whose beginning is read. */
export interface OpenedImage {
  readonly version: number;
  /** Genesis of the room, as a pack of one. */
  readonly genesis: Uint8Array;
  /** Files in which its first ids lie. */
  readonly files: readonly string[];
  readonly rest: ByteReader;
}

/** Throws a `DecodeError` for what this version or machine does not read. */
export function openImage(bytes: Uint8Array): OpenedImage {
  const rest = new ByteReader(bytes);
  const version = rest.byte();
  if (version < VERSION || version > VERSION_OF_FILED) throw new DecodeError('an image of another version');
  if (rest.bytes(BYTE_ORDER.length).some((byte, i) => byte !== BYTE_ORDER[i]))
    throw new DecodeError('an image of a machine with another order of bytes');
  const genesis = rest.sized().slice();
  return { version, genesis, files: version === VERSION_OF_FILED ? readNames(rest) : [], rest };
}

function writeNames(out: ByteWriter, names: readonly string[]): void {
  out.varint(names.length);
  for (const name of names) out.sized(toUtf8(name));
}

function readNames(input: ByteReader): string[] {
  return Array.from({ length: input.count(1, MOST_FILES) }, () => fromUtf8(input.sized()));
}
