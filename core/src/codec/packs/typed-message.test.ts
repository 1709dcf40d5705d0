import { describe, expect, it } from 'vitest';
import { createReplica, generateKeys } from '../../peer.js';
import { newRoom } from '../../testing/replicas.js';
import { DecodeError } from '../bytes/bytes.js';
import { NodeTable } from '../nodes/node-table.js';
import { nodeAt } from './packed-node.js';
import { type OpenMessage, openMessage } from './pack.js';
import { openTyped } from './typed-message.js';

/** Messages of one author: keystrokes, and what is none. */
async function typedMessages(): Promise<Uint8Array[]> {
  const room = await newRoom();
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  const text = replica.text('t');
  const messages: Uint8Array[] = [];
  const say = (edit: () => void): void => {
    edit();
    messages.push(replica.message()!);
  };
  for (let i = 0; i < 140; i++) say(() => text.insert(i, 'a'));
  say(() => text.delete(7, 1));
  say(() => text.insert(4, 'a longer text'));
  say(() => text.delete(2, 9));
  say(() => text.insert(0, 'é'));
  say(() => replica.set('k', 1));
  say(() => text.insert(0, 'x'.repeat(300)));
  text.insert(0, 'b');
  messages.push((await replica.sealedMessage())!);
  return messages;
}

/** What an opener makes of messages one after the other, or that it refuses the last. */
function openedBy(open: OpenMessage, messages: readonly Uint8Array[]): unknown {
  const table = new NodeTable();
  try {
    const seals = messages.map((message) => open(message, table));
    const nodes = Array.from({ length: table.size }, (_, place) => nodeAt(table, place));
    return { seals: seals.flat(), nodes, ops: table.ops, outside: table.outside.length };
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
    return { refusedAt: table.size, ops: table.ops };
  }
}

describe('a message of typing', () => {
  it('[PK10] is opened as any message is', async () => {
    const messages = await typedMessages();
    const opened = openedBy(openTyped, messages) as { readonly seals: object[]; readonly nodes: object[] };
    expect(opened).toEqual(openedBy(openMessage, messages));
    expect(opened.nodes).toHaveLength(messages.length);
    // The last one alone is sealed: its seal names it where it stands in the table.
    expect(opened.seals).toMatchObject([{ index: messages.length - 1 }]);
  });

  it('[PK10] of several nodes has seals that name them where they stand in the table', async () => {
    const replica = await createReplica({ genesis: (await newRoom()).genesis.pack, keys: generateKeys() });
    const messages: Uint8Array[] = [];
    for (const count of [1, 3, 2]) {
      for (let i = 0; i < count; i++) replica.set(`k${i}`, count);
      messages.push((await replica.sealedMessage())!);
    }
    for (const open of [openTyped, openMessage])
      expect(openedBy(open, messages)).toMatchObject({ seals: [{ index: 0 }, { index: 3 }, { index: 5 }] });
  });

  it('[PK10] is opened or refused as any message is, whatever byte is another, and however it is cut', async () => {
    const [before, message] = (await typedMessages()).slice(138, 140) as [Uint8Array, Uint8Array];
    let opened = 0;
    for (let at = 0; at < message.length; at++) {
      for (const byte of [0, 1, 2, 0x7f, 0x80, 0x92, 0xcc, 0xff, message[at]! ^ 1, message[at]! + 1]) {
        const changed = message.slice();
        changed[at] = byte;
        const answer = openedBy(openTyped, [before, changed]);
        expect(answer).toEqual(openedBy(openMessage, [before, changed]));
        if (!('refusedAt' in (answer as object))) opened++;
      }
      const cut = message.subarray(0, at);
      expect(openedBy(openTyped, [before, cut])).toEqual(openedBy(openMessage, [before, cut]));
    }
    expect(opened).toBeGreaterThan(message.length);
  });
});
