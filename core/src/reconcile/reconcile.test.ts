import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/bytes/bytes.js';
import { IntColumn } from '../codec/bytes/columns.js';
import { Graph } from '../graph/graph.js';
import { HeldIds } from './held-ids.js';
import { Initiator } from './initiator.js';
import type { Message } from './messages.js';
import { Responder } from './responder.js';
import { symbolCells, writeSymbols } from './symbols.js';
import { type Dialogue, type DialogueOptions, talk } from './testing/dialogue.js';
import { twoReplicas } from './testing/random-rooms.js';
import { WrittenRoom, idsOf, lackedBy, send } from './testing/rooms.js';

const replicas = fc.array(fc.nat(2 ** 30), { maxLength: 120, size: 'max' }).map((numbers) => twoReplicas(numbers));

/** Checks that both sides know exactly what the other lacks. */
function reconciled(one: Graph, other: Graph, options: DialogueOptions = {}): Dialogue {
  const found = talk(new HeldIds(one), new HeldIds(other), options);
  expect(idsOf(one, found.sends)).toEqual(lackedBy(one, other));
  expect(idsOf(other, found.answers)).toEqual(lackedBy(other, one));
  for (const nodes of [found.sends, found.answers]) expect(nodes).toEqual(nodes.toSorted((a, b) => a - b));
  return found;
}

/** Chains of so many authors, each of so many nodes; merged ones end in one head. */
function roomOf(authors: number, nodes: number, merged = false): WrittenRoom {
  const room = new WrittenRoom();
  for (let node = 0; node < nodes; node++)
    for (let author = 0; author < authors; author++)
      room.write(author, merged ? [room.graph.size - 1].filter((n) => n >= 0) : []);
  return room;
}

/** Every author writes so many nodes more, given to the two sides in turn. */
function scattered(authors: number, nodes: number, more: number): readonly [Graph, Graph] {
  const room = roomOf(authors, nodes);
  const before = room.graph.size;
  for (let author = 0; author < authors; author++) for (let i = 0; i < more; i++) room.write(author);
  const side = (node: number): number => (node < before ? 2 : Math.floor((node - before) / more) % 2);
  return [room.replica((node) => side(node) !== 0), room.replica((node) => side(node) !== 1)];
}

/** Spoils all symbols that are not under a key. */
const spoilt = (message: Message): unknown =>
  'symbols' in message && !message.key
    ? { ...message, symbols: message.symbols.map((byte, at) => byte ^ at) }
    : message;

