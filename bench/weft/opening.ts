// A large room on a disk, opened by a host that has done nothing else with it: until a peer is welcomed, and until it
// has everything.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Host, type Images, type Replica, type Room, type Store, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { testPeer } from '@weft/core/testing';
import { mustHold, timed } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';
import { newReplica, packOf } from './engine.js';

const ROOM = 'bench';
/** Nodes of one push. */
const PUSHED = 4096;

/** A folder with a room that was put away, its log as segments and an image beside. */
export class RoomOnDisk {
  readonly name = ROOM;
  readonly folder: string;
  readonly #stateHash: string;
  readonly nodes: number;

  private constructor(folder: string, { stateHash, seq }: Room) {
    this.folder = folder;
    this.#stateHash = stateHash;
    this.nodes = seq;
  }

  /** Each call of `edit` makes one node. */
  static async make(nodes: number, edit: (replica: Replica, number: number) => void): Promise<RoomOnDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
    const host = createHost({ store: levelStore(folder) });
    const room = await host.room(ROOM);
    const replica = await newReplica(room.genesis.pack);
    for (let made = 0; made < nodes;) {
      for (const end = Math.min(nodes, made + PUSHED); made < end; made++) edit(replica, made);
      const pack = await packOf(replica);
      const { refused } = await room.admit(pack, { from: 'peer' });
      mustHold(refused.length === 0, 'the room refused a node');
      replica.confirm(pack);
    }
    const made = new RoomOnDisk(folder, room);
    await host.close();
    return made;
  }

  async measure(): Promise<Figures> {
    const opened = await this.#join((store) => store.images);
    const read = await this.#join(() => memoryStore().images);
    return {
      welcome_ms: opened.welcome_ms,
      joined_ms: opened.joined_ms,
      again_ms: opened.again_ms,
      compact_ms: opened.compact_ms,
      log_welcome_ms: read.welcome_ms,
      sent_kb: opened.bytes / 1000,
      log_mb: (await sizeOf(join(this.folder, 'log'))) / 1e6,
      image_mb: (await sizeOf(join(this.folder, 'images'))) / 1e6,
    };
  }

  /** The store is opened before the clock starts: a server does that once, for all its rooms. */
  async #join(imagesOf: (store: Store) => Images) {
    const store = levelStore(this.folder);
    await store.open();
    const opened: Store = {
      log: store.log,
      blobs: store.blobs,
      images: imagesOf(store),
      open: () => Promise.resolve(),
      authoritySeed: () => store.authoritySeed(),
      close: () => store.close(),
    };
    const host = createHost({ store: opened });
    await host.ready();
    const first = await this.#enter(host);
    const again = await this.#enter(host);
    const { ms: compact_ms } = await timed(async () => (await host.room(ROOM)).compact());
    await host.close();
    return { ...first, again_ms: again.joined_ms, compact_ms };
  }

  async #enter(host: Host) {
    const peer = testPeer(host, ROOM);
    const started = performance.now();
    peer.send({ type: 'hello' });
    const welcome = await peer.nextOf('welcome');
    const welcome_ms = performance.now() - started;
    mustHold(welcome['canonical_hash'] === this.#stateHash, 'the room has another state than it had');
    let bytes = 0;
    for (let isLast = false; !isLast;) {
      const pack = await peer.nextOf('pack');
      bytes += String(pack['nodes']).length;
      isLast = pack['final'] === true;
    }
    const joined_ms = performance.now() - started;
    peer.leave();
    return { welcome_ms, joined_ms, bytes };
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
