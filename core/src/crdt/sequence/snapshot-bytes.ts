/**
 * The columns of a saved sequence as bytes: small differences, like next to like, so that they deflate well.
 *
 * A row's chain is written as a difference to the row before, its start as one to where the row before ended.
 */
import type { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { unzigzag, zigzag } from '../../codec/packs/pack-columns.js';
import type { SequenceSnapshot } from './snapshot.js';
import { MAX_ELEMENTS } from './span-layout.js';

export function writeSequence(out: ByteWriter, snapshot: SequenceSnapshot): void {
  const { chains, starts, lengths, origins, parents, parentCounters } = snapshot;
  out.varint(chains.length);
  for (let row = 0; row < chains.length; row++) out.varint(zigzag(chains[row]! - (chains[row - 1] ?? 0)));
  for (let row = 0; row < chains.length; row++) out.varint(zigzag(starts[row]! - endBefore(starts, lengths, row)));
  for (const length of lengths) out.varint(zigzag(length));
  out.bytes(origins);
  out.varint(parents.length);
  for (const parent of parents) out.varint(zigzag(parent));
  for (let i = 0; i < parents.length; i++) out.varint(zigzag(parentCounters[i]! - (parentCounters[i - 1] ?? 0)));
}

/** Whether the rows make a sequence is for `Sequence.load` to say. */
export function readSequence(input: ByteReader): SequenceSnapshot {
  const rows = input.count(4, MAX_ELEMENTS);
  const chains = new Int32Array(rows);
  const starts = new Int32Array(rows);
  const lengths = new Int32Array(rows);
  for (let row = 0; row < rows; row++) chains[row] = within(unzigzag(input.varint()) + (chains[row - 1] ?? 0));
  // Starts are relative to ends, which lengths give: they are read first and put right afterwards.
  for (let row = 0; row < rows; row++) starts[row] = within(unzigzag(input.varint()));
  for (let row = 0; row < rows; row++) lengths[row] = within(unzigzag(input.varint()));
  for (let row = 0; row < rows; row++) starts[row] = within(starts[row]! + endBefore(starts, lengths, row));
  const origins = input.bytes(rows);
  const named = input.count(2, rows);
  const parents = new Int32Array(named);
  const parentCounters = new Int32Array(named);
  for (let i = 0; i < named; i++) parents[i] = within(unzigzag(input.varint()));
  for (let i = 0; i < named; i++) parentCounters[i] = within(unzigzag(input.varint()) + (parentCounters[i - 1] ?? 0));
  return { chains, starts, lengths, origins, parents, parentCounters };
}

function endBefore(starts: Int32Array, lengths: Int32Array, row: number): number {
  return row === 0 ? 0 : starts[row - 1]! + Math.abs(lengths[row - 1]!);
}

function within(value: number): number {
  if (Math.abs(value) > MAX_ELEMENTS) throw new DecodeError('a saved sequence has a number beyond 2^31');
  return value;
}