describe('a reconciliation', () => {
  it('[RC6] ends with both sides knowing exactly the difference', () => {
    fc.assert(
      fc.property(replicas, fc.boolean(), ([one, other], keyed) => {
        reconciled(one, other, { keyed });
        send(one, other, talk(new HeldIds(one), new HeldIds(other)).sends);
        // Where no symbols decode, which is rare, the tree of ids is walked: it has few levels for so few ids.
        expect(reconciled(one, other, { keyed }).steps.length).toBeLessThanOrEqual(13);
      }),
      { numRuns: 75 },
    );
  });

  it('[RC6] does so whatever becomes of the symbols', () => {
    fc.assert(
      fc.property(replicas, fc.boolean(), ([one, other], always) => {
        const garble = (message: Message): unknown =>
          always && 'symbols' in message
            ? { ...message, symbols: message.symbols.map((byte) => byte ^ 0x55) }
            : spoilt(message);
        reconciled(one, other, { onTheWay: garble });
      }),
      { numRuns: 100 },
    );
  });

  it('[RC7] tips tell it exactly where nobody has forked, and do no harm where somebody has', () => {
    // All symbols but the first, whose sum the tips are held against.
    const blurred = (message: Message): unknown =>
      message.step === 'differ'
        ? { ...message, symbols: message.symbols.map((byte, at) => (at < 14 ? byte : 1)) }
        : message;
    const numbers = fc.array(fc.nat(2 ** 30), { maxLength: 120, size: 'max' });
    let done = 0;
    fc.assert(
      fc.property(numbers, fc.boolean(), (drawn, forks) => {
        const { steps } = reconciled(...twoReplicas(drawn, forks), { onTheWay: blurred });
        if (!forks && steps.includes('tips')) expect(steps.at(-1)).toBe('done');
        if (steps.at(-1) === 'done') done++;
      }),
      { numRuns: 200 },
    );
    expect(done).toBeGreaterThan(50);
  });

  it('[RC6] of equal rooms is one question and one answer in 200 bytes', () => {
    for (const room of [roomOf(1, 5), roomOf(3, 5), roomOf(40, 2), new WrittenRoom()]) {
      const found = reconciled(
        room.replica(() => true),
        room.replica(() => true),
      );
      expect(found.steps).toEqual(['open', 'same']);
      expect(found.bytes).toBeLessThan(200);
    }
  });

  it('[RC6] heads are enough when one side is ahead', () => {
    const room = roomOf(3, 40, true);
    const [all, some] = [room.replica(() => true), room.replica((node) => node < 50)];
    expect(reconciled(some, all).steps).toEqual(['open', 'ahead']);
    expect(reconciled(all, some).steps).toEqual(['open', 'differ', 'ahead']);
    expect(reconciled(new Graph(), all).steps).toEqual(['open', 'ahead']);
    expect(reconciled(all, new Graph()).steps).toEqual(['open', 'differ', 'ahead']);
  });

  it('[RC6] a few differences take the first symbols, more of them some more', () => {
    const few = reconciled(...scattered(8, 50, 1));
    expect(few.steps).toEqual(['open', 'differ', 'want']);
    const more = reconciled(...scattered(100, 10, 1));
    expect(more.steps.slice(0, 4)).toEqual(['open', 'differ', 'ask', 'symbols']);
    expect(more.steps.at(-1)).toBe('want');
    expect(more.bytes).toBeLessThan(6_000);
  });

  it('[RC7] long gaps in few chains take tips', () => {
    const found = reconciled(...scattered(20, 5, 60));
    expect(found.steps).toEqual(['open', 'differ', 'tips', 'other-tips', 'done']);
    expect(found.bytes).toBeLessThan(1_500);
  });

  it('[RC7] tips of forked chains that would be wrong are noticed, and something else found out', () => {
    const room = roomOf(4, 10);
    const before = room.graph.size;
    const fork = room.tip(0);
    for (let i = 0; i < 150; i++) room.write(0, [], i === 0 ? fork : room.tip(0));
    const middle = room.graph.size;
    for (let i = 0; i < 140; i++) room.write(0, [], i === 0 ? fork : room.tip(0));
    for (let i = 0; i < 200; i++) room.write(1);
    const one = room.replica((node) => node < middle);
    const other = room.replica((node) => node < before || node >= middle);
    for (const [asking, asked, answer] of [
      [one, other, 'other-tips'],
      [other, one, 'no-tips'],
    ] as const) {
      const { steps } = reconciled(asking, asked);
      expect(steps.slice(0, 4)).toEqual(['open', 'differ', 'tips', answer]);
      expect(steps).toContain('symbols');
      expect(steps.at(-1)).toBe('want');
    }
  });

  it('[RC6] prepared symbols lead to symbols under a key, and these to the tree', () => {
    const pair = scattered(30, 10, 1);
    const keyed = reconciled(...pair, { onTheWay: spoilt });
    expect(keyed.steps).not.toContain('walk');
    expect(keyed.steps.at(-1)).toBe('want');
    const dark = (message: Message): unknown =>
      'symbols' in message ? { ...message, symbols: message.symbols.map(() => 0x80) } : message;
    const walked = reconciled(...pair, { onTheWay: dark });
    expect(walked.steps).toContain('walk');
    expect(walked.steps.at(-1)).toBe('want-whole');
    expect(walked.steps.filter((step) => step === 'ask').length).toBeLessThanOrEqual(6);
  });

  it('[RC6] answers as of its beginning while the room goes on', () => {
    const room = roomOf(60, 5);
    const before = room.graph.size;
    for (let author = 0; author < 60; author++) room.write(author);
    const [one, other] = [0, 1].map((side) => room.replica((node) => node < before || node % 2 === side)) as [
      Graph,
      Graph,
    ];
    const [lackedByOther, lackedByOne] = [lackedBy(one, other), lackedBy(other, one)];
    const [later, still] = [roomOf(60, 8).graph, new Set<number>()];
    const meanwhile = (): void => {
      for (const graph of [one, other]) {
        const next = [...new Array(later.size).keys()].find(
          (node) => graph.find(later.idOf(node)) < 0 && !still.has(node),
        );
        if (next === undefined) continue;
        if ([...later.ancestors(next)].every((node) => graph.find(later.idOf(node)) >= 0)) send(later, graph, [next]);
      }
    };
    const found = talk(new HeldIds(one), new HeldIds(other), { meanwhile });
    expect(found.steps.at(-1)).toBe('want');
    expect(idsOf(one, found.sends)).toEqual(lackedByOther);
    expect(idsOf(other, found.answers)).toEqual(lackedByOne);
  });
});

