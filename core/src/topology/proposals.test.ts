/** Proposals over time: asked for again, kept from versions before, of children that are gone, and what an operator hears of them. */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RoomId } from '../codec/bytes/room-id.js';
import { createHost } from '../engine.js';
import { type Telemetry, silent } from '../ports/telemetry.js';
import type { Room } from '../room/room.js';
import type { Write } from '../room/state/write.js';
import { ADOPTED } from '../room/state/genesis.js';
import { Family, join, pull, push } from '../testing/families.js';
import { Promotions } from './promotions.js';

const refused = (name: string) => expect.objectContaining({ reason: `reject.promotion_${name}` });

const KEY = '\0promotion/mine';

/** The proposal `mine` as the parent holds it. */
const heldBy = ({ parent }: Family) => parent.get(KEY) as Record<string, unknown>;

/** Writes the proposal `mine` as versions did that did not say which room its child is. */
async function asBefore(family: Family): Promise<void> {
  const { child_genesis: _, ...before } = heldBy(family);
  const writes: Write[] = [{ key: KEY, value: before as Write['value'] }];
  await family.parent.transact(() => ({ writes, result: undefined }));
}

type Ask = (variant: string, payload: object, room_id?: string) => Promise<Record<string, unknown>>;

/** Another host on the store, after the first one has ended: there nobody holds a room. */
async function restarted({ host: before, store }: Family, telemetry = silent): Promise<Ask> {
  await before.close();
  const host = createHost({ store, telemetry });
  onTestFinished(() => host.close());
  return async (variant, payload, room_id = 'parent') => {
    const { events } = await host.submit({ room_id, command: { [variant]: payload } });
    return events[0]!;
  };
}

/** Promotions into a room, which find the child open. */
function promotionsOf({ store, parent, child }: Family, room = parent): Promotions {
  const withRoom = <T>(_: RoomId, act: (opened: Room) => Promise<T>) => act(child);
  return new Promotions({ room, log: store.log, blobs: store.blobs, telemetry: silent, withRoom });
}

async function named(policy?: string): Promise<Family> {
  const family = await Family.make(policy);
  await family.writeInChild((replica) => replica.set('k', 1));
  await family.proposed({ idempotency_key: 'mine' });
  return family;
}

