import { beforeAll, describe, expect, it } from 'vitest';
import { loadStringSplice } from '../rivals/string-splice.js';
import { timed } from '../measuring/harness.js';
import { type Typing, boundsOf, editContender, messagesFor } from './text-edits.js';
import type { TextEngine, TextReplica } from './text-engine.js';
import { type Edit, loadSequentialTrace, textAfter } from '../measuring/trace.js';
import { withCollector } from '../measuring/with-collector.js';

const trace = loadSequentialTrace('sveltecomponent');
const typing: Typing = { trace, edits: 2_000, textAfter: (count) => textAfter(trace.edits.slice(0, count)) };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Sends each edit as JSON. `lose` names the edit that the reader forgets. */
async function jsonEngine(lose: number | undefined, signs: boolean): Promise<TextEngine> {
  const splice = await loadStringSplice();
  const create = async (): Promise<TextReplica> => {
    const inner = await splice.create(0);
    return {
      text: () => inner.text(),
      typeEach: (edits) => {
        void inner.typeAll?.(edits);
        return edits.map((edit) => encoder.encode(JSON.stringify(edit)));
      },
      receiveEach: (messages) => {
        const kept = messages.filter((_message, index) => index !== lose);
        void inner.typeAll?.(kept.map((message) => JSON.parse(decoder.decode(message)) as Edit));
      },
    };
  };
  return { ...splice, name: 'json', signs, most: { receiveEach: 500 }, create };
}

/** Sends this many edits in a message. */
async function batchingEngine(editsPerMessage: number): Promise<TextEngine> {
  const each = await jsonEngine(undefined, true);
  const create = async (): Promise<TextReplica> => {
    const inner = await each.create(0);
    const unpack = (message: Uint8Array): Uint8Array[] =>
      (JSON.parse(decoder.decode(message)) as Edit[]).map((edit) => encoder.encode(JSON.stringify(edit)));
    return {
      text: () => inner.text(),
      typeEach: async (edits) => {
        await inner.typeEach?.(edits);
        return Array.from({ length: messagesFor({ editsPerMessage }, edits.length) }, (_, index) =>
          encoder.encode(JSON.stringify(edits.slice(index * editsPerMessage, (index + 1) * editsPerMessage))),
        );
      },
      receiveEach: (messages) => inner.receiveEach?.(messages.flatMap(unpack)),
    };
  };
  return { ...each, editsPerMessage, most: {}, create };
}

describe('typing and receiving', () => {
  beforeAll(withCollector);

  it('measures what the engine has', async () => {
    const splice = await editContender(await loadStringSplice(), typing).run();
    expect(Object.keys(splice)).toEqual(['local_batch_ops_s']);
    const json = await editContender(await jsonEngine(undefined, false), typing).run();
    expect(Object.keys(json).sort()).toEqual(['local_ops_s', 'message_bytes', 'remote_ops_s']);
    const signed = await editContender(await jsonEngine(undefined, true), typing).run();
    expect(Object.keys(signed).sort()).toEqual(['message_bytes', 'signed_ops_s', 'signed_remote_ops_s']);
  });

  it('takes messages that hold several edits each, the last one fewer', async () => {
    const engine = await batchingEngine(300);
    const figures = await editContender(engine, typing).run();
    expect(Object.keys(figures).sort()).toEqual(['message_bytes', 'signed_ops_s', 'signed_remote_ops_s']);
    const stopped = { ...engine, most: { receiveEach: 500 } };
    await expect(editContender(stopped, typing).run()).resolves.toHaveProperty('signed_remote_ops_s');
    expect([1, 300, 301, 2_000].map((edits) => messagesFor(engine, edits))).toEqual([1, 1, 2, 7]);
    expect(messagesFor({}, 2_000)).toBe(2_000);
  });

  it('refuses the figures of a reader that lost an edit', async () => {
    const run = editContender(await jsonEngine(499, false), typing).run();
    await expect(run).rejects.toThrow('the text after receiving is not that of the recording');
  });

  it('says how many edits an engine was spared', async () => {
    expect(boundsOf(await jsonEngine(undefined, false), typing)).toEqual([
      'first 2000 edits typed one by one, first 500 received',
    ]);
    expect(boundsOf(await loadStringSplice(), typing)).toEqual([]);
  });
});

it('nothing is timed without a collector', async () => {
  expect(globalThis.gc).toBeUndefined();
  await expect(timed(() => 1)).rejects.toThrow('npm run bench');
});
