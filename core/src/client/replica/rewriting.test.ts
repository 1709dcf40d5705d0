import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { createHost } from '../../engine.js';
import { createReplica, generateKeys } from '../../peer.js';
import type { Verdict } from '../../room/admission/judgement.js';
import type { Room } from '../../room/room.js';
import type { Replica } from './replica.js';
import { undoableText } from '../editing/undoable-text.js';

/** Only the room's authority writes there. */
const FORBIDDEN = '_topology/x';

const newRoom = async (): Promise<Room> => {
  const room = await createHost({ store: memoryStore() }).room('room');
  await room.set('exists', true);
  return room;
};
const join = async (room: Room, keys = generateKeys()): Promise<Replica> => {
  const replica = await createReplica({ genesis: room.genesis.pack, keys });
  await pull(replica, room);
  return replica;
};
const pull = async (replica: Replica, room: Room): Promise<void> => {
  for (const pack of room.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
};

/** Pushes, and tells the replica what became of it. */
async function offer(replica: Replica, room: Room): Promise<Verdict> {
  const sent = await replica.seal();
  if (!sent) return { accepted: 0, duplicates: 0, refused: [] };
  const verdict = await room.admit(sent, { from: 'peer' });
  replica.confirm(sent, verdict.refused);
  return verdict;
}

/** Pushes until nothing is left: each time what was refused is given up. */
async function push(replica: Replica, room: Room): Promise<number> {
  for (let round = 1; round < 10; round++) if ((await offer(replica, room)).refused.length === 0) return round;
  throw new Error('something is refused again and again');
}

async function expectSame(replica: Replica, room: Room): Promise<void> {
  expect(await replica.seal()).toBeUndefined();
  expect([replica.frontier, replica.stateHash]).toEqual([room.heads.frontier, room.stateHash]);
}

/** Two replicas in a room, and what forbids one key there: they have not heard of it when they write. */
async function governed() {
  const host = createHost({ store: memoryStore() });
  const room = await host.room('room');
  await room.set('exists', true);
  const rules = [{ path_glob: 'mine', can_write: [] }];
  return {
    room,
    keys: [await join(room), await join(room)] as const,
    govern: () => host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules } } }),
  };
}

describe('nodes of another key that were refused', () => {
  it('[RE6] go with what else of that key stands on them, and own writes on top are written anew', async () => {
    const { room, keys, govern } = await governed();
    const [other, own] = keys;
    other.set('before', 1);
    other.set('mine', 1);
    other.text('t').insert(0, 'theirs');
    other.list('l').push('theirs');
    await own.receive((await other.seal())!);
    own.text('t').insert(6, ', mine');
    own.list('l').push('mine');
    own.set('k', own.get('mine'));
    expect(own.get('k')).toBe(1);
    const refused: unknown[] = [];
    own.onRefused((held) => refused.push(held));
    await govern();
    const lost = await (async () => {
      const sent = await other.seal();
      return other.confirm(sent, (await room.admit(sent!, { from: 'peer' })).refused);
    })();
    own.giveUp(lost.map(({ id }) => id));
    own.giveUp([...lost.map(({ id }) => id), 'ab'.repeat(32)]);
    expect([own.get('mine'), own.text('t').toString(), own.list('l').toArray()]).toEqual([
      undefined,
      ', mine',
      ['mine'],
    ]);
    await push(other, room);
    await push(own, room);
    await pull(own, room);
    await pull(other, room);
    for (const replica of [own, other]) await expectSame(replica, room);
    expect([room.get('before'), room.get('k'), refused]).toEqual([1, 1, []]);
    expect([...room.text('t')].sort().join('')).toBe([...'theirs, mine'].sort().join(''));
    expect(room.list('l').sort()).toEqual(['mine', 'theirs']);
  });

  it('[RE6] are given up in whatever order the two keys have written', async () => {
    const step = fc.record({
      who: fc.nat(1),
      what: fc.constantFrom('text', 'item', 'set', 'forbidden', 'tell'),
      at: fc.nat(30),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { room, keys, govern } = await governed();
        let [typed, items] = [0, 0];
        for (const { who, what, at } of steps) {
          const replica = keys[who]!;
          const text = replica.text('t');
          const list = replica.list('l');
          if (what === 'text') text.insert(at % (text.length + 1), String(typed++ % 10));
          if (what === 'item') list.insert(at % (list.length + 1), items++);
          if (what === 'set') replica.set(`k${at % 3}`, at);
          if (what === 'forbidden' && who === 0) replica.set('mine', at);
          const nodes = what === 'tell' ? await replica.seal() : undefined;
          if (nodes) await keys[1 - who]!.receive(nodes);
        }
        await govern();
        const [first, second] = keys;
        for (let round = 0; round < 30; round++) {
          const sent = await first.seal();
          if (!sent) break;
          const { refused } = await room.admit(sent, { from: 'peer' });
          second.giveUp(first.confirm(sent, refused).map(({ id }) => id));
          await offer(second, room);
        }
        await push(second, room);
        for (const replica of keys) await pull(replica, room);
        for (const replica of keys) await expectSame(replica, room);
        expect([room.text('t').length, room.list('l').length]).toEqual([typed, items]);
      }),
      { numRuns: 8 },
    );
  });
});