describe('messages', () => {
  const room = roomOf(40, 3);
  const one = new HeldIds(room.replica((node) => node % 3 !== 0 || node < 100));
  const other = new HeldIds(room.replica((node) => node < 110));

  it('[RC6] that do not follow are refused, and nothing is taken after that', () => {
    const responder = new Responder(other);
    expect(() => responder.receive({ step: 'ask', from: 0, count: 1, keyed: false })).toThrow(DecodeError);
    expect(() => responder.receive(new Initiator(one).open())).toThrow(DecodeError);
    expect(responder.send).toBeUndefined();

    const initiator = new Initiator(one);
    expect(() => initiator.receive({ step: 'same' })).toThrow(DecodeError);
    const opened = new Initiator(one);
    const differ = new Responder(other).receive(opened.open())!;
    expect(differ.step).toBe('differ');
    opened.receive(differ);
    expect(() => opened.receive(differ)).toThrow(DecodeError);
  });

  it('[RC6] done stands only behind tips', () => {
    const responder = new Responder(other);
    responder.receive(new Initiator(one).open());
    expect(() => responder.receive({ step: 'done', sends: 0 })).toThrow(DecodeError);
  });

  it.each([
    ['ours that we do not hold', -1, [1, 2]],
    ['theirs that we hold', 1, one.graph.table.ids.values.subarray(0, 2)],
  ] as const)('[RC6] symbols that decode to ids of %s are not believed', (_what, sign, id) => {
    const cells = one.symbols.asOf(one.graph.settled).upTo(32);
    const places = new IntColumn();
    symbolCells(Int32Array.from(id), 0, 32, places);
    cells.toggle(Int32Array.from(id), 0, places, sign);
    const opened = new Initiator(one);
    opened.open();
    const size = one.graph.settled + sign;
    expect(opened.receive({ step: 'differ', size, symbols: writeSymbols(cells, 0) })).toMatchObject({ keyed: true });
    expect(opened.send).toBeUndefined();
  });

  it('[RC6] other counts of symbols than were asked for are refused', () => {
    const opened = new Initiator(one);
    const differ = new Responder(other).receive(opened.open()) as Extract<Message, { step: 'differ' }>;
    expect(() => opened.receive({ ...differ, symbols: differ.symbols.subarray(14) })).toThrow(DecodeError);
  });

  it.each([
    ['symbols beyond the last', { step: 'ask', from: 65_536, count: 1, keyed: false }],
    ['very many', { step: 'ask', from: 0, count: 2 ** 31, keyed: true }],
    ['a count that is none', { step: 'ask', from: -1, count: 1, keyed: false }],
    ['tips that are cut off', { step: 'tips', tips: new Uint8Array(16) }],
    ['half a short id', { step: 'want', ids: new Uint8Array(12), sends: 0 }],
    ['half an id', { step: 'want-whole', ids: new Uint8Array(40), sends: 0 }],
    ['too many paths', { step: 'walk', paths: Array.from({ length: 257 }, () => '') }],
    ['an unknown step', { step: 'x' }],
    ['nothing', undefined],
    ['the message of the other side', { step: 'same' }],
  ])('[RC6] %s: refused', (_what, message) => {
    const responder = new Responder(other);
    responder.receive(new Initiator(one).open());
    expect(() => responder.receive(message)).toThrow(DecodeError);
  });

  it('[RC6] symbols are asked for so many times, no more', () => {
    const responder = new Responder(other);
    responder.receive(new Initiator(one).open());
    const ask = { step: 'ask', from: 0, count: 10, keyed: false };
    for (let asked = 0; asked < 6; asked++) expect(responder.receive(ask)?.step).toBe('symbols');
    expect(() => responder.receive(ask)).toThrow(DecodeError);
  });

  it('[RC7] tips that name what nobody has, or far too long chains, lack nothing of ours', () => {
    const responder = new Responder(other);
    responder.receive(new Initiator(one).open());
    const tip = [...new Array(16).keys(), 0xff, 0xff, 0xff, 0xff, 0x0f];
    const answer = responder.receive({
      step: 'tips',
      tips: Uint8Array.from([...tip, ...tip.map((byte) => byte ^ 1)].slice(0, 21)),
    });
    expect(answer).toMatchObject({ step: 'other-tips', sends: other.graph.settled });
    const bare = new Responder(other);
    bare.receive(new Initiator(one).open());
    expect(() => bare.receive({ step: 'tips', tips: new Uint8Array(2 ** 15 * 20) })).toThrow(DecodeError);
  });

  it('[RC6] a side that wants what is not there gets nothing for it', () => {
    const responder = new Responder(other);
    responder.receive(new Initiator(one).open());
    expect(responder.receive({ step: 'want', ids: new Uint8Array(80), sends: 0 })).toBeUndefined();
    expect(responder.send).toEqual([]);
  });

  const value = fc.oneof(
    fc.nat(),
    fc.constant(2 ** 31),
    fc.boolean(),
    fc.uint8Array({ maxLength: 600 }),
    fc.string(),
    fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
    fc.constant(undefined),
  );
  const mutation = fc.record({ step: fc.nat(12), field: fc.nat(7), value, flip: fc.option(fc.nat()) });

  it('[RC6] changed on the way never do more than end it', () => {
    let ended = 0;
    let failed = 0;
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), fc.boolean(), (mutations, dark) => {
        let count = 0;
        const onTheWay = (message: Message): unknown => {
          const fields: Record<string, unknown> = { ...message };
          for (const { step, field, value: put, flip } of mutations.filter((one) => one.step === count)) {
            const name = Object.keys(fields)[field % Object.keys(fields).length]!;
            const old = fields[name];
            fields[name] =
              flip !== null && old instanceof Uint8Array && old.length > 0
                ? old.with(flip % old.length, old[flip % old.length]! ^ (1 + (step % 8)))
                : put;
          }
          count++;
          if (dark && fields['symbols'] instanceof Uint8Array) fields['symbols'] = fields['symbols'].map(() => 3);
          return fields;
        };
        try {
          talk(one, other, { onTheWay });
          ended++;
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
          failed++;
        }
        expect(count).toBeLessThan(40);
      }),
      { numRuns: 500 },
    );
    expect(Math.min(ended, failed)).toBeGreaterThan(20);
  });
});
