/** Parents and children that were deleted and came back from an archive: the same rooms, as they were before. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { ManualClock } from '../testing/manual-clock.js';

const refused = (name: string) => expect.objectContaining({ reason: `reject.promotion_${name}` });
const ARCHIVE = 'file://before.weft';

class Restored {
  readonly #clock = new ManualClock();
  readonly #host = createHost({
    store: memoryStore(),
    clock: this.#clock,
    limits: { tombstoneMs: 1 },
    archives: { stores: { file: memoryArchives() } },
  });

  constructor() {
    onTestFinished(() => this.#host.close());
  }

  async write(room: string, ...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#host.withRoom(room, (opened) => opened.set(key, `of the ${room}: ${key}`));
  }

  set(room: string, key: string, value: unknown): Promise<void> {
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

  /** A child of the parent as it is now. */
  async fork(): Promise<void> {
    const parent_checkpoint = await this.#host.withRoom('parent', async ({ stateHash, heads }) => ({
      canonical_hash: stateHash,
      frontier: heads.frontier,
    }));
    const wanted = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await this.ask('CreateTopologyChild', { ...wanted, parent_checkpoint });
  }

  async archive(room: string): Promise<void> {
    await this.ask('ExportArchive', { source_room: room, archive_ref: ARCHIVE }, room);
  }

  async restore(room: string): Promise<void> {
    await this.ask('DeleteRoom', { confirm: room }, room);
    this.#clock.advance(1);
    await this.ask('ImportArchive', { archive_ref: ARCHIVE, import_mode: 'full_apply' }, room);
  }

  async proposed(idempotency_key: string, payload_ref = 'all'): Promise<string> {
    const child_checkpoint_hash = await this.#host.withRoom('child', async ({ stateHash }) => stateHash);
    const wanted = { child_room_id: 'child', child_checkpoint_hash, payload_ref, idempotency_key };
    return String((await this.ask('ProposeTopologyPromotion', wanted))['proposal_id']);
  }

  /** Writes a proposal as versions did that did not keep the heads of its child. */
  async asBefore(proposal_id: string): Promise<void> {
    const key = `\0promotion/${proposal_id}`;
    const { child_heads: _, ...value } = (await this.value('parent', key)) as Record<string, unknown>;
    await this.set('parent', key, value);
  }

  step(step: 'Validate' | 'Apply' | 'Preview', proposal_id: string): Promise<Record<string, unknown>> {
    return this.ask(`${step}TopologyPromotion`, { proposal_id });
  }

  async promote(proposal_id: string): Promise<void> {
    await this.step('Validate', proposal_id);
    await this.step('Apply', proposal_id);
  }
}

