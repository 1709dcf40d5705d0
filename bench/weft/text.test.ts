import { describe, expect, it } from 'vitest';
import { messagesFor } from '../text/text-edits.js';
import { loadSequentialTrace, textAfter } from '../measuring/trace.js';
import { newGenesis, newReplica } from './engine.js';
import { weftEngines } from './text.js';
import { WeftReplica, manners } from './text-replica.js';

const edits = loadSequentialTrace('sveltecomponent').edits.slice(0, 600);
const end = textAfter(edits);

describe.each(weftEngines.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => {
  it('types messages that bring a reader to the same text', async () => {
    const engine = await entry.load();
    const [author, reader] = [await engine.create(0), await engine.create(1)];
    const messages = (await author.typeEach?.(edits)) ?? [];
    expect(messages).toHaveLength(messagesFor(engine, edits.length));
    await reader.receiveEach?.(messages);
    expect([author.text(), reader.text()]).toEqual([end, end]);
  });

  it('goes on where it stopped: the last message of a stretch has a seal', async () => {
    const engine = await entry.load();
    const [author, reader] = [await engine.create(0), await engine.create(1)];
    for (const [from, to] of [
      [0, 1],
      [1, 100],
      [100, 333],
      [333, 600],
    ] as const) {
      await reader.receiveEach?.((await author.typeEach?.(edits.slice(from, to))) ?? []);
      expect(reader.text()).toBe(textAfter(edits.slice(0, to)));
    }
  });

  it('opens the forms that it saves', async () => {
    const engine = await entry.load();
    const author = await engine.create(0);
    await author.typeAll?.(edits);
    expect(author.text()).toBe(end);
    for (const form of [...engine.forms].reverse()) {
      const bytes = (await author.save?.(form)) ?? new Uint8Array();
      expect((await engine.open(bytes, form)).text()).toBe(end);
    }
  });
});

it('seals no more often than its manner says', async () => {
  const genesis = await newGenesis();
  const replica = await newReplica(genesis);
  const typed = new WeftReplica(genesis, replica, manners.weft).typeEach(edits);
  const reader = await newReplica(genesis);
  const taken: number[] = [];
  for (const [index, message] of (await typed).entries()) {
    const { accepted } = await reader.receive(message);
    if (accepted > 0) taken.push(index + 1);
  }
  expect(taken).toEqual([256, 512, 600]);
});