describe('what stands on a refused node', () => {
  it('[RE3] is written anew and sealed again, and what stood before is kept', async () => {
    const room = await newRoom();
    const replica = await join(room);
    replica.set('before', 1);
    const [before] = replica.frontier;
    replica.set(FORBIDDEN, 1);
    replica.set('after', 1);
    const [after] = replica.frontier;
    const { refused } = await offer(replica, room);
    expect(refused.map(({ reason }) => reason)).toEqual(['run-refused', 'foreign-system-key', 'run-refused']);
    expect([replica.get('before'), replica.get(FORBIDDEN), replica.get('after')]).toEqual([1, undefined, 1]);
    expect(await offer(replica, room)).toMatchObject({ accepted: 2, refused: [] });
    expect(room.nodes.lacks([before!, after!])).toEqual([after]);
    await expectSame(replica, room);
  });

  it('[RE3] is given up alone when nothing else was written', async () => {
    const room = await newRoom();
    const replica = await join(room);
    replica.set(FORBIDDEN, 1);
    expect((await offer(replica, room)).refused).toHaveLength(1);
    await expectSame(replica, room);
    replica.set('k', 1);
    expect(await push(replica, room)).toBe(1);
    await expectSame(replica, room);
  });

  it('[RE3] keeps its place among the writes of others', async () => {
    const room = await newRoom();
    const [early, late] = [await join(room), await join(room)];
    early.set(FORBIDDEN, 1);
    early.set('k', 'early');
    late.set('k', 'in between');
    late.set('k', 'late');
    late.set('k', 'later');
    await push(late, room);
    await pull(early, room);
    expect(early.get('k')).toBe('later');
    expect(await push(early, room)).toBe(2);
    expect([early.get('k'), room.get('k')]).toEqual(['later', 'later']);
    await expectSame(early, room);
  });

  it('[RE3] knows what the refused node had joined', async () => {
    const room = await newRoom();
    const [here, there] = [await join(room), await join(room)];
    there.text('t').insert(0, 'theirs');
    await push(there, room);
    await pull(here, room);
    here.set(FORBIDDEN, 1); // stands on what the other wrote; the next one does through it
    here.text('t').insert(3, '-ours-');
    here.text('t').delete(0, 3);
    await push(here, room);
    expect(room.text('t')).toBe('-ours-irs');
    await expectSame(here, room);
  });

  it('[RE3] stays in a text where it stood, without what is given up', async () => {
    const room = await newRoom();
    const replica = await join(room);
    const text = replica.text('t');
    text.insert(0, 'one three');
    replica.batch(() => {
      replica.set(FORBIDDEN, 1);
      text.insert(4, 'LOST ');
      text.delete(0, 1);
    });
    text.insert(10, 'two ');
    expect(text.toString()).toBe('ne LOST thtwo ree');
    text.delete(3, 2);
    text.insert(0, '> ');
    await push(replica, room);
    expect([text.toString(), room.text('t')]).toEqual(['> one thtwo ree', '> one thtwo ree']);
    text.insert(0, '! ');
    await push(replica, room);
    await expectSame(replica, room);
  });

  it('[RE3] comes where the given up was when it stood beside it', async () => {
    const room = await newRoom();
    const replica = await join(room);
    const text = replica.text('t');
    text.insert(0, 'ab');
    replica.batch(() => {
      text.insert(1, 'LOST');
      replica.set(FORBIDDEN, 1);
    });
    text.insert(3, '-');
    text.delete(0, 5);
    text.insert(0, '+');
    await push(replica, room);
    expect(text.toString()).toBe('+b');
    await expectSame(replica, room);
  });

  it('[RE3] moves the items of a list that are left', async () => {
    const room = await newRoom();
    const replica = await join(room);
    const list = replica.list('l');
    for (const item of ['a', 'b', 'c']) list.insert(list.length, item);
    replica.batch(() => {
      replica.set(FORBIDDEN, 1);
      list.insert(0, 'LOST');
    });
    list.move(0, 3);
    list.move(1, 0);
    list.insert(0, 'd');
    list.delete(2);
    const items = list.toArray().filter((item) => item !== 'LOST');
    await push(replica, room);
    expect([list.toArray(), room.list('l')]).toEqual([items, items]);
    await expectSame(replica, room);
  });

  it('[RE3] is found on both branches of an author who wrote in two places', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [here, there] = [await join(room, keys), await join(room, keys)];
    here.text('t').insert(0, 'here');
    here.batch(() => {
      here.set(FORBIDDEN, 1);
      here.text('t').insert(4, ' LOST');
    });
    here.text('t').insert(9, ' more');
    there.text('t').insert(0, 'there ');
    await push(there, room);
    await pull(here, room);
    const again = await createReplica({ saved: here.save(), keys });
    const text = again.text('t');
    text.insert(text.toString().indexOf('LOST') + 2, '-');
    text.insert(text.toString().indexOf(' more') + 1, 'much ');
    text.delete(text.toString().indexOf('e'), 1);
    const left = text.toString().replace('LO', '').replace('ST', '');
    await push(again, room);
    expect([...text.toString()].sort()).toEqual([...left.replace(' -', '- ')].sort().slice(1));
    await expectSame(again, room);
  });

  it('[RE3] [TX2] cannot be undone any more', async () => {
    const room = await newRoom();
    const replica = await join(room);
    const text = undoableText(replica, 't');
    replica.set(FORBIDDEN, 1);
    text.insert(0, 'typed');
    await push(replica, room);
    expect([text.undo(), text.toString()]).toEqual([false, 'typed']);
    text.insert(5, '!');
    expect([text.undo(), text.toString()]).toEqual([true, 'typed']);
  });

  it('[RE3] is saved as it is by then', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const replica = await join(room, keys);
    replica.set(FORBIDDEN, 1);
    replica.text('t').insert(0, 'kept');
    await offer(replica, room);
    const again = await createReplica({ saved: replica.save(), keys });
    expect([again.get(FORBIDDEN), again.text('t').toString()]).toEqual([undefined, 'kept']);
    expect(await push(again, room)).toBe(1);
    await expectSame(again, room);
  });
});