describe('a proposal', () => {
  it('[TP4] that has its own key is the same again whatever has become of it', async () => {
    const family = await named();
    const asked = () => family.propose({ idempotency_key: 'mine' });
    await family.validate('mine');
    expect(await asked()).toMatchObject({ proposal_id: 'mine' });
    await family.apply('mine');
    const { seq } = family.parent;
    expect(await asked()).toMatchObject({ proposal_id: 'mine' });
    expect(family.parent.seq).toBe(seq);
  });

  it('[TP4] says what has become of it to who asks anew without a key', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('k', 1));
    await family.validate(await family.proposed());
    await expect(family.propose()).rejects.toThrow(/ is validated; use another idempotency_key$/);
  });

  it('[TP4] is the same for who asked for it at once, though the other one is further by then', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('k', 1));
    const wanted = {
      child_room_id: 'child',
      child_checkpoint_hash: family.child.stateHash,
      payload_ref: 'all',
      idempotency_key: 'mine',
    };
    const mayVisit = async () => void (await family.validate(await family.proposed(wanted)));
    const proposal = await promotionsOf(family).propose(wanted, { name: 'bob', mayVisit });
    expect(proposal).toMatchObject({ proposal_id: 'mine', state: 'validated', by: 'operator' });
  });

  it('[TP4] has a digest of what was asked for, each text behind its length', async () => {
    const family = await named();
    const plain = await family.propose();
    const digestOf = (...texts: readonly string[]): string => {
      const hash = createHash('sha256');
      for (const text of texts) hash.update(Buffer.from([0, 0, 0, text.length])).update(text);
      return hash.digest('hex');
    };
    const about = ['parent', 'child', family.child.stateHash, 'all'];
    expect(plain['proposal_digest']).toBe(digestOf(...about, ''));
    expect(heldBy(family)['proposal_digest']).toBe(digestOf(...about, 'mine'));
  });

  it('[TP4] that is applied while somebody tries it anew stays applied', async () => {
    const family = await named();
    const { parent, child, store } = family;
    const withRoom = async <T>(_: RoomId, act: (opened: Room) => Promise<T>) => {
      await family.validate('mine');
      await family.apply('mine');
      return act(child);
    };
    const late = new Promotions({ room: parent, log: store.log, blobs: store.blobs, telemetry: silent, withRoom });
    expect(await late.validate('mine')).toMatchObject({ proposal_id: 'mine', state: 'applied' });
    expect(heldBy(family)['state']).toBe('applied');
  });

  it('[TP4] of some keys is of the child as it is, and is refused when it has gone on', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => {
      replica.set('k', 1);
      replica.set('other', 1);
    });
    const id = await family.proposed({ payload_ref: 'glob:k' });
    await family.writeInChild((replica) => replica.set('k', 2));
    await expect(family.validate(id)).rejects.toEqual(refused('child_checkpoint_mismatch'));
  });

  it('[TP4] of some keys takes no text or list among registers: its nodes touch keys beyond the pattern', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => {
      replica.set('some/k', 1);
      replica.text('some/t').insert(0, 'words');
      replica.set('other', 1);
    });
    const id = await family.proposed({ payload_ref: 'glob:some/*' });
    await expect(family.validate(id)).rejects.toThrow('some/t is a text or list');
    expect(family.parent.get('some/k')).toBeUndefined();
  });

  it('[TP8] of some keys exchanges no others', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => {
      replica.set('k', 1);
      replica.set('other', 1);
    });
    await family.promote({ payload_ref: 'glob:k', idempotency_key: 'some' });
    expect(await family.previewed(await family.proposed())).toEqual({ other: 'child' });
    await family.writeInParent((replica) => replica.set('other', 2));
    const id = await family.proposed({ idempotency_key: 'all' });
    await expect(family.validate(id)).rejects.toEqual(refused('apply_conflict'));
  });

  it('[TP8] of registers is previewed as the child’s, also where the parent has changed them too', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => {
      replica.set('k', 'child');
      replica.set('other', 1);
    });
    await family.writeInParent((replica) => ['a', 'b', 'c'].forEach((value) => replica.set('k', value)));
    const id = await family.proposed({ payload_ref: 'glob:k', on_conflict: 'merge' });
    expect(await family.previewed(id)).toEqual({ k: 'child!' });
    await family.validate(id);
    await family.apply(id);
    expect(family.parent.get('k')).toBe('child');
  });

  it('[TP4] takes the hash of the child in capital letters too', async () => {
    const family = await named();
    const hash = family.child.stateHash.toUpperCase();
    const id = await family.proposed({ child_checkpoint_hash: hash });
    expect(await family.validate(id)).toMatchObject({ proposal_id: id });
  });

  it('[TP4] names some of the keys that stand against it, and says how many more there are', async () => {
    const family = await Family.make();
    const writes = (value: string) => (replica: { set(key: string, value: string): void }) => {
      for (let i = 0; i < 7; i++) replica.set(`k${i}`, value);
    };
    await family.writeInChild(writes('child'));
    await family.writeInParent(writes('parent'));
    const id = await family.proposed();
    await expect(family.validate(id)).rejects.toThrow(/: k0, k1, k2, k3, k4, and 2 more$/);
    await family.writeInChild((replica) => replica.set('k0', 'child again'));
    const one = await family.proposed({ payload_ref: 'glob:k0', idempotency_key: 'one' });
    await expect(family.validate(one)).rejects.toThrow(/: k0$/);
  });

  it('[TP8] is previewed as it comes, also where both have written equally much', async () => {
    for (let tries = 0; tries < 6; tries++) {
      const family = await Family.make();
      await family.writeInChild((replica) => replica.set('both', 'child'));
      await family.writeInParent((replica) => replica.set('both', 'parent'));
      const id = await family.proposed({ on_conflict: 'merge' });
      const previewed = await family.previewed(id);
      await family.validate(id);
      await family.apply(id);
      expect(previewed).toEqual({ both: `${String(family.parent.get('both'))}!` });
    }
  });

  it('[TP4] that was applied answers on when its child is gone, and nothing is left of it to do', async () => {
    const family = await named();
    expect(await family.previewed('mine')).toEqual({ k: 'child' });
    await family.validate('mine');
    const applied = await family.apply('mine');
    const ask = await restarted(family);
    expect(await ask('DeleteRoom', { confirm: 'child' }, 'child')).toHaveProperty('RoomDeleted');
    const of = { proposal_id: 'mine' };
    expect(await ask('PreviewTopologyPromotion', of)).toMatchObject({ PromotionPreviewed: { changes: [] } });
    expect(await ask('ValidateTopologyPromotion', of)).toMatchObject({ PromotionValidated: of });
    expect(await ask('ApplyTopologyPromotion', of)).toMatchObject({ PromotionApplied: applied });
  });

  it('[TP4] is found in the room that it was made for', async () => {
    const family = await named();
    expect(promotionsOf(family).has('mine')).toBe(true);
    expect(promotionsOf(family, family.child).has('mine')).toBe(false);
  });
});

