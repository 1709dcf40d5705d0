/** Whatever is written where, whenever connections are lost and servers restart: all ends the same everywhere. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { createReplica, generateKeys, keepRoom } from '../peer.js';
import { FrailNetwork } from '../testing/frail-network.js';
import type { Replica } from './replica/replica.js';
import type { RoomClient } from './room-client.js';

const step = fc.record({
  who: fc.nat(2),
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<What>('item', 'text', 'set', 'push') },
    { weight: 4, arbitrary: fc.constantFrom<What>('turn', 'microtasks') },
    { weight: 4, arbitrary: fc.constantFrom<What>('cut', 'deafen', 'online') },
    { weight: 1, arbitrary: fc.constantFrom<What>('forbidden', 'restart', 'reopen') },
  ),
  many: fc.integer({ min: 1, max: 40 }),
});
type What =
  | 'item'
  | 'text'
  | 'set'
  | 'push'
  | 'turn'
  | 'microtasks'
  | 'cut'
  | 'deafen'
  | 'online'
  | 'forbidden'
  | 'restart'
  | 'reopen';

/** One who writes to the room. */
class Member {
  readonly #keys = generateKeys();
  readonly network: FrailNetwork;
  client: RoomClient;
  typed = '';

  constructor(network: FrailNetwork) {
    this.network = network;
    this.client = this.#keep();
  }

  #keep(replica?: Replica): RoomClient {
    const { network } = this;
    const own = replica ? { replica } : {};
    return keepRoom({ open: network.open, network, keys: this.#keys, retry: { firstMs: 1 }, ...own });
  }

  async reopen(): Promise<void> {
    const { replica } = this.client;
    this.client.close();
    this.client = this.#keep(await createReplica({ saved: replica.save(), keys: this.#keys }));
  }
}

it('[CL2] [CL4] [CL5] every edit arrives once, whenever connections are lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const store = memoryStore();
      let host = createHost({ store });
      await (await host.room('room')).set('exists', true);
      const members = Array.from({ length: 3 }, () => new Member(new FrailNetwork(host)));
      await Promise.all(members.map(({ client }) => client.joined));
      const items: string[] = [];
      let refused = 0;
      for (const { who, what, many } of steps) {
        const member = members[who]!;
        const { network, client } = member;
        const { replica } = client;
        if (what === 'item')
          replica
            .list('l')
            .insert(many % (replica.list('l').length + 1), (items.push(`${who}-${items.length}`), items.at(-1)));
        if (what === 'text') replica.text('t').insert(many % (replica.text('t').length + 1), `${who}`);
        if (what === 'text') member.typed += who;
        if (what === 'set')
          replica.batch(() => Array.from({ length: many }, (_, i) => replica.set(`k${i}`, `${who} ${items.length}`)));
        if (what === 'push') client.push().catch(() => refused++);
        if (what === 'turn') await new Promise((resolve) => setTimeout(resolve));
        if (what === 'microtasks') for (let i = 0; i < many; i++) await Promise.resolve();
        if (what === 'cut') network.cut();
        if (what === 'deafen') network.isHeld = true;
        if (what === 'online' && !network.isHeld) network.comeOnline();
        if (what === 'forbidden') replica.set('_topology/x', 1);
        if (what === 'reopen') await member.reopen();
        if (what !== 'restart') continue;
        for (const one of members) one.network.cut();
        await host.close();
        host = createHost({ store });
        for (const one of members) one.network.host = host;
      }
      for (let round = 0; round < 3; round++)
        for (const { network, client } of members) {
          if (network.isHeld) network.cut();
          network.comeOnline();
          // A push is told of what was refused meanwhile; another one has nothing more to tell.
          await client.push().catch(() => client.push());
        }
      const room = await host.room('room');
      for (const { client } of members) {
        await expect.poll(() => client.replica.frontier, { interval: 1 }).toEqual(room.heads.frontier);
        expect([client.replica.stateHash, client.replica.get('_topology/x')]).toEqual([room.stateHash, undefined]);
        client.close();
      }
      expect(room.list('l').sort()).toEqual(items.sort());
      expect([...room.text('t')].sort().join('')).toBe(members.map(({ typed }) => typed).join(''));
      await host.close();
    }),
    { numRuns: 10 },
  );
});
