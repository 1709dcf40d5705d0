import { describe, expect, it } from 'vitest';
import {
  BLOB_INDEX,
  MOST_BLOBS,
  MOST_NODES,
  SEGMENT_BYTES,
  SNAPSHOT,
  faultIn,
  packName,
  segmentName,
} from './entries.js';
import { type Entry, directoryOf, headOf, lastSizeOf, offsetsOf, readEnd, spanOf } from './layout.js';

const entry = (name: string, size: number): Entry => ({ name, size, crc32: 0 });

const BLOBS = 2 * SEGMENT_BYTES + 7;

/** Two packs, two blobs in three segments. */
const entries = [
  ...[entry(packName(0), 100), entry(packName(1), 20), entry(SNAPSHOT, 50), entry(BLOB_INDEX, 80)],
  ...[entry(segmentName(0), SEGMENT_BYTES), entry(segmentName(1), SEGMENT_BYTES), entry(segmentName(2), 7)],
];
const counts = { nodes: 9, blobs: 2 };
const sizes = { nodes: 120, blobs: BLOBS };

const withSize = (at: number, size: number): Entry[] =>
  entries.map((each, number) => (number === at ? { ...each, size } : each));

describe('the entries of an archive', () => {
  it('[AR2] are packs, a snapshot, the list of blobs, and segments of these', () => {
    expect(entries.map(({ name }) => name)).toEqual([
      ...['nodes/000000.pack', 'nodes/000001.pack', 'snapshot.pack', 'blobs.index'],
      ...['blobs/000000.bin', 'blobs/000001.bin', 'blobs/000002.bin'],
    ]);
    expect(faultIn(entries, counts, sizes)).toBeUndefined();
    const without = [entry(packName(0), 100), entry(SNAPSHOT, 50), entry(BLOB_INDEX, 0)];
    expect(faultIn(without, { nodes: 1, blobs: 0 }, { nodes: 100, blobs: 0 })).toBeUndefined();
  });

  it.each([
    ['a pack behind one that is not there', [entries[0]!, entries[1]!, entry(packName(3), 0), ...entries.slice(2)]],
    ['a pack in the place of another', [entries[1]!, entries[0]!, ...entries.slice(2)]],
    ['no snapshot', entries.filter(({ name }) => name !== SNAPSHOT)],
    ['nothing before the snapshot', entries.slice(2)],
    ['a segment less', entries.slice(0, -1)],
    ['a segment more', [...entries, entry(segmentName(3), 0)]],
    ['a segment of the wrong name', [...entries.slice(0, -1), entry(segmentName(3), 7)]],
    ['a pack that is too large to be read', withSize(0, 2 ** 31)],
    ['a snapshot that is too large to be read', withSize(2, 2 ** 30)],
    ['a list of blobs that is longer than its blobs', withSize(3, 120)],
    ['a segment that is not full', withSize(4, SEGMENT_BYTES - 1)],
    ['a last segment with more than the blobs', withSize(6, 8)],
    ['packs that are not as long as is said', withSize(1, 21)],
  ])('[AR2] are refused with %s', (name, odd) => {
    expect(faultIn(odd, counts, name.startsWith('a pack that') ? { ...sizes, nodes: 2 ** 31 + 20 } : sizes)).toEqual(
      expect.any(String),
    );
  });

  it('[AR2] hold no more than fits into memory, and may hold just that', () => {
    const index = (blobs: number): Entry[] => withSize(3, blobs * 40);
    expect(faultIn(entries, { ...counts, nodes: MOST_NODES }, sizes)).toBeUndefined();
    expect(faultIn(index(MOST_BLOBS), { ...counts, blobs: MOST_BLOBS }, sizes)).toBeUndefined();
    expect(faultIn(entries, { ...counts, nodes: MOST_NODES + 1 }, sizes)).toEqual(expect.any(String));
    expect(faultIn(index(MOST_BLOBS + 1), { ...counts, blobs: MOST_BLOBS + 1 }, sizes)).toEqual(expect.any(String));
  });
});

describe('the layout of an archive', () => {
  it('[AR2] has each content behind its head, and the directory behind all of them', () => {
    const three = [entry('a', 5), entry('bc', 0), entry('d', 7)];
    const spans = three.map(spanOf);
    expect(offsetsOf(three)).toEqual([
      headOf(three[0]!).length,
      spans[0]! + headOf(three[1]!).length,
      spans[0]! + spans[1]! + headOf(three[2]!).length,
    ]);
    const directory = directoryOf(three);
    const end = readEnd(directory.subarray(-22));
    expect(end).toEqual({ entries: 3, directory: spans.reduce((sum, span) => sum + span, 0) });
    expect(lastSizeOf(directory.subarray(0, -22), 'd')).toBe(7);
  });

  it('[AR2] has no last entry where it is shorter than one, and no end in what is none', () => {
    expect(lastSizeOf(new Uint8Array(40), 'a')).toBeUndefined();
    const end = directoryOf([]);
    expect(readEnd(end)).toEqual({ entries: 0, directory: 0 });
    expect(readEnd(end.subarray(1))).toBeUndefined();
    expect(readEnd(end.slice().fill(0, 0, 1))).toBeUndefined();
  });
});
