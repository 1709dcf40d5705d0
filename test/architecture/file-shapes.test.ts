import { describe, expect, it } from 'vitest';
import { emptyNames, lineCount, longerFiles, median, productLines, tooLong } from './file-shapes.js';
import { readTree } from './source-tree.js';

const lines = (count: number): string => 'x\n'.repeat(count);

describe('file sizes', () => {
  it('refuses a file of 501 lines in product code and in tests', () => {
    const files = new Map([
      ['core/src/room/room.ts', lines(501)],
      ['core/src/room/room.test.ts', lines(501)],
      ['test/e2e/all.test.ts', lines(501)],
      ['core/src/room/lane.ts', lines(500)],
    ]);
    expect(tooLong(files)).toHaveLength(3);
    expect(tooLong(files)[0]).toBe('core/src/room/room.ts has 501 lines: split it below 500');
  });

  it('excuses only a file on the list', () => {
    const files = new Map([['core/src/room/room.ts', lines(501)]]);
    expect(tooLong(files, new Map([['core/src/room/room.ts', 'generated']]))).toEqual([]);
  });

  it('counts lines and finds the median', () => {
    expect(lineCount('a\nb\n')).toBe(2);
    expect(lineCount('a\nb')).toBe(2);
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('holds in this tree', () => {
    const files = readTree();
    const sizes = productLines(files);
    console.log(`${sizes.length} product files, median ${median(sizes)} lines, longest ${Math.max(0, ...sizes)}`);
    expect(tooLong(files)).toEqual([]);
    expect([...longerFiles.keys()].filter((path) => !files.has(path))).toEqual([]);
  });
});

describe('file names', () => {
  it.each([
    'core/src/utils/bytes.ts',
    'core/src/room/helpers.ts',
    'server/src/room-manager.ts',
    'studio/src/operations/merge-service.ts',
    'test/common/files.ts',
    'docs/misc/notes.md',
    'core/src/room/RoomState.ts',
  ])('%s says nothing of what is inside', (path) => {
    expect(emptyNames(new Map([[path, '']]))).toHaveLength(1);
  });

  it('accepts nouns', () => {
    const files = new Map([
      ['core/src/room/admission.ts', ''],
      ['core/src/room/database.ts', ''],
      ['bench/traces/data.json', ''],
    ]);
    expect(emptyNames(files)).toEqual([]);
  });

  it('holds in this tree', () => {
    expect(emptyNames(readTree())).toEqual([]);
  });
});