describe('answers to messages', () => {
  it('[RE3] settle what was in them, and what that stands on', async () => {
    const room = await newRoom();
    const replica = await join(room);
    const origin = { from: 'peer', session: 's' };
    const send = async (message: Uint8Array | undefined) => {
      const { refused } = await room.admit(message!, origin);
      return { message: message!, refused };
    };
    replica.set('a', 1);
    const first = await send(replica.message());
    replica.set('b', 1);
    const second = await send(await replica.sealedMessage());
    replica.set('c', 1);
    replica.confirm(first.message, first.refused);
    expect(first.refused.map(({ reason }) => reason)).toEqual(['unsealed']);
    expect((await room.admit((await replica.seal())!, origin)).accepted).toBe(1);
    replica.confirm(second.message, second.refused);
    const rest = await replica.seal();
    expect((await room.admit(rest!, origin)).duplicates).toBe(1);
    replica.confirm(rest);
    await expectSame(replica, room);
  });

  it('[RE3] do nothing when they come for what was given up meanwhile, or twice', async () => {
    const room = await newRoom();
    const replica = await join(room);
    replica.set(FORBIDDEN, 1);
    replica.set('k', 1);
    const first = (await replica.seal())!;
    replica.set('k', 2);
    const second = (await replica.seal())!;
    const [one, two] = [await room.admit(first, { from: 'peer' }), await room.admit(second, { from: 'peer' })];
    expect(replica.confirm(first, one.refused)).toEqual([expect.objectContaining({ reason: 'foreign-system-key' })]);
    expect(replica.confirm(second, two.refused)).toEqual([]);
    expect(replica.confirm(first)).toEqual([]);
    expect(await push(replica, room)).toBe(1);
    expect(room.get('k')).toBe(2);
    await expectSame(replica, room);
  });

  it('[RE3] may come while the next seal is being made', async () => {
    const room = await newRoom();
    const replica = await join(room);
    replica.set(FORBIDDEN, 1);
    replica.set('k', 1);
    const first = (await replica.seal())!;
    const { refused } = await room.admit(first, { from: 'peer' });
    replica.set('k', 2);
    const sealing = replica.seal();
    replica.set('l', 1);
    const next = replica.exchange.next(1000);
    const message = replica.sealedMessage();
    replica.confirm(first, refused);
    // Which of them begins anew first depends on the signatures; what one has sent, another need not.
    const sent = (await Promise.all([next, sealing, message])).filter((pack) => pack !== undefined);
    expect(sent).not.toEqual([]);
    for (const pack of sent) expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
    expect(await push(replica, room)).toBe(1);
    await expectSame(replica, room);
  });
});

