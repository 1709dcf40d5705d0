import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toHex } from '../codec/bytes.js';
import { frontierRoot, sortedFrontier } from './frontier.js';
import type { NodeId } from './node.js';
import { isReserved, parseRoomId } from './room-id.js';
import { sealMessage } from './seal.js';

const ids = ['ff', '00', '7f'].map((pair) => pair.repeat(32) as NodeId);

describe('the frontier', () => {
  it('[HS4] is named by the SHA-256 of its sorted ids', () => {
    const expected = createHash('sha256').update(
      Buffer.from('00'.repeat(32) + '7f'.repeat(32) + 'ff'.repeat(32), 'hex'),
    );
    expect(frontierRoot(ids)).toBe(expected.digest('hex'));
    expect(frontierRoot([...ids].reverse())).toBe(frontierRoot(ids));
    expect(frontierRoot([])).toBe(createHash('sha256').digest('hex'));
    expect(sortedFrontier(ids)).toEqual([...ids].sort());
  });
});

describe('a seal', () => {
  it('[SL1] signs a tag, a zero byte and the id', () => {
    expect(toHex(sealMessage(ids[0] ?? ('' as NodeId)))).toBe(
      `${Buffer.from('weft-seal-v1').toString('hex')}00${'ff'.repeat(32)}`,
    );
  });
});

describe('room ids', () => {
  it.each(['a', 'A-Z.a_z~09', '...', '~host', '-', 'x'.repeat(128)])('[HS1] may be %j', (text) => {
    expect(parseRoomId(text)).toBe(text);
  });

  it.each(['', '.', '..', 'a b', 'a/b', 'ä', 'a%20', 'a\n', 'a!', 'x'.repeat(129), '\u0000'])(
    '[HS1] may not be %j',
    (text) => {
      expect(parseRoomId(text)).toBeUndefined();
    },
  );

  it('[HS1] that begin with a tilde are the host’s', () => {
    const reserved = ['~', '~studio', 'a~', 'studio']
      .map((text) => parseRoomId(text))
      .map((id) => id && isReserved(id));
    expect(reserved).toEqual([true, true, false, false]);
  });
});
