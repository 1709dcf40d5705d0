import { describe, expect, it } from 'vitest';
import { isRoomRef, parseRef, readRoom } from './uri.js';

const refusalOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return (error as { reason?: unknown }).reason ?? error;
  }
};

describe('the name of an archive', () => {
  it('[AR1] is a scheme and what its store makes of the rest, or a room of this server', () => {
    expect(parseRef('file://a/b.weft')).toEqual({ scheme: 'file', name: 'a/b.weft' });
    expect(parseRef('s3+x.y-z://b://c')).toEqual({ scheme: 's3+x.y-z', name: 'b://c' });
    expect(parseRef('room://plans')).toEqual({ scheme: 'room', room: 'plans' });
    expect(['file://plans', 'room://plans'].map((ref) => isRoomRef(parseRef(ref)))).toEqual([false, true]);
  });

  it.each([undefined, '', 7, {}, `file://${'a'.repeat(2042)}`, 'room://~host', 'room://a b', 'room:///'])(
    '[AR1] is none: %s',
    (ref) => expect(refusalOf(() => parseRef(ref))).toBe('reject.archive_manifest_invalid'),
  );

  it.each(['plans', 'file:plans', 'file://', '://a', 'File://a', '7://a', ' file://a'])('[AR1] is no URI: %s', (ref) =>
    expect(refusalOf(() => parseRef(ref))).toBe('reject.archive_unsupported_format'),
  );

  it('[AR1] may have as many characters as that, and names rooms that are none of the host', () => {
    const longest = `file://${'a'.repeat(2041)}`;
    expect(parseRef(longest)).toEqual({ scheme: 'file', name: 'a'.repeat(2041) });
    expect(readRoom('plans', 'source_room')).toBe('plans');
    for (const odd of ['~host', '', 7, undefined])
      expect(refusalOf(() => readRoom(odd, 'source_room'))).toBe('reject.archive_manifest_invalid');
  });
});