describe('a proposal of a version that did not say which room the child is', () => {
  it('[TP4] is of the child of that name, and counts when more is promoted', async () => {
    const family = await named();
    await asBefore(family);
    await family.validate('mine');
    await family.apply('mine');
    await family.writeInChild((replica) => replica.set('other', 1));
    const more = await family.proposed();
    expect(await family.previewed(more)).toEqual({ other: 'child' });
  });

  it('[TP4] is another one than that of another child under its key', async () => {
    const family = await named();
    await asBefore(family);
    await family.ask('CreateTopologyChild', {
      child_room_id: 'other',
      child_purpose: 'p',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint: { canonical_hash: family.parent.stateHash, frontier: family.parent.heads.frontier },
    });
    const other = { child_room_id: 'other', child_checkpoint_hash: (await family.host.room('other')).stateHash };
    await expect(family.propose({ ...other, idempotency_key: 'mine' })).rejects.toEqual(refused('apply_conflict'));
  });
});

it('[TP4] what an older write of the parent would hide is written anew, some of it in one node', async () => {
  const family = await Family.make();
  const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
  await family.writeInParent((replica) => {
    for (let round = 0; round < 20; round++) for (const key of keys) replica.set(key, round);
  });
  const write = (value: Uint8Array) =>
    family.writeInChild((replica) => {
      for (const key of keys) replica.set(key, value);
    });
  await write(new Uint8Array(1));
  await family.promote({ on_conflict: 'merge' });
  const before = family.child.seq;
  const value = new Uint8Array(60_000).fill(1);
  await write(value);
  const id = await family.proposed({ idempotency_key: 'again' });
  await family.validate(id);
  const [{ seq }, taken] = [family.parent, family.child.seq - before];
  await family.apply(id);
  expect(keys.map((key) => family.parent.get(key))).toEqual(keys.map(() => value));
  // Four of these values are what goes into one node; the last node is the record of the promotion.
  expect(family.parent.seq - seq - taken).toBe(keys.length / 4 + 1);
  // What was written anew is no change of the parent's own.
  await write(new Uint8Array(1));
  await family.promote({ idempotency_key: 'once more' });
  expect(family.parent.get('k0')).toEqual(new Uint8Array(1));
});

it('[TP5] whose nodes came along is said once, by the first promotion that has brought them', async () => {
  const family = await Family.make();
  for (const id of ['first', 'second']) {
    await family.writeInChild((replica) => replica.set('k', id));
    await family.promote({ idempotency_key: id });
  }
  const { parent, child } = family;
  expect([...parent.entries(ADOPTED)]).toEqual([[ADOPTED + child.genesis.id, 'first']]);
});

it('[TP5] what a child was given by its own child comes along with it', async () => {
  const { host, parent, child, ...family } = await Family.make();
  const ask = async (room_id: string, variant: string, payload: object) => {
    const { events } = await host.submit({ room_id, command: { [variant]: payload } });
    return Object.values(events[0]!)[0]!;
  };
  const promote = async (of: string, into: string) => {
    const child_checkpoint_hash = (await host.room(of)).stateHash;
    const wanted = { child_room_id: of, child_checkpoint_hash, payload_ref: 'all' };
    const { proposal_id } = await ask(into, 'ProposeTopologyPromotion', wanted);
    await ask(into, 'ValidateTopologyPromotion', { proposal_id });
    await ask(into, 'ApplyTopologyPromotion', { proposal_id });
  };
  await ask('child', 'CreateTopologyChild', {
    child_room_id: 'grandchild',
    child_purpose: 'p',
    promotion_policy_id: 'promotion-based',
    parent_checkpoint: { canonical_hash: child.stateHash, frontier: child.heads.frontier },
  });
  const writer = await join(await host.room('grandchild'));
  writer.set('k', 'of the grandchild');
  await push(writer, await host.room('grandchild'));
  await promote('grandchild', 'child');
  await promote('child', 'parent');
  expect(parent.get('k')).toBe('of the grandchild');
  await pull(family.inParent, parent);
  expect(family.inParent.stateHash).toBe(parent.stateHash);
});

it('[TP4] each step of a promotion is measured, and none is under way when it has ended', async () => {
  const seen = new Map<string, number[]>();
  const telemetry: Telemetry = {
    record(metric, value, ...labels) {
      if (!metric.startsWith('topology_promotion')) return;
      const name = [metric, ...labels].join(' ');
      seen.set(name, [...(seen.get(name) ?? []), metric.endsWith('seconds') ? 0 : value]);
    },
  };
  const ask = await restarted(await named(), telemetry);
  for (const variant of ['ValidateTopologyPromotion', 'ApplyTopologyPromotion'])
    await ask(variant, { proposal_id: 'mine' });
  await expect(ask('ApplyTopologyPromotion', { proposal_id: 'nobody' })).rejects.toEqual(refused('not_found'));
  expect(Object.fromEntries(seen)).toEqual({
    topology_promotion_inflight: [1, -1, 1, -1, 1, -1],
    'topology_promotion_seconds validate': [0],
    'topology_promotion_seconds apply': [0, 0],
    'topology_promotion_total validate ok': [1],
    'topology_promotion_total apply ok': [1],
    'topology_promotion_total apply rejected': [1],
  });
});
