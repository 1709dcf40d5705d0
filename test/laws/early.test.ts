/** What comes before its seal, or before what it stands on, waits: bounded, applied for nobody, and not for ever. */
import { type Commit, type Replica, type Room, DecodeError } from '@weft/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { join, openRoom, reasons, sealed } from './support.js';

/** Types the words one after the other; answers a message for each, the last one sealed. */
async function typed(replica: Replica, words: readonly string[]): Promise<Uint8Array[]> {
  const text = replica.text('t');
  const messages: Uint8Array[] = [];
  for (const [index, word] of words.entries()) {
    text.insert(text.length, word);
    const message = index === words.length - 1 ? await replica.sealedMessage() : replica.message();
    if (message) messages.push(message);
  }
  return messages;
}

/** Packs of writers of whom each stands on the one before: they only make sense in this order. */
async function standingOnEachOther(room: Room, count: number): Promise<Uint8Array[]> {
  const packs: Uint8Array[] = [];
  for (let number = 1; number <= count; number++) {
    const replica = await join(room, number);
    for (const pack of packs) await replica.receive(pack);
    replica.text('t').insert(0, `${number} `);
    packs.push(await sealed(replica));
  }
  return packs;
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i} `);

describe('a message without a seal', () => {
  it('[AD7] is refused and waits; the next seal brings it in with everything before it', async () => {
    const room = await openRoom();
    const messages = await typed(await join(room, 1), ['a', 'b', 'c', 'd']);
    const reader = await join(room, 2);
    for (const message of messages.slice(0, -1)) {
      expect(reasons(await reader.receive(message))).toEqual(['unsealed']);
      expect([reader.text('t').toString(), reader.frontier]).toEqual(['', [room.genesis.id]]);
    }
    const { accepted, refused } = await reader.receive(messages.at(-1) ?? new Uint8Array(0));
    expect([accepted, refused, reader.text('t').toString()]).toEqual([1, [], 'abcd']);
    expect(reader.frontier).toHaveLength(1);
  });

  it('[AD7] may be received without waiting for the one before', async () => {
    const room = await openRoom();
    const writer = await join(room, 1);
    const runs = [await typed(writer, numbers(300)), await typed(writer, ['x']), await typed(writer, numbers(20))];
    const reader = await join(room, 2);
    const verdicts = await Promise.all(runs.flat().map((message) => reader.receive(message)));
    expect(verdicts.map(({ accepted }) => accepted).filter((count) => count > 0)).toEqual([1, 1, 1]);
    expect([reader.text('t').toString(), reader.stateHash]).toEqual([writer.text('t').toString(), writer.stateHash]);
  });

  it('[AD7] of several authors wait beside each other, in any order', async () => {
    const room = await openRoom();
    const writers = await Promise.all([1, 2, 3].map((number) => join(room, number)));
    const streams = await Promise.all(writers.map((writer) => typed(writer, numbers(12))));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2), { minLength: 36, maxLength: 60 }), async (picks) => {
        const left = streams.map((stream) => [...stream]);
        const reader = await join(room, 4);
        for (const pick of [
          ...picks,
          ...Array<number>(12).fill(0),
          ...Array<number>(12).fill(1),
          ...Array<number>(12).fill(2),
        ]) {
          const message = left[pick]?.shift();
          if (message) await reader.receive(message);
        }
        const whole = await join(room, 5);
        for (const stream of streams) for (const message of stream) await whole.receive(message);
        expect(reader.stateHash).toBe(whole.stateHash);
        expect(reader.frontier).toHaveLength(3);
      }),
      { numRuns: 10 },
    );
  });

  it('[AD7] is given up when too many wait: the seal alone is not enough then, the whole pack is [fault 14]', async () => {
    const room = await openRoom();
    const writer = await join(room, 1);
    const reader = await join(room, 2);
    for (let i = 0; i < 8300; i++) {
      writer.set('k', i);
      const message = writer.message();
      if (message) await reader.receive(message);
    }
    const last = await writer.sealedMessage();
    const verdict = await reader.receive(last ?? new Uint8Array(0));
    expect(reasons(verdict)).toEqual(['run-refused']); // its run has lost its beginning
    expect(reader.get('k')).toBeUndefined();
    const pack = await writer.seal();
    expect(reasons(await reader.receive(pack ?? new Uint8Array(0)))).toEqual([]);
    expect(reader.stateHash).toBe(writer.stateHash);
  });

  it('[PK4] with any byte changed brings in nothing, at once or with the seal', async () => {
    const room = await openRoom();
    const messages = await typed(await join(room, 1), ['a', 'b']);
    for (const [which, message] of messages.entries()) {
      for (let at = 0; at < message.length; at++) {
        const reader = await join(room, 2);
        const damaged = messages.map((one) => one.slice());
        const target = damaged[which];
        if (target) target[at] = (target[at] ?? 0) ^ 0x04;
        for (const one of damaged)
          await reader.receive(one).catch((error: unknown) => expect(error).toBeInstanceOf(DecodeError));
        expect(reader.text('t').toString(), `message ${which}, byte ${at}`).toBe('');
      }
    }
  });
});

describe('what comes before its ancestors', () => {
  it('[AD7] waits for them, in whatever order they come [fault 13]', async () => {
    const room = await openRoom();
    const packs = await standingOnEachOther(room, 6);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...packs.keys()], { minLength: packs.length }), async (order) => {
        const reader = await join(room, 9);
        for (const index of order) await reader.receive(packs[index] ?? new Uint8Array(0));
        expect(reader.text('t').toString()).toBe('6 5 4 3 2 1 ');
      }),
      { numRuns: 15 },
    );
  });

  it('[AD7] waits on the server for whoever brings them, and is relayed as its author’s', async () => {
    const room = await openRoom();
    const [first = new Uint8Array(0), second = new Uint8Array(0)] = await standingOnEachOther(room, 2);
    const commits: Commit[] = [];
    room.onCommit((commit) => commits.push(commit));
    expect(reasons(await room.admit(second, { from: 'two', session: 's2' }))).toEqual(['missing-parent']);
    expect(room.seq).toBe(0);
    expect(reasons(await room.admit(first, { from: 'one', session: 's1' }))).toEqual([]);
    await room.settled();
    expect(room.text('t')).toBe('2 1 ');
    expect(commits.flatMap(({ parts }) => parts.map(({ origin }) => origin.from))).toEqual(['one', 'two']);
  });

  it('[AD7] is one session’s: it is gone with the session, and nobody else’s seal brings it in', async () => {
    const room = await openRoom();
    const writer = await join(room, 1);
    const messages = await typed(writer, ['a', 'b']);
    const [unsealed = new Uint8Array(0), seal = new Uint8Array(0)] = messages;
    await room.admit(unsealed, { from: 'p', session: 's1' });
    expect(reasons(await room.admit(seal, { from: 'p', session: 's2' }))).toEqual(['missing-parent']);
    room.intake.forget('s1');
    expect(reasons(await room.admit(seal, { from: 'p', session: 's1' }))).toEqual(['missing-parent']);
    expect(room.seq).toBe(0);
    const pack = (await writer.seal()) ?? new Uint8Array(0);
    expect(reasons(await room.admit(pack, { from: 'p', session: 's1' }))).toEqual([]);
    expect(room.text('t')).toBe('ab');
  });
});