describe('a child that came back from an archive', () => {
  it.each([
    ['with something else in the same places', ['unseen', 'more', 'yet more'], false],
    ['with something else in the same places, proposed by a version before', ['unseen', 'more', 'yet more'], true],
    ['with as much of something else', ['unseen', 'more'], true],
    ['with less than was proposed', [], false],
    ['with less than was proposed, by a version before', [], true],
  ])('[TP9] is not what was approved, %s', async (_, instead, isOfBefore) => {
    const rooms = new Restored();
    await rooms.write('parent', 'k');
    await rooms.fork();
    await rooms.archive('child');
    await rooms.write('child', 'seen', 'seen too');
    await rooms.step('Validate', await rooms.proposed('approved'));
    if (isOfBefore) await rooms.asBefore('approved');
    await rooms.restore('child');
    await rooms.write('child', ...instead);
    for (const step of ['Preview', 'Validate', 'Apply'] as const)
      await expect(rooms.step(step, 'approved')).rejects.toEqual(refused('child_checkpoint_mismatch'));
    expect(await rooms.value('parent', 'unseen')).toBeUndefined();
    await rooms.write('child', 'k');
    await rooms.promote(await rooms.proposed('anew'));
    expect(await rooms.value('parent', 'k')).toBe('of the child: k');
  });

  it.each([false, true])(
    '[TP9] is what was approved as far as it holds that, proposed by a version before: %s',
    async (isOfBefore) => {
      const rooms = new Restored();
      await rooms.write('parent', 'k');
      await rooms.fork();
      await rooms.write('child', 'seen');
      await rooms.step('Validate', await rooms.proposed('approved'));
      if (isOfBefore) await rooms.asBefore('approved');
      await rooms.archive('child');
      await rooms.write('child', 'more');
      await rooms.restore('child');
      await rooms.write('child', 'other');
      await rooms.step('Apply', 'approved');
      expect(await rooms.value('parent', 'seen')).toBe('of the child: seen');
      expect(await rooms.value('parent', 'other')).toBeUndefined();
    },
  );

  it('[TP9] has not exchanged what it changes anew', async () => {
    const rooms = new Restored();
    await rooms.write('parent', 'k');
    await rooms.fork();
    await rooms.archive('child');
    await rooms.write('child', 'a', 'b', 'c', 'd');
    await rooms.promote(await rooms.proposed('first'));
    await rooms.restore('child');
    await rooms.set('child', 'k', 'anew');
    await rooms.set('parent', 'k', 'of the parent alone');
    await rooms.proposed('second');
    expect(await rooms.step('Preview', 'second')).toMatchObject({ changes: [{ key: 'k', is_conflict: true }] });
    await expect(rooms.step('Validate', 'second')).rejects.toEqual(refused('apply_conflict'));
  });
});

describe('a parent that came back from an archive of before the fork', () => {
  async function rewound(): Promise<Restored> {
    const rooms = new Restored();
    await rooms.write('parent', 'k');
    await rooms.archive('parent');
    await rooms.write('parent', 'lost/1', 'lost/2', 'lost/3', 'lost/4');
    await rooms.fork();
    await rooms.set('child', 'k', 'of the child');
    await rooms.write('child', 'beside');
    await rooms.restore('parent');
    return rooms;
  }

  it('[TP8] keeps what it has written since: that is a conflict', async () => {
    const rooms = await rewound();
    await rooms.set('parent', 'k', 'of the parent again');
    await rooms.proposed('mine', 'glob:k');
    expect(await rooms.step('Preview', 'mine')).toMatchObject({ changes: [{ key: 'k', is_conflict: true }] });
    await expect(rooms.step('Validate', 'mine')).rejects.toEqual(refused('apply_conflict'));
    expect(await rooms.value('parent', 'k')).toBe('of the parent again');
  });

  it('[TP8] says what to do where it lacks what nodes of the child stand on', async () => {
    const rooms = await rewound();
    const id = await rooms.proposed('whole');
    await expect(rooms.step('Validate', id)).rejects.toEqual(refused('policy_denied'));
    await expect(rooms.step('Validate', id)).rejects.toThrow(
      /missing-parent\. Where it came back from an archive .* propose registers of the child by glob:<pattern>$/,
    );
  });

  it('[TP8] takes what the child alone has changed, and that again', async () => {
    const rooms = await rewound();
    await rooms.promote(await rooms.proposed('first', 'glob:k'));
    expect(await rooms.value('parent', 'k')).toBe('of the child');
    await rooms.set('child', 'k', 'of the child again');
    await rooms.promote(await rooms.proposed('second', 'glob:k'));
    expect(await rooms.value('parent', 'k')).toBe('of the child again');
  });
});

it('[PN3] a child that gave up what it was when it was proposed is told so in the words of a promotion', async () => {
  const rooms = new Restored();
  await rooms.write('parent', 'k');
  await rooms.fork();
  await rooms.write('child', 'own');
  await rooms.step('Validate', await rooms.proposed('approved'));
  await rooms.write('child', 'k', 'later');
  await rooms.ask('PruneHistory', {}, 'child');
  await expect(rooms.step('Apply', 'approved')).rejects.toEqual(refused('child_checkpoint_mismatch'));
});
