import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { Graph } from '../../graph/graph.js';
import { NO_ROOM } from '../../graph/node.js';
import { type Node, addTo, identify } from '../../graph/testing/nodes.js';
import { keyOf, mandate } from '../../testing/story.js';
import { Speakers } from './speakers.js';

const PEOPLE = ['root', 'one', 'two', 'phone', 'tablet', 'eve'];
const set = (key: string, value: unknown) => [{ kind: 'set' as const, key, value: encodeValue(value) }];
const genesis = identify({ room: NO_ROOM, author: keyOf('root'), parents: [], ops: set('\0genesis', 1) });

/** What each of them introduces itself with, and what can be taken back, each with its name. */
const introductions = new Map<string, readonly [key: string, value: Uint8Array]>();
const revocations: { readonly name: string; readonly key: string; readonly value: unknown }[] = [];

beforeAll(async () => {
  for (const name of ['one', 'two']) {
    introductions.set(name, [`\0signer/${keyOf(name)}`, await mandate('signer', 'root', name)]);
    const value = await mandate('signer-revoked', 'root', name);
    revocations.push({ name, key: `\0signer-revoked/${keyOf(name)}`, value });
  }
  for (const name of ['phone', 'tablet']) {
    introductions.set(name, [`\0delegate/${keyOf(name)}`, await mandate('delegate', 'subject', name)]);
    const value = await mandate('delegate-revoked', 'subject', name);
    revocations.push({ name, key: `\0delegate-revoked/${keyOf(name)}`, value });
  }
  revocations.push({ name: 'subject', key: `\0subject-revoked/${keyOf('subject')}`, value: { by: 'root' } });
});

interface Step {
  readonly by: number;
  readonly introduces: boolean;
  readonly revokes: number;
  readonly on: readonly number[];
}

const steps = fc.array(
  fc.record({
    by: fc.nat({ max: PEOPLE.length - 1 }),
    introduces: fc.boolean(),
    revokes: fc.nat({ max: 9 }),
    on: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
  }),
  { maxLength: 30 },
);

/** A node, and what a reader who goes through all that it stands on makes of it. */
interface Traced {
  readonly node: Node;
  readonly by: string;
  readonly past: ReadonlySet<Traced>;
  readonly introduced: boolean;
  /** Whom it takes back, if it may. */
  readonly revokes: string | undefined;
  readonly speaks: boolean;
  readonly subject: string;
}

function trace(told: readonly Step[]): Traced[] {
  const traced: Traced[] = [
    {
      node: genesis,
      by: 'root',
      past: new Set(),
      introduced: false,
      revokes: undefined,
      speaks: true,
      subject: keyOf('root'),
    },
  ];
  const tips = new Map<string, Traced>();
  for (const { by: number, introduces, revokes: number2, on } of told) {
    const by = PEOPLE[number]!;
    const prev = tips.get(by);
    const below = new Set([...on.map((place) => traced[place % traced.length]!), ...(prev ? [] : [traced[0]!])]);
    if (prev) below.delete(prev);
    const past = new Set([...below, ...(prev ? [prev] : [])].flatMap((one) => [one, ...one.past]));
    const introduction = introductions.get(by);
    const isFirst = !prev && introduces && introduction !== undefined;
    const introduced = isFirst || (prev?.introduced ?? false);
    const gone = new Set([...past].map(({ revokes }) => revokes));
    const isSigner = introduced && (by === 'one' || by === 'two') && !gone.has(by);
    const isDelegate = introduced && (by === 'phone' || by === 'tablet') && !gone.has(by) && !gone.has('subject');
    const speaks = by === 'root' || isSigner;
    const revocation = isFirst ? undefined : revocations[number2];
    const ops = isFirst
      ? set(...introduction)
      : revocation
        ? set(revocation.key, revocation.value)
        : set('a', traced.length);
    const links = { parents: [...below].map(({ node }) => node.id).sort(), ...(prev ? { prev: prev.node.id } : {}) };
    const node = identify({ room: genesis.id, author: keyOf(by), ...links, ops });
    const one = {
      node,
      by,
      past,
      introduced,
      revokes: speaks ? revocation?.name : undefined,
      speaks,
      subject: keyOf(isDelegate ? 'subject' : by),
    };
    traced.push(one);
    tips.set(by, one);
  }
  return traced;
}

describe('speakers', () => {
  it('[MA3] [SU1] are for every node whom its causal past makes them, in whatever pieces it comes and goes', () => {
    fc.assert(
      fc.property(steps, fc.nat({ max: 30 }), fc.nat({ max: 30 }), (told, first, back) => {
        const traced = trace(told);
        const cut = Math.max(1, Math.min(first, traced.length));
        const graph = new Graph();
        const speakers = new Speakers(graph, new Set([keyOf('root')]), genesis.id);
        addTo(
          graph,
          traced.slice(0, cut).map(({ node }) => node),
        );
        graph.settle();
        speakers.follow();
        for (let times = back % 2; times >= 0; times--) {
          addTo(
            graph,
            traced.slice(cut).map(({ node }) => node),
          );
          speakers.follow();
          if (times === 0) break;
          graph.rewind();
          speakers.truncate(graph.settled);
        }
        for (const [place, { by, speaks, subject }] of traced.entries()) {
          const voice = speakers.voiceAt(keyOf(by), speakers.pastOf(place));
          expect([place, speakers.speaks(place), voice]).toEqual([place, speaks, { speaks, subject }]);
        }
        const gone = new Set(traced.map(({ revokes }) => revokes).filter((name) => name !== undefined));
        expect(speakers.revoked.size).toBe(gone.size);
      }),
    );
  });

  it('[SU2] name the subject of a key from now on, and the key where there is none', async () => {
    const graph = new Graph();
    const speakers = new Speakers(graph, new Set([keyOf('root')]), genesis.id);
    const phone = identify({
      room: genesis.id,
      author: keyOf('phone'),
      parents: [genesis.id],
      ops: set(...introductions.get('phone')!),
    });
    addTo(graph, [genesis, phone]);
    graph.settle();
    speakers.follow();
    expect(speakers.voiceNow(keyOf('phone'))).toEqual({ speaks: false, subject: keyOf('subject') });
    expect(speakers.voiceNow(keyOf('eve'))).toEqual({ speaks: false, subject: keyOf('eve') });
    expect(await mandate('delegate', 'subject', 'phone')).toEqual(introductions.get('phone')![1]);
  });

  it('[MA2] says nothing of a key by a node of another room, or one that holds anything else', () => {
    const [key, value] = introductions.get('one')!;
    for (const other of [
      { room: 'cd'.repeat(32) as typeof genesis.id, ops: set(key, value) },
      { room: genesis.id, ops: [...set(key, value), ...set('a', 1)] },
    ]) {
      const graph = new Graph();
      const speakers = new Speakers(graph, new Set([keyOf('root')]), genesis.id);
      addTo(graph, [genesis, identify({ author: keyOf('one'), parents: [genesis.id], ...other })]);
      speakers.follow();
      expect([speakers.speaks(1), speakers.hasSpoken(keyOf('one'))]).toEqual([false, false]);
    }
  });
});
