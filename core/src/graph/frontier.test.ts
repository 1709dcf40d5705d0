import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toHex } from '../codec/bytes/bytes.js';
import { frontierOf, frontierRoot } from './frontier.js';
import { Graph } from './graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { isReserved, parseRoomId } from '../codec/bytes/room-id.js';
import { sealMessage } from './seal.js';
import { type Node, graphOf, tableOf } from './testing/nodes.js';

const author = 'a'.repeat(64) as PublicKey;
/** Nodes that stand on nothing; a graph never looks inside an id. */
const nodes = ['ff', '00', '7f'].map((pair): Node => ({
  id: pair.repeat(32) as NodeId,
  room: NO_ROOM,
  author,
  parents: [],
  ops: [{ kind: 'delete', key: 'k' }],
}));
const settled = (some: readonly Node[]): Graph => {
  const graph = graphOf(some);
  graph.settle();
  return graph;
};

describe('the frontier', () => {
  it('[HS4] is named by the SHA-256 of its sorted ids', () => {
    const expected = createHash('sha256').update(
      Buffer.from('00'.repeat(32) + '7f'.repeat(32) + 'ff'.repeat(32), 'hex'),
    );
    const frontier = frontierOf(settled(nodes));
    expect(frontierRoot(frontier)).toBe(expected.digest('hex'));
    expect(frontier).toEqual(nodes.map(({ id }) => id).sort());
    expect(frontierOf(settled([...nodes].reverse()))).toEqual(frontier);
    expect(frontierRoot(frontierOf(new Graph()))).toBe(createHash('sha256').digest('hex'));
  });
});

describe('a seal', () => {
  it('[SL1] signs a tag, a zero byte and the id', () => {
    const messages = nodes.map((_, node) => toHex(sealMessage(tableOf(nodes), node)));
    const tag = `${Buffer.from('weft-seal-v1').toString('hex')}00`;
    expect(messages).toEqual(['ff', '00', '7f'].map((pair) => tag + pair.repeat(32)));
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
