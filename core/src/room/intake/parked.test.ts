import { Speakers } from '../state/speakers.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import type { Replica } from '../../client/replica/replica.js';
import { NodeCopy } from '../../codec/nodes/node-copy.js';
import type { Op } from '../../codec/nodes/op.js';
import { writeMessage } from '../../codec/packs/pack.js';
import { type NodeId, type PublicKey, NO_ROOM, weightOf } from '../../graph/node.js';
import { RUN_NODES } from '../../graph/seal.js';
import { type Node, graphOf, identify, tableOf } from '../../graph/testing/nodes.js';
import { guests, quiet } from '../../testing/guests.js';
import { join, open } from '../../testing/open-rooms.js';
import { Budget } from '../../wire/budget.js';
import { Judgement } from '../admission/judgement.js';
import { permittingBy } from '../admission/permissions.js';
import type { Room } from '../room.js';
import { Laws } from '../state/laws.js';
import { PARKED, Parked } from './parked.js';

const MUCH = 2 ** 40;
const used = (budget: Budget): number => MUCH - budget.free;

/** Messages without a seal, one node each, and at last the one that seals them. */
async function typed(replica: Replica, nodes: number): Promise<Uint8Array[]> {
  const messages: (Uint8Array | undefined)[] = [];
  for (let i = 0; i < nodes - 1; i++) {
    replica.set('k', i);
    messages.push(replica.message());
  }
  replica.set('k', 'last');
  messages.push(await replica.sealedMessage());
  return messages.map((message) => message ?? new Uint8Array(0));
}

const admit = (room: Room, session: string, message: Uint8Array) => room.admit(message, { from: session, session });

/** What three nodes weigh that wait for their seal. */
async function weightOfThree(): Promise<number> {
  const budget = new Budget(MUCH);
  const room = await open(memoryStore(), { parked: budget });
  for (const message of (await typed(await join(room), 4)).slice(0, 3)) await admit(room, 'a', message);
  return used(budget);
}

