/** What becomes of intents that come with an archive: those that were decided where they come from are not decided again. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { ManualClock } from '../testing/manual-clock.js';

const archive_ref = 'file://a.weft';

class Rooms {
  readonly clock = new ManualClock();
  readonly store = memoryStore();
  readonly archives = memoryArchives();
  host = this.#begin();

  #begin() {
    const host = createHost({ store: this.store, clock: this.clock, archives: { stores: { file: this.archives } } });
    onTestFinished(() => host.close());
    return host;
  }

  async ask(room_id: string, variant: string, payload: object = {}): Promise<void> {
    const { events } = await this.host.submit({ room_id, command: { [variant]: payload } });
    expect(Object.keys(events[0]!)[0]).not.toContain('Rejected');
  }

  set(room: string, key: string, value: unknown): Promise<void> {
    return this.host.withRoom(room, (opened) => opened.set(key, value));
  }

  values(room: string, ...keys: string[]): Promise<unknown[]> {
    return this.host.withRoom(room, async (opened) => keys.map((key) => opened.get(key)));
  }

  /** Ticks until a room says so. */
  ticked(room: string, key: string, value: unknown): Promise<void> {
    return vi.waitFor(async () => {
      this.clock.advance(100);
      expect(await this.values(room, key)).toEqual([value]);
    });
  }

  /** A room with an intent that was decided and has been overtaken, and one that nobody has decided. */
  async source(): Promise<void> {
    await this.ask('plans', 'StartTick');
    await this.set('plans', 'intent/a', 'asked for');
    await this.ticked('plans', 'world/a', 'asked for');
    await this.ask('plans', 'StopTick');
    await this.set('plans', 'world/a', 'as it is now');
    await this.set('plans', 'intent/b', 'asked for');
    await this.ask('plans', 'ExportArchive', { archive_ref });
  }

  async import(room: string, ref = archive_ref): Promise<void> {
    await this.ask(room, 'ImportArchive', { archive_ref: ref, import_mode: 'full_apply' });
  }

  async restart(): Promise<void> {
    await this.host.close();
    this.host = this.#begin();
  }
}

describe('intents that come with an archive', () => {
  it.each([
    ['into an empty room', false, false],
    ['into an empty room, and the process ends', false, true],
    ['into a room with intents of its own', true, false],
    ['into a room with intents of its own, and the process ends', true, true],
  ])('[TI4] [AR6] are decided once, %s', async (_, hasOwn, restarts) => {
    const rooms = new Rooms();
    await rooms.source();
    if (hasOwn) {
      await rooms.set('copy', 'intent/own', 'asked for');
      await rooms.set('copy', 'other', 1);
    }
    await rooms.import('copy');
    if (restarts) await rooms.restart();
    await rooms.ask('copy', 'StartTick');
    await rooms.ticked('copy', 'world/b', 'asked for');
    const own = hasOwn ? 'asked for' : undefined;
    expect(await rooms.values('copy', 'world/a', 'world/own')).toEqual(['as it is now', own]);
    await rooms.set('copy', 'intent/a', 'anew');
    await rooms.ticked('copy', 'world/a', 'anew');
  });

  it('[TI4] [AR6] are decided once where the copy is copied and forked before it ticks', async () => {
    const rooms = new Rooms();
    await rooms.source();
    await rooms.set('copy', 'intent/own', 'asked for');
    await rooms.import('copy');
    await rooms.import('another', 'room://copy');
    const { stateHash: canonical_hash, heads } = await rooms.host.room('copy');
    const parent_checkpoint = { canonical_hash, frontier: heads.frontier };
    const wanted = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await rooms.ask('copy', 'CreateTopologyChild', { ...wanted, parent_checkpoint });
    for (const room of ['another', 'child']) {
      await rooms.ask(room, 'StartTick');
      await rooms.ticked(room, 'world/b', 'asked for');
      expect(await rooms.values(room, 'world/a', 'world/own')).toEqual(['as it is now', 'asked for']);
    }
  });

  it('[TI4] [AR6] are not decided by a tick that runs while they come', async () => {
    const rooms = new Rooms();
    await rooms.source();
    await rooms.ask('copy', 'StartTick');
    await rooms.import('copy');
    await rooms.ticked('copy', 'world/b', 'asked for');
    expect(await rooms.values('copy', 'world/a')).toEqual(['as it is now']);
  });
});
