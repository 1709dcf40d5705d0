import { describe, expect, it } from 'vitest';
import { emptyNames } from './file-names.js';

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
});