describe('what waits in a room', () => {
  it.each([
    [0, 1],
    [-1, 0],
  ])('[LM7] may weigh so much, not more: with %i left over, %i is taken with its seal', async (left, taken) => {
    const room = await open(memoryStore(), { parked: new Budget((await weightOfThree()) + left) });
    const messages = await typed(await join(room), 4);
    const verdicts = [];
    for (const message of messages) verdicts.push(await admit(room, 'a', message));
    expect(verdicts.slice(0, 3).map(({ refused }) => refused[0]?.reason)).toEqual(Array(3).fill('unsealed'));
    expect([verdicts[3]?.accepted, room.seq > 0]).toEqual([taken, taken === 1]);
  });

  it.each([
    [0, 'room'],
    [-1, 'room'],
    [0, 'host'],
    [-1, 'host'],
  ])('[LM7] shares that with others: with %i left over in the %s, who came first keeps all', async (left, of) => {
    const limit = 2 * (await weightOfThree()) + left;
    const host = new Budget(of === 'host' ? limit : MUCH);
    const budget = (): Budget => new Budget(of === 'room' ? limit : MUCH, host);
    const first = await open(memoryStore(), { parked: budget() });
    const second = of === 'room' ? first : await open(memoryStore(), { parked: budget() });
    const [early, late] = [await typed(await join(first), 4), await typed(await join(second), 4)];
    for (const message of early.slice(0, 3)) await admit(first, 'a', message);
    for (const message of late.slice(0, 3)) await admit(second, 'b', message);
    expect((await admit(second, 'b', late[3]!)).accepted).toBe(left === 0 ? 1 : 0);
    expect((await admit(first, 'a', early[3]!)).accepted).toBe(1);
  });

  it('[LM7] is counted no more when it is taken, when its session has gone, and when the room is put away', async () => {
    const budget = new Budget(MUCH);
    const room = await open(memoryStore(), { parked: budget });
    const messages = await typed(await join(room), 3);
    for (const message of messages.slice(0, 2)) await admit(room, 'a', message);
    expect(used(budget)).toBeGreaterThan(0);
    await admit(room, 'a', messages[2]!);
    expect([used(budget), room.get('k')]).toEqual([0, 'last']);
    const others = await typed(await join(room), 3);
    for (const session of ['a', 'b', 'c']) await admit(room, session, others[0]!);
    const one = used(budget) / 3;
    room.intake.forget('b');
    expect(used(budget)).toBe(2 * one);
    room.intake.forgetAll();
    expect(used(budget)).toBe(0);
  });

  it('[LM7] is counted no more when the host shuts the room, whoever had sent it', async () => {
    const { host } = guests({ limits: { hostParkedBytes: await weightOfThree() } });
    for (let time = 0; time < 2; time++) {
      const room = await host.room('room');
      const messages = await typed(await join(room), 4);
      let accepted = 0;
      for (const message of messages) ({ accepted } = await admit(room, 'embedded', message));
      expect(accepted).toBe(1);
      for (const message of (await typed(await join(room), 4)).slice(0, 3)) await admit(room, 'embedded', message);
      await host.quarantine(room.id, 'a test');
      await host.resume(room.id);
    }
    await host.close();
  });

  it('[LM7] of a session that goes while it is judged is not kept', async () => {
    const budget = new Budget(MUCH);
    const room = await open(memoryStore(), { parked: budget });
    const [missing, ...late] = await typed(await join(room), 3);
    const judged = late.map((message) => admit(room, 'a', message));
    room.intake.forget('a');
    expect((await Promise.all(judged)).map(({ accepted }) => accepted)).toEqual([0, 0]);
    expect([missing?.length !== 0, used(budget)]).toEqual([true, 0]);
  });

  it('[LM7] is counted too when it came while something else was judged', async () => {
    const budget = new Budget(MUCH);
    const room = await open(memoryStore(), { parked: budget });
    const [sealed, early] = [await typed(await join(room), 1), await typed(await join(room), 4)];
    const judged = admit(room, 'a', sealed[0]!);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve(); // its seal is being checked
    for (const message of early.slice(0, 3)) await admit(room, 'a', message);
    expect([used(budget), (await judged).accepted]).toEqual([0, 1]);
    await quiet();
    expect(used(budget)).toBe(await weightOfThree());
  });

  it('[LM7] of nobody who can be told apart is not kept', async () => {
    const budget = new Budget(MUCH);
    const room = await open(memoryStore(), { parked: budget });
    const [message = new Uint8Array(0)] = await typed(await join(room), 2);
    await room.admit(message, { from: 'somebody' });
    expect(used(budget)).toBe(0);
  });

  it('[LM7] never weighs more than it may, whatever comes and goes, and nothing when all have gone', async () => {
    const limit = 4 * (await weightOfThree());
    const signer = defaultCrypto.signer(new Uint8Array(32).fill(1));
    const room = await open(memoryStore(), { signer });
    const streams = await Promise.all(['a', 'b', 'c'].map(async () => typed(await join(room), 12)));
    let most = 0;
    const step = fc.record({ who: fc.nat(2), what: fc.constantFrom('park', 'park', 'park', 'seal', 'skip', 'leave') });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const host = new Budget(MUCH);
      const fresh = await open(memoryStore(), { signer, parked: new Budget(limit, host) });
      const next = [0, 0, 0];
      const under: Promise<unknown>[] = [];
      for (const { who, what } of steps) {
        const name = 'abc'[who]!;
        const [at, stream] = [next[who]!, streams[who]!];
        if (what === 'leave') fresh.intake.forget(name);
        else if (what === 'seal') under.push(admit(fresh, name, stream.at(-1)!));
        else if (what === 'park' && at < stream.length) under.push(admit(fresh, name, stream[at]!));
        if (what !== 'leave') next[who] = at + 1;
        if (what === 'skip') await Promise.all(under);
        most = Math.max(most, used(host));
      }
      await Promise.all(under);
      most = Math.max(most, used(host));
      fresh.intake.forgetAll();
      expect(used(host)).toBe(0);
    });
    await fc.assert(property, { numRuns: 30 });
    expect([most > limit / 2, most <= limit]).toEqual([true, true]);
  });
});

const key = (letter: string): PublicKey => letter.repeat(64) as PublicKey;
const genesis = identify({ room: NO_ROOM, author: key('0'), parents: [], ops: [{ kind: 'delete', key: '\0genesis' }] });
const stranger = key('e') as string as NodeId;
const authorities = new Set([key('0')]);

