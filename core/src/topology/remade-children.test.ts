/** Children that were deleted and made anew under their name: they are other rooms. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { ManualClock } from '../testing/manual-clock.js';

const refused = (name: string) => expect.objectContaining({ reason: `reject.promotion_${name}` });

class Remade {
  readonly #clock = new ManualClock();
  readonly #host = createHost({ store: memoryStore(), clock: this.#clock, limits: { tombstoneMs: 1 } });

  write(room: string, key: string, value: unknown): Promise<void> {
    return this.#host.withRoom(room, (opened) => opened.set(key, value));
  }

  value(room: string, key: string): Promise<unknown> {
    return this.#host.withRoom(room, async (opened) => opened.get(key));
  }

  async ask(variant: string, payload: object, room_id = 'parent'): Promise<Record<string, unknown>> {
    const { events } = await this.#host.submit({ room_id, command: { [variant]: payload } });
    const body = { ...Object.values(events[0]!)[0] };
    const { reason_class: reason, reason_message: message } = body;
    if (reason !== undefined) throw Object.assign(new Error(String(message)), { reason });
    return body;
  }

  /** A child of a room as it is now, in which a key is set. */
  async child(key: string, value: unknown, of = 'parent', id = 'child'): Promise<void> {
    const parent_checkpoint = await this.#host.withRoom(of, async ({ stateHash, heads }) => ({
      canonical_hash: stateHash,
      frontier: heads.frontier,
    }));
    const wanted = { child_room_id: id, child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await this.ask('CreateTopologyChild', { ...wanted, parent_checkpoint }, of);
    await this.write(id, key, value);
  }

  async deleteChild(): Promise<void> {
    await this.ask('DeleteRoom', { confirm: 'child' }, 'child');
    this.#clock.advance(1);
  }

  async proposed(idempotency_key: string): Promise<string> {
    const child_checkpoint_hash = await this.#host.withRoom('child', async ({ stateHash }) => stateHash);
    const wanted = { child_room_id: 'child', child_checkpoint_hash, payload_ref: 'all', idempotency_key };
    return String((await this.ask('ProposeTopologyPromotion', wanted))['proposal_id']);
  }

  /** Writes a proposal as versions did that did not say which room its child is. */
  asBefore(proposal_id: string): Promise<void> {
    const key = `\0promotion/${proposal_id}`;
    return this.#host.withRoom('parent', async (parent) => {
      const { child_genesis: _, ...value } = parent.get(key) as Record<string, unknown>;
      await parent.set(key, value);
    });
  }

  validate(proposal_id: string): Promise<unknown> {
    return this.ask('ValidateTopologyPromotion', { proposal_id });
  }

  apply(proposal_id: string): Promise<unknown> {
    return this.ask('ApplyTopologyPromotion', { proposal_id });
  }
}

describe('a child that was deleted and made anew', () => {
  it('[TP9] is compared with its own fork, not with what the one before has exchanged', async () => {
    const rooms = new Remade();
    await rooms.write('parent', 'k', 0);
    await rooms.child('k', 'of the first');
    for (let i = 0; i < 8; i++) await rooms.write('child', `more/${i}`, i); // its log is longer than that of the second
    const first = await rooms.proposed('first');
    await rooms.validate(first);
    await rooms.apply(first);
    await rooms.deleteChild();
    await rooms.child('k', 'of the second');
    await rooms.write('parent', 'k', 'of the parent');
    await expect(rooms.validate(await rooms.proposed('second'))).rejects.toEqual(refused('apply_conflict'));
    await rooms.write('child', 'own', 1);
    const third = await rooms.proposed('third');
    await expect(rooms.validate(third)).rejects.toEqual(refused('apply_conflict'));
    expect(await rooms.value('parent', 'k')).toBe('of the parent');
  });

  it('[TP9] has exchanged nothing before it began, whatever a version before has told of another one', async () => {
    const rooms = new Remade();
    await rooms.write('parent', 'k', 0);
    await rooms.child('k', 'of the first');
    for (let i = 0; i < 8; i++) await rooms.write('child', `more/${i}`, i);
    await rooms.validate(await rooms.proposed('first'));
    await rooms.apply('first');
    await rooms.asBefore('first');
    await rooms.deleteChild();
    await rooms.child('k', 'of the second');
    const second = await rooms.proposed('second');
    expect(await rooms.ask('PreviewTopologyPromotion', { proposal_id: second })).toMatchObject({
      changes: [{ key: 'k', is_conflict: false, stands: 'child' }],
    });
  });

  it('[TP9] does not stand in for the one that was proposed', async () => {
    const rooms = new Remade();
    await rooms.write('parent', 'k', 0);
    await rooms.child('k', 1);
    const id = await rooms.proposed('mine');
    await rooms.validate(id);
    await rooms.deleteChild();
    await rooms.child('k', 2);
    await expect(rooms.validate(id)).rejects.toEqual(refused('child_checkpoint_mismatch'));
    await expect(rooms.apply(id)).rejects.toEqual(refused('child_checkpoint_mismatch'));
    await expect(rooms.proposed('mine')).rejects.toEqual(refused('apply_conflict'));
    const other = await rooms.proposed('other');
    await rooms.validate(other);
    await rooms.apply(other);
    expect(await rooms.value('parent', 'k')).toBe(2);
  });

  it.each([
    ['a room that is nobody’s child', (rooms: Remade) => rooms.write('child', 'k', 2)],
    ['a child of another room, from the same position on', (rooms: Remade) => rooms.child('k', 2, 'other')],
  ])('[TP9] is not taken for %s', async (_, remake) => {
    const rooms = new Remade();
    for (const room of ['parent', 'other']) await rooms.write(room, 'k', 0);
    await rooms.child('k', 1);
    const id = await rooms.proposed('mine');
    await rooms.deleteChild();
    await remake(rooms);
    await expect(rooms.validate(id)).rejects.toEqual(refused('child_checkpoint_mismatch'));
  });

  it('[TP9] is not taken for a room that is nobody’s child, where a version before has not said which it was', async () => {
    const rooms = new Remade();
    await rooms.write('parent', 'k', 0);
    await rooms.child('k', 1);
    const id = await rooms.proposed('mine');
    await rooms.asBefore(id);
    await rooms.deleteChild();
    await rooms.write('child', 'k', 2);
    await expect(rooms.validate(id)).rejects.toEqual(refused('child_checkpoint_mismatch'));
  });

  it('[TP1] is no ancestor of what came from the one before', async () => {
    const rooms = new Remade();
    await rooms.write('parent', 'k', 0);
    await rooms.child('k', 1);
    await rooms.child('k', 2, 'child', 'grandchild');
    const parents = async () => {
      const { ancestors } = await rooms.ask('DescribeRoomLineage', {}, 'grandchild');
      return (ancestors as { readonly parent_room_id: string }[]).map((each) => each.parent_room_id);
    };
    expect(await parents()).toEqual(['child', 'parent']);
    await rooms.deleteChild();
    await rooms.child('k', 3);
    expect(await parents()).toEqual(['child']);
  });
});