type Edit =
  | { readonly kind: 'insert' | 'delete' | 'item' | 'drop' | 'move'; readonly at: number; readonly many: number }
  | { readonly kind: 'set' | 'pull' | 'other' | 'push'; readonly at: number; readonly many: number };

const edits = fc.array(
  fc.record({
    refused: fc.boolean(),
    edits: fc.array(
      fc.record({
        kind: fc.constantFrom<Edit['kind']>('insert', 'delete', 'item', 'drop', 'move', 'set', 'pull', 'other', 'push'),
        at: fc.nat(1000),
        many: fc.integer({ min: 1, max: 5 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 25 },
);

describe('any edits, some of them refused', () => {
  it('[RE3] leave the replica and the room in one state, with all that was not refused', async () => {
    let typed = 0;
    const write = (replica: Replica, { kind, at, many }: Edit, refused: boolean): void => {
      const [text, list] = [replica.text('t'), replica.list('l')];
      if (kind === 'set') replica.set(`k${at % 3}`, typed++);
      // What is refused is lower case. A move would end the node that is.
      if (kind === 'insert') text.insert(at % (text.length + 1), (refused ? 'x' : 'X').repeat(many));
      const from = text.length === 0 ? 0 : at % text.length;
      if (kind === 'delete' && !refused) text.delete(from, Math.min(many, text.length - from));
      if (kind === 'item') list.insert(at % (list.length + 1), refused ? 'x' : 'X');
      if (list.length === 0) return;
      if (kind === 'drop' && !refused) list.delete(at % list.length);
      if (kind === 'move' && !refused) list.move(at % list.length, many % list.length);
    };
    await fc.assert(
      fc.asyncProperty(edits, async (steps) => {
        const room = await newRoom();
        const [replica, other] = [await join(room), await join(room)];
        for (const { refused, edits: some } of steps) {
          for (const edit of some) {
            if (edit.kind === 'pull') await pull(replica, room);
            if (edit.kind === 'push') await offer(replica, room);
            if (edit.kind !== 'other') continue;
            await pull(other, room);
            write(other, { ...edit, kind: edit.many > 2 ? 'insert' : 'delete' }, false);
            await push(other, room);
          }
          replica.batch(() => {
            if (refused) replica.set(FORBIDDEN, 1);
            for (const edit of some) write(replica, edit, refused);
          });
        }
        await pull(replica, room);
        const left = [...replica.text('t').toString()].filter((unit) => unit === 'X').length;
        const items = replica
          .list('l')
          .toArray()
          .filter((item) => item === 'X').length;
        await push(replica, room);
        await pull(replica, room);
        await expectSame(replica, room);
        expect([room.text('t'), room.list('l')]).toEqual(['X'.repeat(left), Array(items).fill('X')]);
      }),
      { numRuns: 38 },
    );
  });
});