function judge(parked: Parked, size: number, sealed: readonly number[]): Judgement {
  const graph = graphOf([genesis]);
  const seals = sealed.map((index) => ({ index, signature: new Uint8Array(64), valid: true }));
  const speakers = new Speakers(graph, authorities);
  const rules = { genesis: genesis.id, speakers, runNodes: RUN_NODES, takesHeaders: false, isServer: true };
  return new Judgement({ table: parked.table, size, seals }, graph, {
    ...rules,
    permitting: permittingBy(new Laws(graph, speakers)),
  });
}

let count = 0;
function nodeOn(parent: NodeId, ops: number): Node {
  const deleted = Array.from({ length: ops }, (): Op => ({ kind: 'delete', key: `k${count % 5}` }));
  return identify({ room: genesis.id, author: key('a'), wallMs: ++count, parents: [parent], ops: deleted });
}

function add(parked: Parked, node: Node): void {
  new NodeCopy(tableOf([node]), parked.table).copy(0, 0);
}

function heldIn(parked: Parked, waiting: number): number {
  let weight = 0;
  for (let place = 0; place < waiting; place++) weight += weightOf(parked.table, place);
  return weight;
}

describe('the nodes of one peer', () => {
  it('[LM7] are counted as what is held of them, whatever becomes of them', () => {
    const step = fc.oneof(
      fc.record({ ops: fc.integer({ min: 1, max: 9 }), isOrphan: fc.boolean(), waits: fc.boolean() }),
      fc.record({ judged: fc.nat(20), sealed: fc.nat(20) }),
      fc.record({ ofOthers: fc.nat(8000) }),
    );
    const property = fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const shared = new Budget(10_000);
      const parked = new Parked(shared);
      let [waiting, others] = [0, 0];
      let parent: Node | undefined; // of the node that came last
      for (const does of steps) {
        if ('ops' in does) {
          if (parent) add(parked, parent);
          parent = parent ? undefined : nodeOn(does.isOrphan ? stranger : genesis.id, does.ops);
          if (parent) add(parked, nodeOn(parent.id, 1));
          if (!does.waits) continue;
          waiting = parked.trim(parked.table.size);
        } else if ('judged' in does) {
          parked.sort(parked.table.size);
          const size = Math.min(does.judged, parked.table.size);
          const sealed = [does.sealed].filter((index) => index < size);
          waiting = parked.keep(judge(parked, size, sealed), parked.table.size);
        } else {
          const weight = Math.min(does.ofOthers, others + shared.free);
          shared.take(weight - others);
          others = weight;
        }
        expect(10_000 - shared.free - others).toBe(heldIn(parked, waiting));
        expect(shared.free).toBeGreaterThanOrEqual(0);
      }
      parked.close();
      expect(10_000 - shared.free - others).toBe(0);
    });
    fc.assert(property, { numRuns: 150 });
  });

  it('[AD7] are bounded so while something else is judged: what comes then is read later', async () => {
    const room = await open(memoryStore());
    const [sealed] = await typed(await join(room), 1);
    const { id } = room.genesis;
    const ops = Array.from({ length: 20_000 }, (): Op => ({ kind: 'delete', key: 'k' }));
    const heavy = Array.from({ length: 20 }, (_, wallMs) =>
      identify({ room: id, author: key('a'), wallMs, parents: [id], ops }),
    ).map((node) => writeMessage(tableOf([node]), [0], []));
    const judged = admit(room, 'a', sealed!);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve(); // its seal is being checked
    let read = 0;
    const all = heavy.map((message) => admit(room, 'a', message).then(() => read++));
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect([read > 0, read < 10]).toEqual([true, true]);
    await Promise.all([judged, ...all]);
  });

  it('[AD7] are bounded by all that they take, not by their values alone', async () => {
    const budget = new Budget(MUCH);
    const room = await open(memoryStore(), { parked: budget });
    const { id } = room.genesis;
    const ops = Array.from({ length: 20_000 }, (): Op => ({ kind: 'delete', key: 'k' }));
    for (let i = 0; i < 20; i++) {
      const node = identify({ room: id, author: key('a'), wallMs: i, parents: [id], ops });
      await admit(room, 'a', writeMessage(tableOf([node]), [0], []));
      expect(used(budget)).toBeLessThanOrEqual(PARKED.weight);
    }
    expect(used(budget)).toBeGreaterThan(0);
  });
});
